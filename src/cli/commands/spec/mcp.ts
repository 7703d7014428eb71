import { AGENT_INSTRUCTIONS } from "#planner/work/guide.ts";
import { defineCommand } from "../../command.ts";
import { serveStdio } from "../../serve_stdio.ts";

export const command = defineCommand({
  meta: { name: "mcp", description: "Serve the tools to an agent over standard input and output" },
  details:
    "Speaks MCP (JSON-RPC 2.0, one message per line) until standard input ends. Errors are logged on standard error. The server also starts without a project; its tools then fail until `planner init` has run. docs/mcp.md describes the configuration of clients.",
  examples: {
    "planner mcp": "Serve the project around the working directory",
    "planner mcp --root ../shop": "Serve another project",
    "planner init --agent claude": "Add the server to an agent's configuration",
  },
  isServedAtOnce: true,
  async run({ cli: { root } }) {
    await serveMcp(root);
  },
});

/** Serves tools until the input ends, then ends the process. Source: docs/contract/spec-tool.md#versioning. */
function serveMcp(root: string | undefined): Promise<never> {
  return serveStdio({
    info: { name: "planner", version: "0.1.0" },
    instructions: AGENT_INSTRUCTIONS,
    loadTools: async (log) => {
      const [{ createPlannerTools: plannerTools }, { openPlanner }, { statSync }] = await Promise.all([
        import("#interfaces/mcp/planner_tools.ts"),
        import("../../compose.ts"),
        import("node:fs"),
      ]);
      if (root !== undefined && statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
        log(`Cannot find the project's folder "${root}" yet`);
      }
      return plannerTools(() => openPlanner({ cwd: process.cwd(), ...(root === undefined ? {} : { root }) }));
    },
  });
}

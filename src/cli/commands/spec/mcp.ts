import { defineCommand } from "../../command.ts";
import { serveMcp } from "../../serve_mcp.ts";

export const command = defineCommand({
  summary: "Serve the tools to an agent over standard input and output",
  details:
    "Speaks MCP (JSON-RPC 2.0, one message per line) until standard input ends. Errors are logged on standard error. The server also starts without a project; its tools then fail until `planner init` has run. docs/mcp.md describes the configuration of clients.",
  examples: [
    { line: "planner mcp", shows: "Serve the project around the working directory" },
    { line: "planner mcp --root ../shop", shows: "Serve another project" },
    { line: "planner init --agent claude", shows: "Add the server to an agent's configuration" },
  ],
  async run(_, { root }) {
    await serveMcp({ root });
  },
});

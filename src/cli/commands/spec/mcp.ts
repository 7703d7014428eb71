import { defineCommand } from "../../command.ts";
import { serveMcp } from "../../serve_mcp.ts";

export const command = defineCommand({
  summary: "Serve the tools to an agent over standard input and output",
  details:
    "Speaks MCP (JSON-RPC 2.0, one message per line) until standard input ends. Standard output carries protocol lines " +
    "only; what goes wrong is said on standard error. The server also starts where there is no project yet: its tools " +
    "then say so until `planner init` has been run. How to configure a client is told in docs/mcp.md.",
  positionals: {},
  flags: {},
  examples: [
    { line: "planner mcp", shows: "Serve the project around the working directory" },
    { line: "planner mcp --root ../shop", shows: "Serve another project" },
    { line: "planner init --agent claude", shows: "Enter the server into an agent's configuration" },
  ],
  async run(_, { root }) {
    await serveMcp({ root });
  },
});

import { defineCommand } from "../../command.ts";
import { endProcess } from "../../exit_status.ts";

export const command = defineCommand({
  summary: "Show the board of a sample project with agents at work",
  details:
    "Creates a project with five specs in a temporary folder, lets a script that stands in for a coding agent work on three of them, and serves the board. Needs git and sh, no network and no agent. Ctrl-C ends it and removes the folder.",
  positionals: {},
  flags: {
    port: { type: "integer", least: 0, most: 65_535, value: "n", summary: "Port of the board (default: a free one)" },
    "no-open": { type: "boolean", summary: "Print the address only" },
  },
  examples: [{ line: "planner demo", shows: "Look at the board without setting anything up" }],
  async run({ port, "no-open": isQuiet }, cli) {
    const { runDemo } = await import("../../demo/demo.ts");
    const flags = [...(port === undefined ? [] : ["--port", String(port)]), ...(isQuiet ? ["--no-open"] : [])];
    return endProcess(await runDemo(flags, cli));
  },
});

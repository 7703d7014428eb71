import { booleanFlag, integerFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { endProcess } from "../../exit_status.ts";

export const board = defineCommand({
  meta: { name: "board", description: "Show and steer all work of the project in a browser" },
  details:
    "Serves one page on 127.0.0.1 while the command runs, prints its address and opens it. The address is good for one browser, and for this run of the command only. Ctrl-C ends it; agents continue. Exits with 0 if every request was answered, 143 if one was cut off. docs/board.md describes the page.",
  args: {
    port: integerFlag(0, "Port (default: a free one)", { maximum: 65_535, valueHint: "n" }),
    "no-open": booleanFlag("Print the address only"),
  },
  examples: {
    "planner board": "Open the board of the project",
    "planner board --no-open --port 4600": "Serve it on a fixed port and print the address",
  },
  async run({ args: { port = 0, "no-open": isQuiet }, cli }) {
    const { serveBoard } = await import("../../board/serve_board.ts");
    // Connections that browsers keep open would keep the process running.
    return endProcess(await serveBoard(await cli.openProject(), cli, { port, opensBrowser: !isQuiet }));
  },
});

export const demo = defineCommand({
  meta: { name: "demo", description: "Show the board of a sample project with agents at work" },
  details:
    "Creates a project with five specs in a temporary folder, lets a script that stands in for a coding agent work on three of them, and serves the board. Needs git and sh, no network and no agent. Ctrl-C ends it and removes the folder.",
  args: {
    port: integerFlag(0, "Port of the board (default: a free one)", { maximum: 65_535, valueHint: "n" }),
    "no-open": booleanFlag("Print the address only"),
  },
  examples: { "planner demo": "Look at the board without setting anything up" },
  async run({ args: { port, "no-open": isQuiet }, cli }) {
    const { runDemo } = await import("../../demo/demo.ts");
    const flags = [...(port === undefined ? [] : ["--port", String(port)]), ...(isQuiet ? ["--no-open"] : [])];
    return endProcess(await runDemo(flags, cli));
  },
});

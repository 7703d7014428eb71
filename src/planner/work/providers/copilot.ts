import { commandsIn, deniedCall, GIT_COMMANDS, type Grant, PLANNER_COMMANDS } from "./grant.ts";
import type { ProviderRow } from "./provider_row.ts";

export const copilot: ProviderRow = {
  title: "GitHub Copilot CLI",
  program: "copilot",
  // With the prompt on standard input it runs headless by itself.
  args: ["--output-format", "json", "--no-auto-update", "--additional-mcp-config", "@{mcp_config}"],
  guardedArgs: (grant) => (grant.task === "split" ? ["--deny-tool=write", "--deny-tool=shell"] : allowed(grant)),
  skipArgs: ["--allow-all"],
  skipWords: ["--allow-all", "--allow-all-tools", "--allow-all-paths", "--allow-all-urls", "--yolo", "--trust-folder"],
  modelArgs: ["--model", "{model}"],
  // It reports its session only at its end: a run that is ended before could not be continued.
  resumeArgs: (session) => [`--session-id=${session}`],
  newSessionArgs: (session) => [`--session-id=${session}`],
  lastArgs: [],
  promptVia: "stdin",
  stream: "copilot",
  mcp: null,
  runFile: null,
  env: {},
  writableArgs: null,
  exits: {},
  allowing(denied) {
    const { tool, line } = deniedCall(denied, "bash");
    // Its rules name programs.
    const rule = line === null ? tool : `shell(${line.split(" ", 1)[0]})`;
    return `providers.copilot.args: [${JSON.stringify(`--allow-tool=${rule}`)}]`;
  },
};

// One word each: a list would take the next argument as well.
function allowed({ commands }: Grant): readonly string[] {
  const begun = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => `shell(${start}:*)`);
  const exact = commands.flatMap(commandsIn).map((line) => `shell(${line})`);
  return ["planner", "write", ...begun, ...exact].map((rule) => `--allow-tool=${rule}`);
}

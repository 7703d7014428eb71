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
    const args = line === null ? [`--allow-tool=${tool}`] : allowingLine(line);
    return `providers.copilot.args: [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`;
  },
};

/** Its rules name programs, and the servers that a line of the shell names need a rule as well. */
function allowingLine(line: string): readonly string[] {
  const programs = commandsIn(line).map((command) => command.split(" ", 1)[0]);
  const servers = line.match(/https?:\/\/[^\s/"']+/g) ?? [];
  return [
    ...[...new Set(programs)].map((program) => `--allow-tool=shell(${program})`),
    ...[...new Set(servers)].map((server) => `--allow-url=${server}`),
  ];
}

// One word each: a list would take the next argument as well.
function allowed({ commands }: Grant): readonly string[] {
  const begun = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => `shell(${start}:*)`);
  const exact = commands.flatMap(commandsIn).map((line) => `shell(${line})`);
  return ["planner", "write", ...begun, ...exact].map((rule) => `--allow-tool=${rule}`);
}

import { argumentsLine, commandsIn, deniedCall, type Grant, shellRules } from "./grant.ts";
import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

export const copilot: ProviderRow = {
  ...DEFAULT_ROW,
  title: "GitHub Copilot CLI",
  program: "copilot",
  // With the prompt on standard input it runs headless by itself.
  args: ["--output-format", "json", "--no-auto-update", "--additional-mcp-config", "@{mcp_config}"],
  guardedArgs: (grant) => (grant.task === "split" ? ["--deny-tool=write", "--deny-tool=shell"] : allowedTools(grant)),
  skipArgs: ["--allow-all"],
  skipWords: ["--allow-all", "--allow-all-tools", "--allow-all-paths", "--allow-all-urls", "--yolo", "--trust-folder"],
  // It reports its session only at its end: a run that is ended before could not be continued.
  resumeArgs: (session) => [`--session-id=${session}`],
  newSessionArgs: (session) => [`--session-id=${session}`],
  stream: "copilot",
  allowing(denied) {
    const calls = denied.map((what) => deniedCall(what, "bash"));
    const args = calls.flatMap(({ tool, line }) => (line === null ? [`--allow-tool=${tool}`] : rulesOfLine(line)));
    return argumentsLine("copilot", [...new Set(args)]);
  },
};

/** Its rules name programs, and the servers that a line of the shell names need a rule as well. */
function rulesOfLine(line: string): readonly string[] {
  const programs = commandsIn(line).map((command) => command.split(" ", 1)[0]);
  const servers = line.match(/https?:\/\/[^\s/"']+/g) ?? [];
  return [
    ...[...new Set(programs)].map((program) => `--allow-tool=shell(${program})`),
    ...[...new Set(servers)].map((server) => `--allow-url=${server}`),
  ];
}

// One word each: a list would take the next argument as well.
function allowedTools({ commands }: Grant): readonly string[] {
  return ["planner", "write", ...shellRules("shell", ":*", commands)].map((rule) => `--allow-tool=${rule}`);
}

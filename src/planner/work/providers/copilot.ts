import {
  type AgentGrant,
  buildShellRules,
  DEFAULT_ROW,
  formatArgumentsSetting,
  type ProviderRow,
  parseDeniedCall,
  splitShellCommands,
} from "./provider_row.ts";

export const copilotRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "GitHub Copilot CLI",
  program: "copilot",
  // With the prompt on standard input, copilot runs headless without a flag.
  args: ["--output-format", "json", "--no-auto-update", "--additional-mcp-config", "@{mcp_config}"],
  guardedArgs: (grant) =>
    grant.task === "split" ? ["--deny-tool=write", "--deny-tool=shell"] : buildAllowArguments(grant),
  skipArgs: ["--allow-all"],
  skipWords: ["--allow-all", "--allow-all-tools", "--allow-all-paths", "--allow-all-urls", "--yolo", "--trust-folder"],
  // Copilot reports its session only at its end, so a run that is killed earlier could not be continued.
  resumeArgs: (session) => [`--session-id=${session}`],
  newSessionArgs: (session) => [`--session-id=${session}`],
  stream: "copilot",
  buildAllowSetting(denied) {
    const calls = denied.map((what) => parseDeniedCall(what, "bash"));
    const args = calls.flatMap(({ tool, line }) =>
      line === null ? [`--allow-tool=${tool}`] : buildRulesForLine(line),
    );
    return formatArgumentsSetting("copilot", [...new Set(args)]);
  },
};

/** Returns the rules for a line of the shell, one for each command in it, because Copilot's rules name programs. */
function buildRulesForLine(line: string): readonly string[] {
  const programs = splitShellCommands(line).map((command) => command.split(" ", 1)[0]);
  const servers = line.match(/https?:\/\/[^\s/"']+/g) ?? [];
  return [
    ...[...new Set(programs)].map((program) => `--allow-tool=shell(${program})`),
    ...[...new Set(servers)].map((server) => `--allow-url=${server}`),
  ];
}

// Each rule is a separate argument, because copilot would read the next argument as part of a list.
function buildAllowArguments({ commands }: AgentGrant): readonly string[] {
  return ["planner", "write", ...buildShellRules("shell", ":*", commands)].map((rule) => `--allow-tool=${rule}`);
}

import { commandsIn, GIT_COMMANDS, type Grant, PLANNER_COMMANDS, ruleOf } from "./grant.ts";
import type { ProviderRow } from "./provider_row.ts";

export const claude: ProviderRow = {
  title: "Claude Code",
  program: "claude",
  // Version 2 refuses stream-json in print mode without --verbose. The strict flag keeps other servers out of the run.
  args: ["-p", "--output-format", "stream-json", "--verbose", "--mcp-config", "{mcp_config}", "--strict-mcp-config"],
  guardedArgs: ({ task, commands }) =>
    task === "split"
      ? ["--permission-mode", "default", "--disallowedTools", "Edit,Write,NotebookEdit"]
      : ["--permission-mode", "acceptEdits", "--settings", settings(commands)],
  skipArgs: ["--dangerously-skip-permissions"],
  skipWords: ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "bypassPermissions"],
  modelArgs: ["--model", "{model}"],
  resumeArgs: (session) => ["--resume", session],
  newSessionArgs: null,
  lastArgs: [],
  promptVia: "stdin",
  stream: "claude",
  mcp: null,
  runFile: null,
  env: {},
  writableArgs: null,
  exits: {},
  allowing: (denied) => `providers.claude.args: [--allowedTools, ${JSON.stringify(ruleOf(denied, "Bash"))}]`,
};

// As JSON, because a rule in --allowedTools ends at a comma or a blank.
function settings(commands: Grant["commands"]): string {
  const begun = [...GIT_COMMANDS, ...PLANNER_COMMANDS].map((start) => `Bash(${start}:*)`);
  const exact = commands.flatMap(commandsIn).map((line) => `Bash(${line})`);
  return JSON.stringify({ permissions: { allow: ["mcp__planner", ...begun, ...exact] } });
}

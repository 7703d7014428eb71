import { argumentsLine, type Grant, rulesOf, shellRules } from "./grant.ts";
import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

export const claude: ProviderRow = {
  ...DEFAULT_ROW,
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
  resumeArgs: (session) => ["--resume", session],
  stream: "claude",
  allowing: (denied) => argumentsLine("claude", ["--allowedTools", ...rulesOf(denied, "Bash")]),
};

/** Commands that only a person may run, denied even if the project's own settings allow every command of planner. */
const DENIED = ["approve", "trust"].map((name) => `Bash(planner ${name}:*)`);

// Written as JSON, because a rule in --allowedTools ends at a comma or a blank.
function settings(commands: Grant["commands"]): string {
  return JSON.stringify({
    permissions: { allow: ["mcp__planner", ...shellRules("Bash", ":*", commands)], deny: DENIED },
  });
}

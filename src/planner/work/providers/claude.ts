import {
  type AgentGrant,
  buildRulesForDenials,
  buildShellRules,
  DEFAULT_ROW,
  formatArgumentsSetting,
  type ProviderRow,
} from "./provider_row.ts";

export const claudeRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Claude Code",
  program: "claude",
  // Version 2 refuses stream-json in print mode without --verbose. The strict flag keeps other servers out of the run.
  args: ["-p", "--output-format", "stream-json", "--verbose", "--mcp-config", "{mcp_config}", "--strict-mcp-config"],
  guardedArgs: ({ task, commands }) =>
    task === "split"
      ? ["--permission-mode", "default", "--disallowedTools", "Edit,Write,NotebookEdit"]
      : ["--permission-mode", "acceptEdits", "--settings", buildPermissionSettings(commands)],
  skipArgs: ["--dangerously-skip-permissions"],
  skipWords: ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "bypassPermissions"],
  resumeArgs: (session) => ["--resume", session],
  stream: "claude",
  buildAllowSetting: (denied) =>
    formatArgumentsSetting("claude", ["--allowedTools", ...buildRulesForDenials(denied, "Bash")]),
};

/** Commands that only a person may run, denied even if the project's own settings allow every command of planner. */
const DENIED_RULES = ["approve", "trust"].map((name) => `Bash(planner ${name}:*)`);

// Written as JSON, because a rule in --allowedTools ends at a comma or a blank.
function buildPermissionSettings(commands: AgentGrant["commands"]): string {
  return JSON.stringify({
    permissions: { allow: ["mcp__planner", ...buildShellRules("Bash", ":*", commands)], deny: DENIED_RULES },
  });
}

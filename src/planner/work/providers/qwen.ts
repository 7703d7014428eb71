import {
  type AgentGrant,
  buildRulesForDenials,
  buildShellRules,
  DEFAULT_ROW,
  formatArgumentsSetting,
  type ProviderRow,
} from "./provider_row.ts";

export const qwenRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Qwen Code",
  program: "qwen",
  // Without a terminal and with the prompt on standard input, qwen runs headless without a flag.
  args: ["--output-format", "stream-json", "--mcp-config", "{mcp_config}"],
  guardedArgs: (grant) =>
    grant.task === "split"
      ? ["--approval-mode", "plan"]
      : ["--approval-mode", "default", ...buildAllowedTools(grant).flatMap((rule) => ["--allowed-tools", rule])],
  skipArgs: ["--approval-mode", "yolo"],
  skipWords: ["--yolo", "-y", "yolo"],
  resumeArgs: (session) => ["--resume", session],
  stream: "claude",
  buildAllowSetting: (denied) =>
    formatArgumentsSetting(
      "qwen",
      buildRulesForDenials(denied, "run_shell_command").flatMap((rule) => ["--allowed-tools", rule]),
    ),
};

function buildAllowedTools({ commands }: AgentGrant): readonly string[] {
  // A path in a rule begins at the worktree; the mode "auto-edit" would allow files anywhere.
  return ["mcp__planner", "edit(/**)", "write_file(/**)", ...buildShellRules("run_shell_command", " *", commands)];
}

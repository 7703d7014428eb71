import type { ProviderRow } from "./provider_row.ts";

export const claude: ProviderRow = {
  title: "Claude Code",
  program: "claude",
  // Version 2 refuses stream-json in print mode without --verbose. The strict flag keeps other servers out of the run.
  args: ["-p", "--output-format", "stream-json", "--verbose", "--mcp-config", "{mcp_config}", "--strict-mcp-config"],
  guardedArgs: [
    "--permission-mode",
    "acceptEdits",
    "--allowedTools",
    "mcp__planner,Bash(git add:*),Bash(git commit:*)",
  ],
  skipArgs: ["--dangerously-skip-permissions"],
  skipWords: ["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "bypassPermissions"],
  modelArgs: ["--model", "{model}"],
  lastArgs: [],
  promptVia: "stdin",
  stream: "claude",
  mcp: null,
  writableArgs: null,
  exits: {},
};

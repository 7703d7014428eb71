import { AGENT_CONFIG_FILES } from "../mcp_config/agent_files.ts";
import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

export const cursorAgentRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Cursor CLI",
  program: "cursor-agent",
  args: ["-p", "--output-format", "stream-json"],
  guardedArgs: () => [],
  // --approve-mcps approves every configured server, not only planner's.
  skipArgs: ["--force", "--approve-mcps", "--trust"],
  skipWords: ["--force", "-f", "--yolo", "--approve-mcps", "--trust"],
  resumeArgs: null,
  // Versions of cursor-agent differ in whether they read standard input.
  promptVia: "argument",
  stream: "cursor",
  mcp: { kind: "project_file", file: AGENT_CONFIG_FILES.cursor },
  buildAllowSetting: null,
};

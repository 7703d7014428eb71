import { AGENT_FILES } from "../mcp_config/agent_files.ts";
import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

export const cursorAgent: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Cursor CLI",
  program: "cursor-agent",
  args: ["-p", "--output-format", "stream-json"],
  guardedArgs: () => [],
  // --approve-mcps approves every server that is configured anywhere, not ours alone.
  skipArgs: ["--force", "--approve-mcps", "--trust"],
  skipWords: ["--force", "-f", "--yolo", "--approve-mcps", "--trust"],
  resumeArgs: null,
  // Its versions do not agree on whether standard input is read.
  promptVia: "argument",
  stream: "cursor",
  mcp: { kind: "project_file", file: AGENT_FILES.cursor },
  allowing: null,
};

import { AGENT_FILES } from "../mcp_config/agent_files.ts";
import type { ProviderRow } from "./provider_row.ts";

export const cursorAgent: ProviderRow = {
  title: "Cursor CLI",
  program: "cursor-agent",
  args: ["-p", "--output-format", "stream-json"],
  guardedArgs: () => [],
  // --approve-mcps approves every server that is configured anywhere, not ours alone.
  skipArgs: ["--force", "--approve-mcps", "--trust"],
  skipWords: ["--force", "-f", "--yolo", "--approve-mcps", "--trust"],
  modelArgs: ["--model", "{model}"],
  resumeArgs: null,
  newSessionArgs: null,
  lastArgs: [],
  // Its versions do not agree on whether standard input is read.
  promptVia: "argument",
  stream: "cursor",
  mcp: { kind: "project_file", file: AGENT_FILES.cursor },
  runFile: null,
  env: {},
  writableArgs: null,
  exits: {},
  allowing: null,
};

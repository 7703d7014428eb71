import { AGENT_FILES } from "../mcp_config/agent_files.ts";
import type { ProviderRow } from "./provider_row.ts";

export const gemini: ProviderRow = {
  title: "Gemini CLI",
  program: "gemini",
  // Without a terminal, and with the prompt on standard input, it runs headless by itself.
  args: ["--output-format", "stream-json"],
  guardedArgs: ["--approval-mode", "auto_edit"],
  skipArgs: ["--approval-mode", "yolo"],
  skipWords: ["--yolo", "-y", "yolo", "--skip-trust"],
  modelArgs: ["--model", "{model}"],
  lastArgs: [],
  promptVia: "stdin",
  stream: "gemini",
  mcp: { kind: "project_file", file: AGENT_FILES.gemini },
  writableArgs: null,
  exits: { 42: "it did not accept the prompt or an argument", 53: "it reached its limit of turns" },
};

import { AGENT_FILES } from "../mcp_config/agent_files.ts";
import type { ProviderRow } from "./provider_row.ts";

export const opencode: ProviderRow = {
  title: "opencode",
  program: "opencode",
  args: ["run", "--format", "json"],
  guardedArgs: [],
  skipArgs: ["--auto"],
  skipWords: ["--auto", "--yolo", "--dangerously-skip-permissions"],
  modelArgs: ["--model", "{model}"],
  lastArgs: [],
  // An argument with a blank in it would reach the model in quotes.
  promptVia: "stdin",
  stream: "opencode",
  mcp: { kind: "project_file", file: AGENT_FILES.opencode },
  writableArgs: null,
  exits: {},
};

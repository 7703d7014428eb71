import { AGENT_CONFIG_FILES } from "../mcp_config/agent_files.ts";
import { DEFAULT_ROW, type ProviderRow } from "./provider_row.ts";

export const kiroRow: ProviderRow = {
  ...DEFAULT_ROW,
  title: "Kiro CLI",
  program: "kiro-cli",
  args: ["chat", "--no-interactive"],
  // Kiro's two harnesses name their tools differently, so the configuration has to list the trusted tools.
  guardedArgs: () => [],
  skipArgs: ["--trust-all-tools"],
  skipWords: ["--trust-all-tools", "-a"],
  resumeArgs: null,
  stream: "text",
  mcp: { kind: "project_file", file: AGENT_CONFIG_FILES.kiro },
  exitMeanings: { 3: "an MCP server did not start", 4: "the name of the agent is unknown to it" },
  buildAllowSetting: null,
};

import { AGENT_FILES, type AgentFile, type McpServer, SERVER_NAME } from "#planner/work/mcp_config/agent_files.ts";
import type { ConfigEdit } from "#planner/work/mcp_config/config_edit.ts";

/** How an agent's project configuration is written; `files` in the order in which an existing one is looked for. */
export interface Agent {
  readonly title: string;
  /** Paths from the project root; the first that exists is extended, else the first is made. */
  readonly files: readonly [string, ...string[]];
  /** Note for the person who runs `init`, or null. */
  readonly note: string | null;
  extend(file: string, text: string): Promise<ConfigEdit>;
}

/** How every agent starts the server: the program of that name on its PATH. Source: docs/contract/spec-tool.md#init. */
const SERVER: McpServer = { command: "planner", args: ["mcp"] };

/**
 * Every agent that `init --agent` accepts. Each row was checked against the agent's own documentation in November 2026;
 * docs/cli.md names the pages. Source: docs/decisions.md#s-28
 */
export const AGENTS = {
  claude: agent("Claude Code", AGENT_FILES.claude, "Claude Code asks once whether to trust the project's servers"),
  cursor: agent("Cursor", AGENT_FILES.cursor),
  codex: {
    title: "Codex CLI",
    files: [".codex/config.toml"],
    note: "Codex reads it in a trusted project only",
    async extend(file, text) {
      const { extendToml } = await import("./toml_config.ts");
      return extendToml(file, text, ["mcp_servers", SERVER_NAME], { ...SERVER });
    },
  },
  gemini: agent("Gemini CLI", AGENT_FILES.gemini),
  opencode: agent("opencode", AGENT_FILES.opencode),
  kiro: agent("Kiro", AGENT_FILES.kiro),
  qwen: agent("Qwen Code", AGENT_FILES.qwen),
  copilot: agent("Copilot CLI", AGENT_FILES.copilot),
  vscode: agent("VS Code", AGENT_FILES.vscode),
  generic: agent("another agent that reads .mcp.json", AGENT_FILES.generic),
} as const satisfies Record<string, Agent>;

export type AgentName = keyof typeof AGENTS;

export const AGENT_NAMES = Object.keys(AGENTS) as readonly AgentName[];

function agent(title: string, { files, extend }: AgentFile, note: string | null = null): Agent {
  return { title, files, note, extend: (file, text) => extend(file, text, SERVER) };
}

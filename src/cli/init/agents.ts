import type { ConfigEdit, ServerEntry } from "./config_edit.ts";

/** How an agent's project configuration is written; `files` in the order in which an existing one is looked for. */
export interface Agent {
  readonly title: string;
  /** Paths from the project root; the first that exists is extended, else the first is made. */
  readonly files: readonly [string, ...string[]];
  /** What the person still has to know, or null. */
  readonly note: string | null;
  extend(file: string, text: string): Promise<ConfigEdit>;
}

/** How every agent starts the server: the program of that name on its PATH. Source: contract, point 4. */
const COMMAND = "planner";
const ARGS = ["mcp"] as const;
const NAME = "planner";

const STDIO: ServerEntry = { type: "stdio", command: COMMAND, args: ARGS };
const PLAIN: ServerEntry = { command: COMMAND, args: ARGS };

/**
 * Every agent that `init --agent` knows. Each row was checked against the agent's own documentation in November 2026;
 * docs/cli.md names the pages. Source: decision S-28
 */
export const AGENTS = {
  claude: {
    title: "Claude Code",
    files: [".mcp.json"],
    note: "Claude Code asks once whether to trust the project's servers",
    extend: (file, text) => json(file, text, ["mcpServers", NAME], STDIO),
  },
  cursor: {
    title: "Cursor",
    files: [".cursor/mcp.json"],
    note: null,
    extend: (file, text) => json(file, text, ["mcpServers", NAME], STDIO),
  },
  codex: {
    title: "Codex CLI",
    files: [".codex/config.toml"],
    note: "Codex reads it in a trusted project only",
    async extend(file, text) {
      const { extendToml } = await import("./toml_config.ts");
      return extendToml(file, text, ["mcp_servers", NAME], PLAIN);
    },
  },
  gemini: {
    title: "Gemini CLI",
    files: [".gemini/settings.json"],
    note: null,
    extend: (file, text) => json(file, text, ["mcpServers", NAME], PLAIN),
  },
  opencode: {
    title: "opencode",
    files: ["opencode.json", "opencode.jsonc"],
    note: null,
    extend: openCode,
  },
  kiro: {
    title: "Kiro",
    files: [".kiro/settings/mcp.json"],
    note: null,
    extend: (file, text) => json(file, text, ["mcpServers", NAME], PLAIN),
  },
  vscode: {
    title: "VS Code",
    files: [".vscode/mcp.json"],
    note: null,
    extend: (file, text) => json(file, text, ["servers", NAME], STDIO),
  },
  generic: {
    title: "another agent that reads .mcp.json",
    files: [".mcp.json"],
    note: null,
    extend: (file, text) => json(file, text, ["mcpServers", NAME], STDIO),
  },
} as const satisfies Record<string, Agent>;

export type AgentName = keyof typeof AGENTS;

export const AGENT_NAMES = Object.keys(AGENTS) as readonly AgentName[];

async function json(file: string, text: string, path: readonly string[], entry: ServerEntry): Promise<ConfigEdit> {
  const { extendJson } = await import("./json_config.ts");
  return extendJson(file, text, path, entry);
}

// Version 1 keeps servers right under "mcp", version 2 under "mcp.servers" but reads the older shape as well: a file
// that has the newer map gets its entry there, any other the shape that both read.
async function openCode(file: string, text: string): Promise<ConfigEdit> {
  const { extendJson, readJson } = await import("./json_config.ts");
  const servers = readJson(text, ["mcp", "servers"]);
  const isMap = typeof servers === "object" && servers !== null && !("type" in servers) && !("enabled" in servers);
  const older = readJson(text, ["mcp", NAME]) !== undefined;
  const entry = { type: "local", command: [COMMAND, ...ARGS] };
  if (isMap && !older) return extendJson(file, text, ["mcp", "servers", NAME], entry);
  return extendJson(file, text, ["mcp", NAME], { ...entry, enabled: true });
}

import { isEqualJson } from "#kernel/equal_json.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { ConfigEdit, ServerEntry } from "./config_edit.ts";

export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  /** True if the agent runs the server's tools without a person's confirmation. */
  readonly trusted?: boolean;
}

/**
 * An agent's own configuration file in a project. `files` lists candidates in the order in which an existing one is
 * searched.
 */
export interface AgentFile {
  /** Paths from the project root. The first existing file is extended; if none exists, the first is created. */
  readonly files: readonly [string, ...string[]];
  /** Adds the server to the file's text, which is empty for a file that does not exist yet. */
  extend(file: string, text: string, server: McpServer): Promise<ConfigEdit>;
}

/** Name of the server in every agent's configuration. Source: docs/contract/spec-tool.md#init. */
export const SERVER_NAME = "planner";

/** Field of Claude Code's entry that adds every tool of the server to the first message of each session. */
const ALWAYS_LOAD = "alwaysLoad";

/**
 * Schema line that opencode adds to a settings file without it. Planner writes it too, so that opencode leaves the file
 * unchanged.
 */
export const OPENCODE_SCHEMA = "https://opencode.ai/config.json";

/**
 * Files from which agents read a project's MCP servers, all JSON. Each row was checked against the agent's own
 * documentation in November 2026; docs/cli.md names the pages. Source: docs/decisions.md#s-22, docs/decisions.md#s-28.
 */
export const AGENT_FILES = {
  claude: { files: [".mcp.json"], extend: claude },
  generic: { files: [".mcp.json"], extend: sharedFile },
  cursor: {
    files: [".cursor/mcp.json"],
    extend: (file, text, server) => json(file, text, "mcpServers", stdio(server)),
  },
  gemini: {
    files: [".gemini/settings.json"],
    extend: (file, text, server) => json(file, text, "mcpServers", confirmedEntry(server)),
  },
  opencode: { files: ["opencode.json", "opencode.jsonc"], extend: openCode },
  kiro: {
    files: [".kiro/settings/mcp.json"],
    extend: (file, text, server) => json(file, text, "mcpServers", plainEntry(server)),
  },
  qwen: {
    files: [".qwen/settings.json"],
    extend: (file, text, server) => json(file, text, "mcpServers", plainEntry(server)),
  },
  copilot: {
    files: [".mcp.json", ".github/mcp.json"],
    extend: sharedFile,
  },
  vscode: { files: [".vscode/mcp.json"], extend: (file, text, server) => json(file, text, "servers", stdio(server)) },
} as const satisfies Record<string, AgentFile>;

/** Returns a complete `.mcp.json` text that lists only this server; null lists none. */
export function mcpConfigText(server: McpServer | null): string {
  const mcpServers = server === null ? {} : { [SERVER_NAME]: stdio(server) };
  return `${JSON.stringify({ mcpServers }, null, 2)}\n`;
}

function stdio({ command, args }: McpServer): ServerEntry {
  return { type: "stdio", command, args };
}

function plainEntry({ command, args }: McpServer): ServerEntry {
  return { command, args };
}

// Without a terminal, Gemini refuses tools that require consent; `trust` gives consent for planner's server only.
function confirmedEntry(server: McpServer): ServerEntry {
  return server.trusted === true ? { ...plainEntry(server), trust: true } : plainEntry(server);
}

async function json(file: string, text: string, list: string, entry: ServerEntry): Promise<ConfigEdit> {
  const { extendJson } = await import("./json_config.ts");
  return extendJson(file, text, [list, SERVER_NAME], entry);
}

// Claude Code omits a server's tools from the first message unless the entry requests them. An existing entry, which
// other agents may have written, gets the field added.
async function claude(file: string, text: string, server: McpServer): Promise<ConfigEdit> {
  const { extendJson, readJson } = await import("./json_config.ts");
  const path = ["mcpServers", SERVER_NAME];
  const isShared = isEqualJson(readJson(text, path), stdio(server));
  return isShared
    ? extendJson(file, text, [...path, ALWAYS_LOAD], true)
    : extendJson(file, text, path, { ...stdio(server), [ALWAYS_LOAD]: true });
}

// Agents that read the same file ignore Claude Code's extra field.
async function sharedFile(file: string, text: string, server: McpServer): Promise<ConfigEdit> {
  const { readJson } = await import("./json_config.ts");
  const loaded = { ...stdio(server), [ALWAYS_LOAD]: true };
  if (isEqualJson(readJson(text, ["mcpServers", SERVER_NAME]), loaded)) return { kind: "present" };
  return json(file, text, "mcpServers", stdio(server));
}

// Version 1 stores servers directly under "mcp", version 2 under "mcp.servers" but also reads the older form. A file
// with the newer map gets its entry there, any other file the form that both read.
async function openCode(file: string, given: string, { command, args }: McpServer): Promise<ConfigEdit> {
  const { extendJson, readJson } = await import("./json_config.ts");
  const text = given.trim() === "" ? `${JSON.stringify({ $schema: OPENCODE_SCHEMA }, null, 2)}\n` : given;
  const servers = readJson(text, ["mcp", "servers"]);
  const isMap = isJsonObject(servers) && !("type" in servers) && !("enabled" in servers);
  const older = readJson(text, ["mcp", SERVER_NAME]) !== undefined;
  const entry = { type: "local", command: [command, ...args] };
  if (isMap && !older) return extendJson(file, text, ["mcp", "servers", SERVER_NAME], entry);
  return extendJson(file, text, ["mcp", SERVER_NAME], { ...entry, enabled: true });
}

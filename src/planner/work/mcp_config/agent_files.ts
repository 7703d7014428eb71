import { isEqualJson, isJsonObject } from "#kernel/json_object.ts";
import type { ConfigEditResult, ServerEntry } from "./config_edit.ts";

export interface McpServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** True if the agent runs the server's tools without a person's confirmation. */
  readonly trusted?: boolean;
}

/** An agent's own configuration file in a project. `files` are the candidates, in the order of the search. */
export interface AgentConfigFile {
  /** Paths from the project root. The first existing file is extended; if none exists, the first is created. */
  readonly files: readonly [string, ...string[]];
  /** Adds the server to the file's text, which is empty for a file that does not exist yet. */
  extend(file: string, text: string, server: McpServerCommand): Promise<ConfigEditResult>;
}

/** Name of the server in every agent's configuration. Source: docs/contract/spec-tool.md#init. */
export const MCP_SERVER_NAME = "planner";

/** Field of Claude Code's entry that adds every tool of the server to the first message of each session. */
const ALWAYS_LOAD_FIELD = "alwaysLoad";

/** Value of `$schema`, which opencode would add to a settings file. Planner writes it to keep the file unchanged. */
export const OPENCODE_SCHEMA_URL = "https://opencode.ai/config.json";

/**
 * Files from which agents read a project's MCP servers, all JSON. Each row was checked against the agent's own
 * documentation in November 2026; docs/cli.md names the pages. Source: docs/decisions.md#s-22, docs/decisions.md#s-28.
 */
export const AGENT_CONFIG_FILES = {
  claude: { files: [".mcp.json"], extend: extendClaudeFile },
  generic: { files: [".mcp.json"], extend: extendSharedFile },
  cursor: createConfigFile(".cursor/mcp.json", buildStdioEntry),
  gemini: createConfigFile(".gemini/settings.json", buildTrustedEntry),
  opencode: { files: ["opencode.json", "opencode.jsonc"], extend: extendOpenCodeFile },
  kiro: createConfigFile(".kiro/settings/mcp.json", buildCommandEntry),
  qwen: createConfigFile(".qwen/settings.json", buildCommandEntry),
  copilot: { files: [".mcp.json", ".github/mcp.json"], extend: extendSharedFile },
  vscode: createConfigFile(".vscode/mcp.json", buildStdioEntry, "servers"),
} as const satisfies Record<string, AgentConfigFile>;

/** Returns a complete `.mcp.json` text that lists only this server; null lists none. */
export function buildMcpConfig(server: McpServerCommand | null): string {
  const mcpServers = server === null ? {} : { [MCP_SERVER_NAME]: buildStdioEntry(server) };
  return `${JSON.stringify({ mcpServers }, null, 2)}\n`;
}

/** Returns the row of an agent that reads its servers from the object `list` of one file. */
function createConfigFile(
  file: string,
  buildEntry: (server: McpServerCommand) => ServerEntry,
  list = "mcpServers",
): AgentConfigFile {
  return { files: [file], extend: (path, text, server) => extendJsonFile(path, text, list, buildEntry(server)) };
}

function buildStdioEntry({ command, args }: McpServerCommand): ServerEntry {
  return { type: "stdio", command, args };
}

function buildCommandEntry({ command, args }: McpServerCommand): ServerEntry {
  return { command, args };
}

// Without a terminal, Gemini refuses tools that require consent; `trust` gives consent for planner's server only.
function buildTrustedEntry(server: McpServerCommand): ServerEntry {
  return server.trusted === true ? { ...buildCommandEntry(server), trust: true } : buildCommandEntry(server);
}

async function extendJsonFile(file: string, text: string, list: string, entry: ServerEntry): Promise<ConfigEditResult> {
  const { extendJson } = await import("./json_config.ts");
  return extendJson(file, text, [list, MCP_SERVER_NAME], entry);
}

// Claude Code omits a server's tools from the first message unless the entry has the field `alwaysLoad`. Adds the field
// to an entry that another agent's setup has written.
async function extendClaudeFile(file: string, text: string, server: McpServerCommand): Promise<ConfigEditResult> {
  const { extendJson, readJsonValue } = await import("./json_config.ts");
  const path = ["mcpServers", MCP_SERVER_NAME];
  const isShared = isEqualJson(readJsonValue(text, path), buildStdioEntry(server));
  return isShared
    ? extendJson(file, text, [...path, ALWAYS_LOAD_FIELD], true)
    : extendJson(file, text, path, { ...buildStdioEntry(server), [ALWAYS_LOAD_FIELD]: true });
}

// Agents that read the same file ignore Claude Code's extra field.
async function extendSharedFile(file: string, text: string, server: McpServerCommand): Promise<ConfigEditResult> {
  const { readJsonValue } = await import("./json_config.ts");
  const loaded = { ...buildStdioEntry(server), [ALWAYS_LOAD_FIELD]: true };
  if (isEqualJson(readJsonValue(text, ["mcpServers", MCP_SERVER_NAME]), loaded)) return { kind: "present" };
  return extendJsonFile(file, text, "mcpServers", buildStdioEntry(server));
}

// Version 1 stores servers directly under "mcp". Version 2 stores them under "mcp.servers" and also reads the older
// form. The entry goes under "mcp.servers" if the file has that map, otherwise under "mcp", which both versions read.
async function extendOpenCodeFile(
  file: string,
  given: string,
  { command, args }: McpServerCommand,
): Promise<ConfigEditResult> {
  const { extendJson, readJsonValue } = await import("./json_config.ts");
  const text = given.trim() === "" ? `${JSON.stringify({ $schema: OPENCODE_SCHEMA_URL }, null, 2)}\n` : given;
  const servers = readJsonValue(text, ["mcp", "servers"]);
  const isMap = isJsonObject(servers) && !("type" in servers) && !("enabled" in servers);
  const hasOlderEntry = readJsonValue(text, ["mcp", MCP_SERVER_NAME]) !== undefined;
  const entry = { type: "local", command: [command, ...args] };
  if (isMap && !hasOlderEntry) return extendJson(file, text, ["mcp", "servers", MCP_SERVER_NAME], entry);
  return extendJson(file, text, ["mcp", MCP_SERVER_NAME], { ...entry, enabled: true });
}

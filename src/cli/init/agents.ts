import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { isJsonObject } from "#kernel/json_object.ts";
import { PROVIDER_NAMES, type ProviderName } from "#planner/config/config.ts";
import { isProgramAvailable } from "#planner/store/processes/agent_process.ts";
import {
  AGENT_CONFIG_FILES,
  type AgentConfigFile,
  MCP_SERVER_NAME,
  type McpServerCommand,
} from "#planner/work/mcp_config/agent_files.ts";
import {
  BYTE_ORDER_MARK,
  buildBrokenConfigError,
  buildUnfitConfigError,
  type ConfigEditResult,
  detectLineEnding,
  type ServerEntry,
} from "#planner/work/mcp_config/config_edit.ts";
import { PROVIDERS } from "#planner/work/providers.ts";

/** Configuration files of one agent. An existing file is searched in the order of `files`. */
export interface Agent {
  readonly title: string;
  /** Paths from the project root; the first existing one is extended, otherwise the first one is created. */
  readonly files: readonly [string, ...string[]];
  /** Note for the person who runs `init`, or null. */
  readonly note: string | null;
  extend(file: string, text: string): Promise<ConfigEditResult>;
}

/** Command by which agents start the server; its program must be on PATH. Source: docs/contract/spec-tool.md#init. */
const PLANNER_SERVER: McpServerCommand = { command: "planner", args: ["mcp"] };

/** Agents that `init --agent` accepts; docs/cli.md lists their documentation. Source: docs/decisions.md#s-28 */
export const AGENTS = {
  claude: createAgent(
    "Claude Code",
    AGENT_CONFIG_FILES.claude,
    "Claude Code asks once whether to trust the project's servers",
  ),
  cursor: createAgent("Cursor", AGENT_CONFIG_FILES.cursor),
  codex: {
    title: "Codex CLI",
    files: [".codex/config.toml"],
    note: "Codex reads it in a trusted project only",
    async extend(file, text) {
      return appendTomlTable(file, text, ["mcp_servers", MCP_SERVER_NAME], { ...PLANNER_SERVER });
    },
  },
  gemini: createAgent("Gemini CLI", AGENT_CONFIG_FILES.gemini),
  opencode: createAgent("opencode", AGENT_CONFIG_FILES.opencode),
  kiro: createAgent("Kiro", AGENT_CONFIG_FILES.kiro),
  qwen: createAgent("Qwen Code", AGENT_CONFIG_FILES.qwen),
  copilot: createAgent("Copilot CLI", AGENT_CONFIG_FILES.copilot),
  vscode: createAgent("VS Code", AGENT_CONFIG_FILES.vscode),
  generic: createAgent("another agent that reads .mcp.json", AGENT_CONFIG_FILES.generic),
} as const satisfies Record<string, Agent>;

export type AgentName = keyof typeof AGENTS;

export const AGENT_NAMES = Object.keys(AGENTS) as readonly AgentName[];

function createAgent(title: string, { files, extend }: AgentConfigFile, note: string | null = null): Agent {
  return { title, files, note, extend: (file, text) => extend(file, text, PLANNER_SERVER) };
}

/** The provider that starts each agent; agents that only assist a person in an editor have none. */
export const PROVIDER_BY_AGENT: Readonly<Partial<Record<AgentName, ProviderName>>> = {
  claude: "claude",
  cursor: "cursor-agent",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  kiro: "kiro",
  qwen: "qwen",
  copilot: "copilot",
};

/** Returns the providers whose program is on PATH, in the order of the table. */
export function findInstalledProviders(env: Readonly<Record<string, string | undefined>>): readonly ProviderName[] {
  if (env["PATH"] === undefined && env["Path"] === undefined) return [];
  return PROVIDER_NAMES.filter((name) => {
    const { program } = PROVIDERS[name];
    return program !== null && isProgramAvailable(program, env);
  });
}

/**
 * Appends a table to a TOML file; every existing byte stays.
 * @param path parts of the table's name, `["mcp_servers", "planner"]` for `[mcp_servers.planner]`; bare keys only
 * @throws OperationError with line and column for a file that does not parse, and for one to which the table cannot be
 * appended (an inline table `mcp_servers = { … }` cannot be extended)
 */
export function appendTomlTable(
  file: string,
  text: string,
  path: readonly string[],
  entry: ServerEntry,
): ConfigEditResult {
  const data = parseToml(file, text);
  const found = path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), data);
  if (found !== undefined) return { kind: isDeepStrictEqual(copyPlainValue(found), entry) ? "present" : "other" };
  const eol = detectLineEnding(text);
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${formatTomlValue(value)}`);
  const table = [`[${path.join(".")}]`, ...lines, ""].join(eol);
  const extended = text === "" ? table : `${text}${text.endsWith("\n") ? "" : eol}${eol}${table}`;
  if (!hasServerEntry(extended, data, path, entry)) {
    throw buildUnfitConfigError(file, `"${path[0]}" is written in a way that a table at the end cannot extend`);
  }
  return { kind: "added", text: extended };
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, reason = "unreadable"] = /^Invalid TOML document: (.*)$/m.exec(error.message) ?? [];
    throw buildBrokenConfigError(file, error, `not valid TOML, ${reason}`);
  }
}

function hasServerEntry(extended: string, before: unknown, path: readonly string[], entry: ServerEntry): boolean {
  try {
    const after = parse(extended.replace(BYTE_ORDER_MARK, ""));
    return isDeepStrictEqual(copyPlainValue(after), copyPlainValue(addServerEntry(before, path, entry)));
  } catch (error) {
    if (error instanceof TomlError) return false;
    throw error;
  }
}

function addServerEntry(data: unknown, path: readonly string[], entry: ServerEntry): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return entry;
  const table = isJsonObject(data) ? data : {};
  return { ...table, [key]: addServerEntry(table[key], rest, entry) };
}

// Copies a value into plain objects, because the parser's tables have no prototype and would not be deeply equal.
function copyPlainValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function formatTomlValue(value: string | boolean | readonly string[]): string {
  // For planner's simple values a TOML basic string equals a JSON string.
  return typeof value === "object"
    ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]`
    : JSON.stringify(value);
}

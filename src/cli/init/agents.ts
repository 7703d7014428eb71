import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { isJsonObject } from "#kernel/json_object.ts";
import { PROVIDER_NAMES, type ProviderName } from "#planner/config/config_values.ts";
import { isProgramThere } from "#planner/store/processes/agent_process.ts";
import { AGENT_FILES, type AgentFile, type McpServer, SERVER_NAME } from "#planner/work/mcp_config/agent_files.ts";
import {
  BYTE_ORDER_MARK,
  brokenConfig,
  type ConfigEdit,
  lineEnding,
  type ServerEntry,
  unfitConfig,
} from "#planner/work/mcp_config/config_edit.ts";
import { PROVIDERS } from "#planner/work/providers.ts";

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

/** The provider that starts an agent; those that only edit beside a person have none. */
export const PROVIDER_OF: Readonly<Partial<Record<AgentName, ProviderName>>> = {
  claude: "claude",
  cursor: "cursor-agent",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  kiro: "kiro",
  qwen: "qwen",
  copilot: "copilot",
};

/** The providers whose program is on PATH, in the order of the table. */
export function installedProviders(env: Readonly<Record<string, string | undefined>>): readonly ProviderName[] {
  if (env["PATH"] === undefined && env["Path"] === undefined) return [];
  return PROVIDER_NAMES.filter((name) => {
    const { program } = PROVIDERS[name];
    return program !== null && isProgramThere(program, env);
  });
}

/**
 * Adds a table to the end of a TOML file; every byte that was there stays.
 *
 * @param path the table's name in parts, `["mcp_servers", "planner"]` for `[mcp_servers.planner]`; bare keys only
 * @throws OperationError with line and column for a file that does not parse, and for one that cannot take the table
 *   at its end (an inline table `mcp_servers = { … }` is closed for good)
 */
export function extendToml(file: string, text: string, path: readonly string[], entry: ServerEntry): ConfigEdit {
  const data = parseToml(file, text);
  const found = path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), data);
  if (found !== undefined) return { kind: isDeepStrictEqual(plainValue(found), entry) ? "present" : "other" };
  const eol = lineEnding(text);
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`);
  const table = [`[${path.join(".")}]`, ...lines, ""].join(eol);
  const extended = text === "" ? table : `${text}${text.endsWith("\n") ? "" : eol}${eol}${table}`;
  if (!holdsEntry(extended, data, path, entry)) {
    throw unfitConfig(file, `"${path[0]}" is written in a way that a table at the end cannot extend`);
  }
  return { kind: "added", text: extended };
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, reason = "unreadable"] = /^Invalid TOML document: (.*)$/m.exec(error.message) ?? [];
    throw brokenConfig(file, error, `not valid TOML, ${reason}`);
  }
}

function holdsEntry(extended: string, before: unknown, path: readonly string[], entry: ServerEntry): boolean {
  try {
    const after = parse(extended.replace(BYTE_ORDER_MARK, ""));
    return isDeepStrictEqual(plainValue(after), plainValue(withEntry(before, path, entry)));
  } catch (error) {
    if (error instanceof TomlError) return false;
    throw error;
  }
}

function withEntry(data: unknown, path: readonly string[], entry: ServerEntry): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return entry;
  const table = isJsonObject(data) ? data : {};
  return { ...table, [key]: withEntry(table[key], rest, entry) };
}

// The parser's tables have no prototype, ours have one: only the data counts.
function plainValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function tomlValue(value: string | boolean | readonly string[]): string {
  // For our plain words a TOML basic string is a JSON string.
  return typeof value === "object"
    ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]`
    : JSON.stringify(value);
}

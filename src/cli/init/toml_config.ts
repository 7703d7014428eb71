import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { isJsonObject } from "#kernel/json_object.ts";
import {
  BYTE_ORDER_MARK,
  brokenConfig,
  type ConfigEdit,
  lineEnding,
  type ServerEntry,
  unfitConfig,
} from "#planner/work/mcp_config/config_edit.ts";

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
  if (found !== undefined) return { kind: isDeepStrictEqual(plain(found), entry) ? "present" : "other" };
  const eol = lineEnding(text);
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`);
  const table = [`[${path.join(".")}]`, ...lines, ""].join(eol);
  const extended = text === "" ? table : `${text}${text.endsWith("\n") ? "" : eol}${eol}${table}`;
  if (!holds(extended, data, path, entry)) {
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

function holds(extended: string, before: unknown, path: readonly string[], entry: ServerEntry): boolean {
  try {
    const after = parse(extended.replace(BYTE_ORDER_MARK, ""));
    return isDeepStrictEqual(plain(after), plain(withEntry(before, path, entry)));
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
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function tomlValue(value: string | boolean | readonly string[]): string {
  // For our plain words a TOML basic string is a JSON string.
  return typeof value === "object"
    ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]`
    : JSON.stringify(value);
}

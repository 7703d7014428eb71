import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { isEqualJson, isJsonObject } from "#kernel/json_object.ts";
import {
  BYTE_ORDER_MARK,
  buildBrokenConfigError,
  buildUnfitConfigError,
  type ConfigEditResult,
  detectLineEnding,
  findLineAndColumn,
  type ServerEntry,
} from "./config_edit.ts";

const LENIENT_PARSING = { allowTrailingComma: true, allowEmptyContent: true } as const;

type JsonEntry = ServerEntry | boolean | readonly string[] | { readonly [key: string]: JsonEntry };

interface JsonLayout {
  readonly unit: string;
  readonly eol: string;
}

/**
 * Adds a value to a JSON file at `path` and creates the missing objects of the path. Only inserts text, so that every
 * existing byte stays, including comments and unusual formatting.
 *
 * @param file name in error messages
 * @throws OperationError if the file does not parse, with line and column, or if `path` crosses a value that is not an
 *   object
 */
export function extendJson(
  file: string,
  text: string,
  path: readonly string[],
  entry: ServerEntry | true | readonly string[],
): ConfigEditResult {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const json = text.slice(mark.length);
  const root = parseJsonRoot(file, json);
  if (root === undefined) return { kind: "added", text: `${mark}${buildNewJson(path, entry, detectLineEnding(json))}` };
  const found = findNodeAtLocation(root, [...path]);
  if (found !== undefined) return { kind: isEqualJson(parseNode(json, found), entry) ? "present" : "other" };
  const { parent, depth } = findDeepestParent(file, root, path);
  const key = path[depth] ?? "";
  const value = nestEntry(path.slice(depth + 1), entry);
  const extended = insertMember(json, parent, (indent) =>
    indent === null ? renderInlineMember(key, value) : renderMember(key, value, indent, detectLayout(json)),
  );
  if (
    !isEqualJson(parse(extended, [], LENIENT_PARSING), buildExpectedData(parse(json, [], LENIENT_PARSING), path, entry))
  ) {
    throw buildUnfitConfigError(
      file,
      `"${path.slice(0, -1).join(".")}" is written in a way that cannot be extended safely`,
    );
  }
  return { kind: "added", text: mark + extended };
}

/**
 * Adds the missing texts to a list in a JSON file, as `extendJson` adds a value. Creates the list if it is absent.
 *
 * @throws OperationError as `extendJson`, and if the value at `path` is not a list
 */
export function extendJsonList(
  file: string,
  text: string,
  path: readonly string[],
  items: readonly string[],
): ConfigEditResult {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  let json = text.slice(mark.length);
  const root = parseJsonRoot(file, json);
  const list = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  if (list === undefined) return extendJson(file, text, path, items);
  const known: unknown = parseNode(json, list);
  if (!Array.isArray(known)) throw buildUnfitConfigError(file, `"${path.join(".")}" is no list`);
  const before: unknown = parse(json, [], LENIENT_PARSING);
  const missing = items.filter((item) => !known.includes(item));
  for (const item of missing) {
    const tree = parseJsonRoot(file, json);
    const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
    if (node !== undefined) json = insertMember(json, node, () => JSON.stringify(item));
  }
  if (!isEqualJson(parse(json, [], LENIENT_PARSING), buildExpectedData(before, path, [...known, ...missing]))) {
    throw buildUnfitConfigError(file, `"${path.join(".")}" is written in a way that cannot be extended safely`);
  }
  return missing.length === 0 ? { kind: "present" } : { kind: "added", text: mark + json };
}

/** Returns the value at `path`; undefined if the path does not exist. */
export function readJsonValue(text: string, path: readonly string[]): unknown {
  const root = parseTree(text.replace(BYTE_ORDER_MARK, ""), [], LENIENT_PARSING);
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return node === undefined ? undefined : parseNode(text.replace(BYTE_ORDER_MARK, ""), node);
}

function parseJsonRoot(file: string, json: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(json, errors, LENIENT_PARSING);
  const [error] = errors;
  if (error !== undefined) {
    const reason = printParseErrorCode(error.error)
      .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
      .toLowerCase();
    throw buildBrokenConfigError(file, findLineAndColumn(json, error.offset), `not valid JSON, ${reason}`);
  }
  if (root !== undefined && root.type !== "object") {
    throw buildBrokenConfigError(file, findLineAndColumn(json, root.offset), `expected an object, found ${root.type}`);
  }
  // A file of comments alone has no root, but a new document would replace the comments.
  if (root === undefined && json.trim() !== "") throw buildUnfitConfigError(file, "it holds no JSON object");
  return root;
}

function findDeepestParent(file: string, root: Node, path: readonly string[]): { parent: Node; depth: number } {
  let parent = root;
  for (const [depth, key] of path.entries()) {
    const next = findNodeAtLocation(parent, [key]);
    if (next === undefined) return { parent, depth };
    if (next.type !== "object")
      throw buildUnfitConfigError(file, `"${path.slice(0, depth + 1).join(".")}" is no object`);
    parent = next;
  }
  return { parent, depth: path.length };
}

function detectLayout(json: string): JsonLayout {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(json) ?? [];
  return { unit: indent.startsWith("\t") ? "\t" : indent, eol: detectLineEnding(json) };
}

/**
 * Inserts text after the last member of an object or a list.
 *
 * @param write returns the member's text on several lines with the given indent, or on one line if the indent is null
 */
function insertMember(json: string, parent: Node, write: (indent: string | null) => string): string {
  const { unit, eol } = detectLayout(json);
  const close = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const outer = getLineIndent(json, parent.offset);
  if (last === undefined) {
    const inner = outer + unit;
    const content = json.slice(parent.offset + 1, close);
    const member = `${eol}${inner}${write(inner)}`;
    // Inserts after the comments of an empty object, or directly after its bracket.
    const at = parent.offset + 1 + content.trimEnd().length;
    const ending = json.slice(at, close).includes("\n") ? "" : eol + outer;
    return json.slice(0, at) + member + ending + json.slice(at);
  }
  const end = last.offset + last.length;
  const comma = findCommaAfter(json.slice(0, close), end);
  const multiline = json.slice(parent.offset, close).includes("\n");
  // Inserts after the comments that follow the last member, so that they stay with it.
  const at = multiline ? json.slice(0, close).trimEnd().length : end;
  const isAtLineStart = json.slice(json.lastIndexOf("\n", last.offset - 1) + 1, last.offset).trim() === "";
  const inner = isAtLineStart ? getLineIndent(json, last.offset) : outer + unit;
  const member = multiline ? `${eol}${inner}${write(inner)}` : ` ${write(null)}`;
  if (comma !== undefined && multiline) return `${json.slice(0, at)}${member},${json.slice(at)}`;
  if (comma !== undefined) return json.slice(0, comma + 1) + member + json.slice(comma + 1);
  return `${json.slice(0, end)},${json.slice(end, at)}${member}${json.slice(at)}`;
}

// The scanner skips comments, so a comma within one does not count.
function findCommaAfter(json: string, end: number): number | undefined {
  const scanner = createScanner(json.slice(end), true);
  scanner.scan();
  const at = end + scanner.getTokenOffset();
  return json[at] === "," ? at : undefined;
}

function renderMember(key: string, value: JsonEntry, indent: string, layout: JsonLayout): string {
  if (!isJsonObject<JsonEntry>(value)) return renderInlineMember(key, value);
  const inner = indent + layout.unit;
  const lines = Object.entries(value).map(([name, each]) =>
    isJsonObject<JsonEntry>(each)
      ? `${inner}${renderMember(name, each, inner, layout)}`
      : `${inner}${JSON.stringify(name)}: ${renderInlineValue(each)}`,
  );
  return `${JSON.stringify(key)}: {${layout.eol}${lines.join(`,${layout.eol}`)}${layout.eol}${indent}}`;
}

function renderInlineMember(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${renderInlineValue(value)}`;
}

function renderInlineValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => renderInlineMember(name, each))
    .join(", ")} }`;
}

function buildNewJson(path: readonly string[], entry: JsonEntry, eol: string): string {
  const [first = "", ...rest] = path;
  const layout = { unit: "  ", eol };
  return `{${eol}  ${renderMember(first, nestEntry(rest, entry), "  ", layout)}${eol}}${eol}`;
}

function nestEntry(path: readonly string[], entry: JsonEntry): JsonEntry {
  return path.reduceRight<JsonEntry>((inner, key) => ({ [key]: inner }), entry);
}

function buildExpectedData(data: unknown, path: readonly string[], entry: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return entry;
  const object = isJsonObject(data) ? data : {};
  return { ...object, [key]: buildExpectedData(object[key], rest, entry) };
}

function parseNode(json: string, node: Node): unknown {
  return parse(json.slice(node.offset, node.offset + node.length), [], LENIENT_PARSING);
}

function getLineIndent(json: string, offset: number): string {
  const line = json.slice(json.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  Parser,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { isJsonObject } from "#kernel/json_object.ts";
import { MAX_FRONTMATTER_ALIASES, MAX_FRONTMATTER_DEPTH } from "../limits.ts";
import type { TextProblem } from "./spec.ts";
import { type FrontmatterRange, splitText } from "./split_text.ts";
import { locateOffset } from "./text_lines.ts";

/** A value that a frontmatter field may be set to. Numbers must be finite. */
export type FieldValue =
  | string
  | boolean
  | number
  | readonly string[]
  | { readonly [key: string]: string | boolean | number | readonly string[] };

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

/** Returns the value as the parser would read it: in fields that keep their text, numbers and booleans become texts. */
export function convertToParsedValue(value: FieldValue, path: readonly string[]): unknown {
  if (isTextList(value)) return value;
  if (isJsonObject<FieldValue>(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, convertToParsedValue(inner, [...path, key])]),
    );
  }
  return keepsWrittenText(path) ? String(value) : value;
}

/** Returns whether two parsed frontmatter values are equal, ignoring the order of keys. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameValue(item, b[index]));
  }
  if (isJsonObject<FieldValue>(a) && isJsonObject<FieldValue>(b)) {
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    return keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]));
  }
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/**
 * Fields whose scalars keep their written text, so that `model: 1.10` or `labels: [007]` lose no digits; null and
 * nested structures are parsed. For a list the rule applies to the items.
 */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "status",
  "title",
  "description",
  "type",
  "depends_on",
  "labels",
  "target_files",
  "model",
  "output_schema",
  "context",
  "prompt",
  "branch",
  "commits",
  "commit",
  "completed_at",
  "members",
  "tracks",
  "informed_by",
  "origin",
  "assignee",
  "due",
]);

const APPROVAL_TEXTS: ReadonlySet<string> = new Set(["status", "by", "at"]);

/** Returns whether scalars directly under `path` (keys from the top) keep their written text. */
export function keepsWrittenText(path: readonly string[]): boolean {
  if (path.length === 1) return TEXT_FIELDS.has(path[0] ?? "");
  return path.length === 2 && path[0] === "approval" && APPROVAL_TEXTS.has(path[1] ?? "");
}

/** A location in a file; line and column count from 1, the column in characters. */
export interface TextLocation {
  readonly line: number;
  readonly column: number;
}

/** Keys and list indexes from the top of the frontmatter: `["depends_on", 1]`. */
export type FieldPath = readonly (string | number)[];

/**
 * Creates a function that locates the values of a text's frontmatter. An absent or empty value has the location of its
 * key, and so has every path below it. A path whose first key is not in the frontmatter has no location.
 *
 * Cost: one YAML parse of the frontmatter, at the first call.
 */
export function createFrontmatterLocator(
  text: string,
): (path: FieldPath, of?: "value" | "key") => TextLocation | undefined {
  let document: Document | undefined;
  const split = splitText(text);
  const range = split.ok ? split.range : null;
  return (path, of = "value") => {
    if (range === null) return undefined;
    document ??= parseDocument(extractYaml(text, range), { logLevel: "silent", prettyErrors: false });
    const at = findPathOffset(document.contents, path, of);
    return at === undefined ? undefined : locateOffset(text, range.start + at);
  };
}

function findPathOffset(root: unknown, path: FieldPath, of: "value" | "key"): number | undefined {
  let at: number | undefined;
  let node = root;
  for (const [index, step] of path.entries()) {
    const next = isMap(node) ? findEntry(node.items, step) : isSeq(node) ? findItem(node.items, step) : undefined;
    if (next === undefined) break;
    node = next.value;
    const key = getValueStart(next.key);
    at = (of === "key" && index === path.length - 1 ? key : undefined) ?? getValueStart(node) ?? key ?? at;
  }
  return at;
}

interface NodeEntry {
  readonly key: unknown;
  readonly value: unknown;
}

function findEntry(items: readonly NodeEntry[], step: string | number): NodeEntry | undefined {
  return items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
}

function findItem(items: readonly unknown[], step: string | number): NodeEntry | undefined {
  return typeof step === "number" && step < items.length ? { key: undefined, value: items[step] } : undefined;
}

/** Returns the offset of a value; undefined for an empty value, whose range is empty. */
function getValueStart(value: unknown): number | undefined {
  const range = isNode(value) ? (value as Node).range : null;
  return range === null || range === undefined || range[0] === range[1] ? undefined : range[0];
}

/** A node of the concrete syntax tree, which includes comments and blanks. Offsets are in the YAML text. */
export type Token = CST.Token;
export type MapToken = CST.BlockMap | CST.FlowCollection;
export type SequenceToken = CST.BlockSequence | CST.FlowCollection;
export type ItemToken = CST.BlockMap["items"][number] | CST.FlowCollection["items"][number];

/**
 * Options of the parser for plain YAML 1.2 data, without tags, engines and merge keys. Callers check for repeated keys
 * themselves, because the parser compares each key with all others, which takes seconds for 50,000.
 */
export const PLAIN_YAML_OPTIONS = {
  version: "1.2",
  resolveKnownTags: false,
  merge: false,
  strict: true,
  stringKeys: true,
  uniqueKeys: false,
  logLevel: "silent",
} as const;

/** Parses YAML into tokens without recursion, so that it accepts any nesting. Offsets are those of `yaml`. */
export function parseTokens(yaml: string): readonly Token[] {
  return [...new Parser().parse(yaml)];
}

/** Returns the mapping at the top of the document, or undefined for an empty document. */
export function findRootMap(tokens: readonly Token[]): MapToken | undefined {
  const document = tokens.find((token) => token.type === "document");
  const root = document?.type === "document" ? document.value : undefined;
  return root?.type === "block-map" || root?.type === "flow-collection" ? root : undefined;
}

/** Returns the offset of a collection nested deeper than `limit` levels, or undefined if no collection is. */
export function findTooDeepOffset(tokens: readonly Token[], limit: number): number | undefined {
  return findToken(tokens, (_token, depth) => depth > limit)?.offset;
}

/** Returns the offset of the first quoted scalar without a closing quote; undefined if each has one. */
function findOpenQuote(tokens: readonly Token[]): number | undefined {
  return findToken(tokens, (token) => isOpenQuote(token))?.offset;
}

function isOpenQuote(token: Token): boolean {
  if (token.type === "single-quoted-scalar") return !/^'(?:[^']|'')*'$/.test(token.source);
  return token.type === "double-quoted-scalar" && !/^"(?:[^"\\]|\\[\s\S])*"$/.test(token.source);
}

function findToken(tokens: readonly Token[], isWanted: (token: Token, depth: number) => boolean): Token | undefined {
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (isWanted(token, depth)) return token;
    for (const child of listChildren(token)) waiting.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

/** Returns whether an item has content: `[a, ]` has an item after the comma that contains only the comma. */
export function hasItemContent(item: ItemToken): boolean {
  return item.key != null || item.value !== undefined || item.sep !== undefined || item.start.some(isPropertyToken);
}

/** Returns the offset of an item's first character: `-` or `?`, anchor, tag, key or value, not the comma before. */
export function findItemStart(item: ItemToken): number {
  const first =
    item.start.find((token) => !isFillerToken(token)) ??
    item.key ??
    item.sep?.find((token) => !isFillerToken(token)) ??
    item.value;
  return first?.offset ?? 0;
}

/** Returns the offset after an item's last character that is not a blank, comment or line break. */
export function findItemEnd(item: ItemToken): number {
  if (item.value !== undefined) return findTokenEnd(item.value);
  const last = [...item.start, ...(item.sep ?? [])].findLast((token) => !isFillerToken(token));
  const keyEnd = item.key == null ? 0 : findTokenEnd(item.key);
  return Math.max(keyEnd, last === undefined ? 0 : last.offset + last.source.length);
}

/** Returns the offset after a token's content, without the blanks, comments and line breaks after it. */
export function findTokenEnd(token: Token): number {
  switch (token.type) {
    case "block-map":
    case "block-seq": {
      const last = token.items.findLast(hasItemContent);
      return last === undefined ? token.offset : findItemEnd(last);
    }
    case "flow-collection":
      return (token.end[0]?.offset ?? token.offset) + 1;
    case "block-scalar":
      return findBlockScalarEnd(token);
    case "document":
      return token.value === undefined ? token.offset : findTokenEnd(token.value);
    default:
      return token.offset + ("source" in token ? token.source.length : 0);
  }
}

/** Returns the header of a block scalar (`|`, `>-`), which follows an anchor or tag and precedes a comment. */
export function findBlockHeader(token: CST.BlockScalar): CST.SourceToken | undefined {
  return token.props.find((prop): prop is CST.SourceToken => prop.type === "block-scalar-header");
}

function findBlockScalarEnd(token: CST.BlockScalar): number {
  const header = findBlockHeader(token);
  const content = token.source.trimEnd();
  if (content === "") return header === undefined ? token.offset : header.offset + header.source.length;
  const last = token.props.at(-1);
  const start = last === undefined || !("source" in last) ? token.offset : last.offset + last.source.length;
  return start + content.length;
}

function listChildren(token: Token): readonly Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value].filter((child) => child != null));
}

function isPropertyToken({ type }: CST.SourceToken): boolean {
  return type !== "comma" && type !== "space" && type !== "newline" && type !== "comment";
}

function isFillerToken(token: CST.SourceToken): boolean {
  return !isPropertyToken(token);
}

type ParsedFrontmatter =
  | { readonly ok: true; readonly fields: Record<string, unknown> }
  | { readonly ok: false; readonly problem: TextProblem };

const COMPOSER_OPTIONS = { ...PLAIN_YAML_OPTIONS, schema: "core" } as const;

/** Messages that replace the parser's for the most frequent mistakes. */
const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'Unexpected second ":" on the line: expected quotes around a value that holds ": "',
  NON_STRING_KEY: "Invalid key: expected a text",
  TAB_AS_INDENT: "Invalid indentation: expected spaces, got a tab",
};

/** Offset and message of an error in the YAML. */
interface YamlProblem {
  readonly at: number;
  readonly message: string;
}

/** Returns the YAML in `range` as the parser receives it; its offsets are the file's minus `range.start`. */
export function extractYaml(text: string, range: FrontmatterRange): string {
  // A lone CR is a line break in YAML 1.2, but the parser does not treat it as one. The replacement keeps all
  // offsets.
  return text.slice(range.start, range.end).replace(/\r(?!\n)/g, "\n");
}

/** Parses the YAML in `range` of the file `text`; never throws. Source: docs/decisions.md#s-07. */
export function parseFrontmatter(text: string, range: FrontmatterRange): ParsedFrontmatter {
  const result = parseYaml(extractYaml(text, range));
  if (!("at" in result)) return { ok: true, fields: result.fields };
  return { ok: false, problem: { ...locateOffset(text, range.start + result.at), message: result.message } };
}

function parseYaml(yaml: string): { readonly fields: Record<string, unknown> } | YamlProblem {
  const tokens = parseTokens(yaml);
  const deep = findTooDeepOffset(tokens, MAX_FRONTMATTER_DEPTH);
  if (deep !== undefined)
    return { at: deep, message: `Nested too deeply: expected at most ${MAX_FRONTMATTER_DEPTH} levels` };
  const [document, second] = [...new Composer(COMPOSER_OPTIONS).compose(tokens, true, yaml.length)];
  if (document === undefined) return { fields: Object.create(null) };
  // The parser only warns about a closing bracket at the column of its key, and every reader accepts it.
  const error = document.errors[0] ?? document.warnings.find(({ code }) => code !== "BAD_INDENT");
  if (error !== undefined) return convertYamlError(error, tokens);
  if (second !== undefined)
    return { at: second.range[0], message: "Unexpected document marker: expected one document" };
  const root = document.contents;
  if (root === null || isEmptyNode(root)) return { fields: Object.create(null) };
  if (!isMap(root))
    return { at: root.range?.[0] ?? 0, message: "Frontmatter is not a mapping: expected keys and values" };
  const reader = new FieldReader(document);
  const fields = reader.readFields(root);
  return reader.fault ?? { fields };
}

function isEmptyNode(node: Node): boolean {
  return isScalar(node) && node.source === "" && node.tag === undefined && node.anchor === undefined;
}

function convertYamlError({ code, message, pos: [at] }: YAMLError, tokens: readonly Token[]): YamlProblem {
  if (code === "TAG_RESOLVE_FAILED") return { at, message: `${message}: expected plain data without tags` };
  // An unclosed quote includes all text after it, so the error points to the opening quote.
  const open = message.startsWith("Missing closing") ? findOpenQuote(tokens) : undefined;
  if (open !== undefined) return { at: open, message: "Quote is not closed: expected another one like it" };
  return { at, message: ERROR_MESSAGES[code] ?? message.replace(/\.$/, "") };
}

/** Converts the nodes of one document to plain data and stores the first error in them. */
class FieldReader {
  readonly #document: Document;
  #aliases = 0;
  fault: YamlProblem | undefined;

  constructor(document: Document) {
    this.#document = document;
  }

  readFields(map: YAMLMap): Record<string, unknown> {
    const fields: Record<string, unknown> = Object.create(null);
    for (const [name, value] of this.#iterateEntries(map)) fields[name] = this.#readValue(value, [name]);
    return fields;
  }

  *#iterateEntries(map: YAMLMap): Generator<[string, Node | null]> {
    const names = new Set<string>();
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.value ?? "") : "";
      if (names.has(name)) this.#recordProblem(key, `Duplicate key "${name}"`);
      names.add(name);
      yield [name, value as Node | null];
    }
  }

  #readValue(node: Node | null, path: readonly string[]): unknown {
    if (isAlias(node)) {
      const target = this.#resolveAlias(node);
      return target === undefined ? null : this.#readValue(target, path);
    }
    if (isSeq(node)) return node.items.map((item) => this.#readValue(item as Node | null, path));
    if (isMap(node)) return this.#readMapping(node, path);
    if (!isScalar(node)) return null;
    return node.value !== null && keepsWrittenText(path) ? (node.source ?? String(node.value)) : node.value;
  }

  #readMapping(map: YAMLMap, path: readonly string[]): Record<string, unknown> {
    // An assignment to the name `__proto__` would set the prototype.
    return Object.fromEntries(
      [...this.#iterateEntries(map)].map(([name, value]) => [name, this.#readValue(value, [...path, name])]),
    );
  }

  #resolveAlias(alias: Node & { resolve(document: Document): Node | undefined }): Node | undefined {
    this.#aliases++;
    if (this.#aliases > MAX_FRONTMATTER_ALIASES) {
      this.#recordProblem(alias, `Too many aliases: expected at most ${MAX_FRONTMATTER_ALIASES}`);
      return undefined;
    }
    const target = alias.resolve(this.#document);
    if (target === undefined) this.#recordProblem(alias, "Unknown alias: expected an anchor of that name before it");
    return target;
  }

  #recordProblem(node: unknown, message: string): void {
    const range = (node as Node | null)?.range;
    this.fault ??= { at: range?.[0] ?? 0, message };
  }
}

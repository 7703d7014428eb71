import matter from "gray-matter";
import { Composer, type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { MAX_FRONTMATTER_ALIASES, MAX_FRONTMATTER_CHARS, MAX_FRONTMATTER_DEPTH } from "../limits.ts";
import { findTooDeepOffset, PLAIN_YAML_OPTIONS, parseTokens } from "../spec/full_frontmatter.ts";
import type { TextProblem } from "../spec/spec.ts";
import { splitText } from "../spec/split_text.ts";
import { countLineBreaks, locateOffset } from "../spec/text_lines.ts";
import type { FieldText } from "./source.ts";

/** A value of another tool's YAML. Scalars keep their written text, so the id `4.10` does not become the number 4.1. */
export type ForeignValue = string | readonly ForeignValue[] | { readonly [key: string]: ForeignValue };

/** The top-level keys of a mapping, with each key's line in the whole text. */
export interface ForeignFields {
  readonly values: ReadonlyMap<string, ForeignValue>;
  readonly lines: ReadonlyMap<string, number>;
}

type ForeignMarkdown =
  | (ForeignFields & { readonly ok: true; readonly body: string; readonly bodyLine: number })
  | { readonly ok: false; readonly problem: TextProblem };

const FAILSAFE_OPTIONS = { ...PLAIN_YAML_OPTIONS, schema: "failsafe" } as const;

/** A plain value that begins with a character that YAML reserves; people write `@` in names such as `@ada`. */
const RESERVED_START_PATTERN = /^(\s*(?:-\s+)?(?:[\w-]+:\s+)?)([@`%].*?)(\s*)$/;

/** Matches a value with a reserved first character in a flow list such as `[a, b]`. */
const RESERVED_ITEM_PATTERN = /([[,]\s*)([@`%][^,\]]*)/g;

/** Frontmatter without a field. */
export const NO_FIELDS: ForeignFields = { values: new Map(), lines: new Map() };

/** Engines of gray-matter for languages other than YAML, which throw: gray-matter would run JavaScript in the file. */
const OTHER_LANGUAGE_ENGINES = Object.fromEntries(
  ["json", "javascript", "coffee"].map((name) => [name, refuseOtherLanguage]),
);

function refuseOtherLanguage(): never {
  throw new Error("Frontmatter in another language than YAML is not read");
}

/**
 * Parses Markdown with YAML frontmatter by gray-matter, as the tools that wrote it do, with planner's YAML parser as
 * its engine. A file that gray-matter splits at another line than planner is a problem. Never throws, runs no code.
 */
export function readForeignMarkdown(text: string): ForeignMarkdown {
  const split = splitText(text);
  if (!split.ok) return split;
  const { mark, range } = split;
  if (range === null) {
    return { ok: true, ...NO_FIELDS, body: text.slice(mark), bodyLine: 1 };
  }
  // gray-matter's block includes the line break after the opening fence and excludes the last one.
  const yaml = { parse: (block: string) => readForeignYaml(`${block.replace(/^\r?\n/, "")}\n`, 1) };
  const { content, data, matter: block } = matter(text, { engines: { ...OTHER_LANGUAGE_ENGINES, yaml } });
  // gray-matter does not call its engine for frontmatter without a field.
  const fields: ForeignFields & { readonly problem?: TextProblem } = { ...NO_FIELDS, ...data };
  if (fields.problem !== undefined) return { ok: false, problem: fields.problem };
  if (text.length - content.length !== range.bodyStart) {
    const message = 'The tools that write such files end frontmatter at any line that begins with "---": expected one';
    return { ok: false, problem: { line: countLineBreaks(block, 0, block.length) + 2, column: 1, message } };
  }
  const bodyLine = countLineBreaks(text, 0, range.bodyStart) + 1;
  return { ok: true, ...fields, body: content, bodyLine };
}

/** Parses YAML text that follows `before` lines of its file. */
export function readForeignYaml(yaml: string, before = 0): ForeignFields | { readonly problem: TextProblem } {
  if (yaml.length > MAX_FRONTMATTER_CHARS) {
    const message = `YAML is too long: expected at most ${MAX_FRONTMATTER_CHARS} characters`;
    return { problem: { line: before + 1, column: 1, message } };
  }
  const strict = parseYaml(yaml, before);
  if (!("problem" in strict)) return strict;
  const repaired = yaml.split("\n").map(quoteReservedStart).join("\n");
  if (repaired === yaml) return strict;
  const again = parseYaml(repaired, before);
  return "problem" in again ? strict : again;
}

function quoteReservedStart(line: string): string {
  const quoteValue = (value: string): string => `'${value.trimEnd().replaceAll("'", "''")}'`;
  return line
    .replace(
      RESERVED_START_PATTERN,
      (_all, before: string, value: string, after: string) => `${before}${quoteValue(value)}${after}`,
    )
    .replaceAll(RESERVED_ITEM_PATTERN, (_all, before: string, value: string) => `${before}${quoteValue(value)}`);
}

function parseYaml(yaml: string, before: number): ForeignFields | { readonly problem: TextProblem } {
  const text = yaml.replace(/\r(?!\n)/g, "\n");
  const createProblem = (at: number, message: string) => {
    const { line, column } = locateOffset(text, at);
    return { problem: { line: line + before, column, message } };
  };
  const tokens = parseTokens(text);
  const deep = findTooDeepOffset(tokens, MAX_FRONTMATTER_DEPTH);
  if (deep !== undefined)
    return createProblem(deep, `Nested too deeply: expected at most ${MAX_FRONTMATTER_DEPTH} levels`);
  const [document] = [...new Composer(FAILSAFE_OPTIONS).compose(tokens, true, text.length)];
  if (document === undefined) return NO_FIELDS;
  const [error] = document.errors;
  if (error !== undefined) return createProblem(error.pos[0], error.message.replace(/\.$/, ""));
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === "")) return NO_FIELDS;
  if (!isMap(root)) return createProblem(0, "Frontmatter is not a mapping: expected keys and values");
  const reader = new YamlValueReader(document);
  const values = reader.readEntries(root);
  if (reader.fault !== undefined) return createProblem(reader.fault.at, reader.fault.message);
  const lines = new Map(
    root.items.flatMap(({ key }) =>
      isScalar(key) ? [[String(key.value), locateOffset(text, key.range?.[0] ?? 0).line + before] as const] : [],
    ),
  );
  return { values, lines };
}

class YamlValueReader {
  readonly #document: Document;
  #aliases = 0;
  fault: { readonly at: number; readonly message: string } | undefined;

  constructor(document: Document) {
    this.#document = document;
  }

  readEntries(map: YAMLMap): Map<string, ForeignValue> {
    const values = new Map<string, ForeignValue>();
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.value ?? "") : "";
      if (values.has(name)) this.#recordFault(key, `Duplicate key "${name}"`);
      values.set(name, this.#readValue(value as Node | null));
    }
    return values;
  }

  #readValue(node: Node | null): ForeignValue {
    if (isAlias(node)) return this.#readAlias(node);
    if (isSeq(node)) return node.items.map((item) => this.#readValue(item as Node | null));
    if (isMap(node)) return Object.fromEntries(this.readEntries(node));
    return isScalar(node) && node.value !== null ? String(node.value) : "";
  }

  #readAlias(node: Node & { resolve(document: Document): Node | undefined }): ForeignValue {
    this.#aliases++;
    const target = this.#aliases > MAX_FRONTMATTER_ALIASES ? undefined : node.resolve(this.#document);
    if (target !== undefined) return this.#readValue(target);
    this.#recordFault(node, `Unknown alias, or more than ${MAX_FRONTMATTER_ALIASES} of them`);
    return "";
  }

  #recordFault(node: unknown, message: string): void {
    this.fault ??= { at: (node as Node | null)?.range?.[0] ?? 0, message };
  }
}

/** Returns the text of a field, or undefined if it is absent, empty, null or not a text. */
export function getFieldText({ values }: ForeignFields, name: string): string | undefined {
  return parseForeignText(values.get(name));
}

/** Returns the texts of a list field; a single text counts as a list of one. */
export function getFieldTexts({ values }: ForeignFields, name: string): readonly string[] {
  const value = values.get(name);
  const items = Array.isArray(value) ? value : [value];
  return items.map(parseForeignText).filter((text) => text !== undefined);
}

/** Picks the fields whose value is a text or a list of texts. */
export function pickTextFields(fields: ForeignFields, names: readonly string[]): Record<string, FieldText> {
  const found: Record<string, FieldText> = {};
  for (const name of names) {
    const isList = Array.isArray(fields.values.get(name));
    const list = isList ? getFieldTexts(fields, name) : [];
    const text = getFieldText(fields, name);
    if (list.length > 0) found[name] = list;
    else if (text !== undefined) found[name] = text;
  }
  return found;
}

function parseForeignText(value: ForeignValue | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text === "null" || text === "~" ? undefined : text;
}

import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { MAX_FRONTMATTER_ALIASES, MAX_FRONTMATTER_DEPTH } from "../limits.ts";
import { keepsWrittenText } from "./field_value.ts";
import type { TextProblem } from "./spec.ts";
import type { FrontmatterRange } from "./split_text.ts";
import { locateOffset } from "./text_lines.ts";
import { findOpenQuote, findTooDeepOffset, PLAIN_YAML_OPTIONS, parseTokens, type Token } from "./yaml_tokens.ts";

export type ParsedFrontmatter =
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

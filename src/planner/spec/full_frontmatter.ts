import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from "yaml";
import type { TextProblem } from "./spec.ts";
import type { FrontmatterRange } from "./split_text.ts";
import { keepsText } from "./text_fields.ts";
import { placeOf } from "./text_lines.ts";

export type ParsedFrontmatter =
  | { readonly ok: true; readonly fields: Record<string, unknown> }
  | { readonly ok: false; readonly problem: TextProblem };

const OPTIONS = {
  version: "1.2",
  schema: "core",
  merge: false,
  strict: true,
  stringKeys: true,
  uniqueKeys: true,
  prettyErrors: false,
  logLevel: "silent",
} as const;

/** Parses the YAML in `range` of the file `text`; never throws. */
export function parseFrontmatter(text: string, range: FrontmatterRange): ParsedFrontmatter {
  // A lone CR is a line break in YAML 1.2, which the parser does not know; the same length keeps every offset.
  const yaml = text.slice(range.start, range.end).replace(/\r(?!\n)/g, "\n");
  const refuse = (at: number, message: string): ParsedFrontmatter => ({
    ok: false,
    problem: { ...placeOf(text, range.start + at), message },
  });
  const document = parseDocument(yaml, OPTIONS);
  const error = document.errors[0] ?? document.warnings[0];
  if (error !== undefined) return refuse(error.pos[0], error.message);
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) return { ok: true, fields: Object.create(null) };
  if (!isMap(root)) return refuse(0, "Frontmatter must be a mapping of keys to values");
  return { ok: true, fields: fieldsOf(root, document) };
}

function fieldsOf(map: YAMLMap, document: Document): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const { key, value } of map.items) {
    const name = String(isScalar(key) ? key.value : key);
    fields[name] = dataOf(value as Node | null, document, [name]);
  }
  return fields;
}

function dataOf(node: Node | null, document: Document, path: readonly string[]): unknown {
  if (node === null) return null;
  if (isAlias(node)) return dataOf(node.resolve(document) ?? null, document, path);
  if (isSeq(node)) return node.items.map((item) => dataOf(item as Node, document, path));
  if (isMap(node)) {
    return Object.fromEntries(
      node.items.map(({ key, value }) => {
        const name = String(isScalar(key) ? key.value : key);
        return [name, dataOf(value as Node | null, document, [...path, name])];
      }),
    );
  }
  if (!isScalar(node)) return null;
  return node.value !== null && keepsText(path) ? (node.source ?? String(node.value)) : node.value;
}

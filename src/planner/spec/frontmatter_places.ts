import { type Document, isMap, isNode, isScalar, isSeq, type Node, parseDocument } from "yaml";
import { extractYaml } from "./full_frontmatter.ts";
import { splitText } from "./split_text.ts";
import { locateOffset } from "./text_lines.ts";

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

import { type Document, isMap, isNode, isScalar, isSeq, type Node, parseDocument } from "yaml";
import { yamlOf } from "./full_frontmatter.ts";
import { splitText } from "./split_text.ts";
import { placeOf } from "./text_lines.ts";

/** A place in a file; both count from 1, columns in characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Keys and list positions from the top of the frontmatter: `["depends_on", 1]`. */
export type FieldPath = readonly (string | number)[];

/**
 * Locates the values of a text's frontmatter. A value that is absent or empty has the place of its key; a
 * path that leads on from there ends there, and one whose first key is not in the frontmatter has no place.
 *
 * Cost: one YAML parse of the frontmatter, at the first question.
 */
export function frontmatterPlaces(text: string): (path: FieldPath, of?: "value" | "key") => Place | undefined {
  let document: Document | undefined;
  const split = splitText(text);
  const range = split.ok ? split.range : null;
  return (path, of = "value") => {
    if (range === null) return undefined;
    document ??= parseDocument(yamlOf(text, range), { logLevel: "silent", prettyErrors: false });
    const at = offsetOf(document.contents, path, of);
    return at === undefined ? undefined : placeOf(text, range.start + at);
  };
}

function offsetOf(root: unknown, path: FieldPath, of: "value" | "key"): number | undefined {
  let at: number | undefined;
  let node = root;
  for (const [index, step] of path.entries()) {
    const next = isMap(node) ? entry(node.items, step) : isSeq(node) ? item(node.items, step) : undefined;
    if (next === undefined) break;
    node = next.value;
    const key = startOf(next.key);
    at = (of === "key" && index === path.length - 1 ? key : undefined) ?? startOf(node) ?? key ?? at;
  }
  return at;
}

interface Entry {
  readonly key: unknown;
  readonly value: unknown;
}

function entry(items: readonly Entry[], step: string | number): Entry | undefined {
  return items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
}

function item(items: readonly unknown[], step: string | number): Entry | undefined {
  return typeof step === "number" && step < items.length ? { key: undefined, value: items[step] } : undefined;
}

/** Undefined for a value that is written as nothing, whose range is empty. */
function startOf(value: unknown): number | undefined {
  const range = isNode(value) ? (value as Node).range : null;
  return range === null || range === undefined || range[0] === range[1] ? undefined : range[0];
}

import { isMap, isScalar, parseDocument as parseYaml, stringify } from "yaml";
import { OperationError } from "#kernel/errors.ts";
import { parseDocument } from "./document.ts";
import { splitText } from "./split_text.ts";

/** What a frontmatter field may be set to. */
export type FieldValue =
  | string
  | boolean
  | number
  | readonly string[]
  | Readonly<{ [key: string]: string | boolean | number | readonly string[] }>;

/** New values by field; undefined removes the field. */
export type FieldChanges = Readonly<Record<string, FieldValue | undefined>>;

/**
 * Sets and removes frontmatter fields, touching only their lines.
 *
 * @throws OperationError `failed_precondition` with line and column when `text` does not parse
 *
 * Source: decision S-06.
 */
export function editFields(text: string, changes: FieldChanges): string {
  let edited = text;
  for (const [key, value] of Object.entries(changes)) edited = editField(edited, key, value);
  return edited;
}

function editField(text: string, key: string, value: FieldValue | undefined): string {
  const before = parseDocument(text);
  if (!before.ok) {
    const { line, column, message } = before.problem;
    throw new OperationError("failed_precondition", `Cannot edit the spec: line ${line}, column ${column}: ${message}`);
  }
  if (JSON.stringify(before.frontmatter[key]) === JSON.stringify(value)) return text;
  const split = splitText(text);
  const range = split.ok ? split.range : null;
  const lines = value === undefined ? "" : stringify({ [key]: value }, { lineWidth: 0, blockQuote: false });
  if (range === null) return `---\n${lines}---\n${text}`;
  const yaml = text.slice(range.start, range.end);
  const root = parseYaml(yaml).contents;
  const pair = isMap(root) ? root.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  const from = isScalar(pair?.key) ? (pair.key.range?.[0] ?? yaml.length) : yaml.length;
  const valueRange = (pair?.value as { range?: readonly number[] } | undefined)?.range;
  const to = pair === undefined ? yaml.length : endOfLine(yaml, Math.max(valueRange?.[1] ?? from, from + 1) - 1);
  return text.slice(0, range.start + from) + lines + text.slice(range.start + to);
}

function endOfLine(yaml: string, at: number): number {
  const end = yaml.indexOf("\n", at);
  return end === -1 ? yaml.length : end + 1;
}

import { isJsonObject } from "#kernel/json_object.ts";
import { type FieldValue, isTextList } from "../field_value.ts";
import { formatScalar, type ScalarForm } from "./scalar_text.ts";

/** Style of lists and line breaks in a frontmatter; new lines use the same. */
export interface FrontmatterLayout {
  readonly lineBreak: string;
  readonly lists: "block" | "flow";
  /** Indentation of a list's `-` relative to its key. */
  readonly listIndent: string;
}

const PLAIN_FORM: ScalarForm = { style: "plain", inFlow: false };
const FLOW_FORM: ScalarForm = { style: "plain", inFlow: true };

/** Formats a value on one line: scalars in the requested style, lists as `[a, b]`, mappings as `{a: b}`. */
export function formatInlineValue(value: FieldValue, form: ScalarForm = PLAIN_FORM): string {
  const inner = { ...form, inFlow: true };
  if (isTextList(value)) return `[${value.map((item) => formatScalar(item, inner)).join(", ")}]`;
  if (!isJsonObject<FieldValue>(value)) return formatScalar(value, form);
  return `{${Object.entries(value)
    .map(([key, item]) => `${formatScalar(key, FLOW_FORM)}: ${formatInlineValue(item, inner)}`)
    .join(", ")}}`;
}

/** Returns whether the value is written on separate lines below its key. */
export function needsSeparateLines(value: FieldValue, layout: FrontmatterLayout): boolean {
  if (isTextList(value)) return value.length > 0 && layout.lists === "block";
  return isJsonObject<FieldValue>(value) && Object.keys(value).length > 0;
}

/** Formats the lines of a value below its key. @param indent text before the key on its line */
export function formatValueLines(value: FieldValue, indent: string, layout: FrontmatterLayout): string {
  if (isTextList(value)) {
    return value
      .map((item) => `${indent}${layout.listIndent}- ${formatScalar(item, PLAIN_FORM)}${layout.lineBreak}`)
      .join("");
  }
  if (!isJsonObject<FieldValue>(value)) return "";
  return Object.entries(value)
    .map(([key, item]) => formatFieldLines(key, item, `${indent}  `, layout))
    .join("");
}

/** Formats a field with its value as lines of a block mapping. */
export function formatFieldLines(key: string, value: FieldValue, indent: string, layout: FrontmatterLayout): string {
  const name = `${indent}${formatScalar(key, PLAIN_FORM)}:`;
  if (needsSeparateLines(value, layout)) return `${name}${layout.lineBreak}${formatValueLines(value, indent, layout)}`;
  return `${name} ${formatInlineValue(value)}${layout.lineBreak}`;
}

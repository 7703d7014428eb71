import { isJsonObject } from "#kernel/json_object.ts";
import { type FieldValue, isList } from "../field_value.ts";
import { type ScalarForm, scalarText } from "./scalar_text.ts";

/** How a frontmatter writes its lists and ends its lines; new lines follow suit. */
export interface Layout {
  readonly lineBreak: string;
  readonly lists: "block" | "flow";
  /** Indentation of a list's `-` relative to its key. */
  readonly listIndent: string;
}

const PLAIN: ScalarForm = { style: "plain", inFlow: false };
const IN_FLOW: ScalarForm = { style: "plain", inFlow: true };

/** The value on one line: scalars as wanted, lists as `[a, b]`, mappings as `{a: b}`. */
export function inlineText(value: FieldValue, form: ScalarForm = PLAIN): string {
  const inner = { ...form, inFlow: true };
  if (isList(value)) return `[${value.map((item) => scalarText(item, inner)).join(", ")}]`;
  if (!isJsonObject<FieldValue>(value)) return scalarText(value, form);
  return `{${Object.entries(value)
    .map(([key, item]) => `${scalarText(key, IN_FLOW)}: ${inlineText(item, inner)}`)
    .join(", ")}}`;
}

/** Returns whether the value is written on separate lines below its key. */
export function takesLines(value: FieldValue, layout: Layout): boolean {
  if (isList(value)) return value.length > 0 && layout.lists === "block";
  return isJsonObject<FieldValue>(value) && Object.keys(value).length > 0;
}

/** The lines below the key for a value that `takesLines`; `indent` is what the key's own line begins with. */
export function valueLines(value: FieldValue, indent: string, layout: Layout): string {
  if (isList(value)) {
    return value.map((item) => `${indent}${layout.listIndent}- ${scalarText(item, PLAIN)}${layout.lineBreak}`).join("");
  }
  if (!isJsonObject<FieldValue>(value)) return "";
  return Object.entries(value)
    .map(([key, item]) => fieldLines(key, item, `${indent}  `, layout))
    .join("");
}

/** A whole field as lines of a block mapping. */
export function fieldLines(key: string, value: FieldValue, indent: string, layout: Layout): string {
  const name = `${indent}${scalarText(key, PLAIN)}:`;
  if (takesLines(value, layout)) return `${name}${layout.lineBreak}${valueLines(value, indent, layout)}`;
  return `${name} ${inlineText(value)}${layout.lineBreak}`;
}

import type { InvalidField } from "#planner/operations/shared/invalid_fields.ts";
import { statusStyle } from "./listing_output.ts";
import { plainLine, plainLines } from "./plain_text.ts";
import { paint } from "./terminal.ts";

/** A spec as the get tool answers it. */
export interface ShownSpec {
  readonly id: string;
  readonly title: string | null;
  readonly status: string;
  readonly body: string;
  readonly invalid?: readonly InvalidField[];
  readonly [field: string]: unknown;
}

/** Shown above all other fields, in this order. */
const FIRST_FIELDS = ["status", "type", "file"] as const;

/** A spec for a person: id and title, one line a field, then the body without its title. */
export function renderSpec(spec: ShownSpec): string {
  const { id, title, body, invalid, ...others } = spec;
  const fields: Readonly<Record<string, unknown>> =
    invalid === undefined ? others : { ...others, invalid: invalid.map(({ message }) => message) };
  const names = [...FIRST_FIELDS, ...Object.keys(fields).filter((name) => !FIRST_FIELDS.includes(name as "file"))];
  const width = Math.max(...names.map((name) => plainLine(name).length));
  const lines = names.map((name) => {
    const text = plainLine(fieldText(fields[name]));
    const style = name === "status" ? statusStyle(text) : undefined;
    return `${paint(plainLine(name).padEnd(width), "dim")}  ${style === undefined ? text : paint(text, style)}`;
  });
  const heading = `${paint(plainLine(id), "bold")}  ${paint(plainLine(title ?? "(no title)"), "bold")}`;
  const rest = plainLines(withoutTitle(body, title)).trim();
  return `${[heading, "", ...lines, ...(rest === "" ? [] : ["", rest])].join("\n")}\n`;
}

function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.map(fieldText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

// The title is printed above already. Any other heading is part of the text.
function withoutTitle(body: string, title: string | null): string {
  const text = body.trimStart();
  const end = text.indexOf("\n");
  const first = (end === -1 ? text : text.slice(0, end)).trim();
  return title !== null && first === `# ${title}` ? text.slice(first.length) : text;
}

import type { BulkReply } from "#gen/datacenter/v1/json.ts";
import type { ErrorDetail, FieldViolation } from "../api/client.ts";
import { simplifyMessage } from "../plain_message.ts";
import type { FieldProblem, Filled, Item, Parsed } from "./parse_items.ts";

/** What a request has around the fields of an item, which the author of the item has not seen. */
const AROUND = /\b(?:items\[\d+\]|(?:changes\[\d+\]\.)?(?:rack|device|crac|cable|fabric_link))\.(?=[a-z])/g;

/** What is wrong with an item, each by its own field. */
export function problemsOf(violations: readonly FieldViolation[], message: string): readonly FieldProblem[] {
  if (violations.length === 0) return [{ field: "", message: simplifyMessage(message) }];
  return violations.map(({ field, description }) => ({
    field: field.replaceAll(AROUND, "").replace(/^(?:items|changes)\[\d+\].*$/, ""),
    message: simplifyMessage(description.replaceAll(AROUND, "")),
  }));
}

/** What a bulk answer says against an item. */
export function problemsOfResult({ error }: BulkReply["results"][number]): readonly FieldProblem[] {
  if (error === undefined) return [];
  const details = error.details as readonly ErrorDetail[];
  return problemsOf(
    details.flatMap(({ field_violations = [] }) => field_violations),
    error.message,
  );
}

/** Problems that were found in the file, and those of the server that concern other fields. */
export function allProblems({ problems: own = [] }: Item, found: readonly FieldProblem[]): readonly FieldProblem[] {
  const isKnown = ({ field }: FieldProblem) => field !== "" && own.some((one) => topOf(one.field) === topOf(field));
  return [...own, ...found.filter((one) => !isKnown(one))];
}

export function topOf(field: string): string {
  return field.split(/[.[]/)[0] ?? "";
}

/** The column of a table that a field was read from; undefined for a field without a column. */
export function columnOf({ columns = [] }: Parsed, field: string): Filled | undefined {
  if (field === "") return undefined;
  return (
    columns.find(({ path }) => path === field) ??
    columns.find(
      ({ path }) => path.startsWith(`${field}.`) || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    )
  );
}

/** Things that the file has twice: the later ones, each with the line of the first. */
export function findRepeated(items: readonly Item[]): ReadonlyMap<Item, FieldProblem> {
  const first = new Map<string, Item>();
  const repeated = new Map<Item, FieldProblem>();
  for (const item of items) {
    const key = keyOf(item);
    const other = key === undefined ? undefined : first.get(key);
    if (other !== undefined)
      repeated.set(item, {
        field: "code" in item.resource ? "code" : "a",
        message: `Line ${other.line} has it already`,
      });
    else if (key !== undefined) first.set(key, item);
  }
  return repeated;
}

function keyOf({ kind, resource: { code, a, b } }: Item): string | undefined {
  if (typeof code === "string") return `${kind}:${code.toLowerCase()}`;
  if (a === undefined || b === undefined) return undefined;
  const ends = [a, b].map((end) => JSON.stringify(end).toLowerCase());
  return `${kind}:${ends.toSorted().join("~")}`;
}

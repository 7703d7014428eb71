import type { BulkReply } from "#gen/datacenter/v1/json.ts";
import type { ErrorDetail, FieldViolation } from "../api/client.ts";
import { simplifyMessage } from "../plain_message.ts";
import type { FieldProblem, FilledColumn, ImportItem, ParsedFile } from "./parse_items.ts";

/** Matches the prefixes of a field's path that exist only in the request and not in the file. */
const REQUEST_PREFIX_PATTERN =
  /\b(?:items\[\d+\]|(?:changes\[\d+\]\.)?(?:rack|device|crac|cable|fabric_link))\.(?=[a-z])/g;

/** Returns the errors of an item by field, with paths relative to the item. */
export function createFieldProblems(violations: readonly FieldViolation[], message: string): readonly FieldProblem[] {
  if (violations.length === 0) return [{ field: "", message: simplifyMessage(message) }];
  return violations.map(({ field, description }) => ({
    field: field.replaceAll(REQUEST_PREFIX_PATTERN, "").replace(/^(?:items|changes)\[\d+\].*$/, ""),
    message: simplifyMessage(description.replaceAll(REQUEST_PREFIX_PATTERN, "")),
  }));
}

/** Returns the errors of one result in a bulk reply. */
export function listResultProblems({ error }: BulkReply["results"][number]): readonly FieldProblem[] {
  if (error === undefined) return [];
  const details = error.details as readonly ErrorDetail[];
  return createFieldProblems(
    details.flatMap(({ field_violations = [] }) => field_violations),
    error.message,
  );
}

/** Joins an item's errors that were found in the file with the server's errors that concern other fields. */
export function joinFieldProblems(
  { problems: own = [] }: ImportItem,
  found: readonly FieldProblem[],
): readonly FieldProblem[] {
  const isKnown = ({ field }: FieldProblem) =>
    field !== "" && own.some((one) => getTopField(one.field) === getTopField(field));
  return [...own, ...found.filter((one) => !isKnown(one))];
}

export function getTopField(field: string): string {
  return field.split(/[.[]/)[0] ?? "";
}

/** Returns the column of a table that a field was read from; undefined for a field without a column. */
export function findFieldColumn({ columns = [] }: ParsedFile, field: string): FilledColumn | undefined {
  if (field === "") return undefined;
  return (
    columns.find(({ path }) => path === field) ??
    columns.find(
      ({ path }) => path.startsWith(`${field}.`) || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    )
  );
}

/** Finds resources that the file contains twice. Reports each later item with the line of the first one. */
export function findRepeatedItems(items: readonly ImportItem[]): ReadonlyMap<ImportItem, FieldProblem> {
  const first = new Map<string, ImportItem>();
  const repeated = new Map<ImportItem, FieldProblem>();
  for (const item of items) {
    const key = getItemKey(item);
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

function getItemKey({ kind, resource: { code, a, b } }: ImportItem): string | undefined {
  if (typeof code === "string") return `${kind}:${code.toLowerCase()}`;
  if (a === undefined || b === undefined) return undefined;
  const ends = [a, b].map((end) => JSON.stringify(end).toLowerCase());
  return `${kind}:${ends.toSorted().join("~")}`;
}

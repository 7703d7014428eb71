import type { InvalidField } from "#planner/operations/shared/invalid_fields.ts";
import { createIdShortener } from "#planner/spec/resolve_id.ts";
import type { UnreadableFile } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { formatCountOf } from "#words/names.ts";
import type { Cli } from "../command.ts";
import { type Column, printTable } from "./table.ts";
import type { Style } from "./terminal.ts";
import { printText } from "./wrap_text.ts";

export interface ListedSpec {
  readonly id: string;
  readonly title: string | null;
  readonly status: string;
  readonly type: string;
  readonly labels?: readonly string[];
  readonly priority?: string;
  readonly assignee?: string;
  readonly due?: string;
  readonly unproven?: string;
  readonly invalid?: readonly InvalidField[];
}

/** A list as a command prints it. `limit` is null where the caller set none. */
export interface ListedSpecs<Row> {
  readonly specs: readonly Row[];
  readonly total: number;
  readonly limit: number | null;
  readonly returned: number;
  readonly unreadable?: readonly UnreadableFile[];
}

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  in_progress: "cyan",
  completed: "green",
  failed: "red",
  needs_attention: "red",
  blocked: "yellow",
  cancelled: "dim",
};

/** @param active ids of all active specs, which a short id must be unique among */
export function idColumn(active: readonly SpecId[]): Column<ListedSpec> {
  let shorten: ((id: SpecId) => string) | undefined;
  const short = ({ id }: ListedSpec): string => {
    // Only a table that is too wide needs it.
    shorten ??= createIdShortener(active);
    return shorten(id as SpecId);
  };
  return { title: "ID", text: ({ id }) => id, short };
}

export const STATUS_COLUMN: Column<ListedSpec> = {
  title: "STATUS",
  text: ({ status }) => status,
  style: ({ status }) => statusStyle(status),
};
const TYPE_COLUMN: Column<ListedSpec> = { title: "TYPE", text: ({ type }) => type };
export const TITLE_COLUMN: Column<ListedSpec> = {
  title: "TITLE",
  text: ({ title, unproven }) => `${unproven === undefined ? "" : "(unproven) "}${title ?? "(no title)"}`,
  shrinks: true,
};
// A list without spaces and a dash for none keep the columns apart for awk and cut.
const LABELS_COLUMN: Column<ListedSpec> = {
  title: "LABELS",
  text: ({ labels = [] }) => labels.join(",") || "-",
  shrinks: true,
  style: () => "dim",
};

// Shown where a listed spec has the field, so that a project without plans keeps its narrow table.
const PLAN_COLUMNS = (["priority", "due", "assignee"] as const).map((field) => ({
  field,
  column: { title: field.toUpperCase(), text: (spec: ListedSpec) => spec[field] ?? "-" },
}));

/** The columns of a list that is not about one word of the specs. */
export function specColumns(specs: readonly ListedSpec[], active: readonly SpecId[]): readonly Column<ListedSpec>[] {
  const planned = PLAN_COLUMNS.filter(({ field }) => specs.some((spec) => spec[field] !== undefined));
  return [
    idColumn(active),
    STATUS_COLUMN,
    TYPE_COLUMN,
    LABELS_COLUMN,
    ...planned.map(({ column }) => column),
    TITLE_COLUMN,
  ];
}

export function statusStyle(status: string): Style | undefined {
  return STATUS_STYLES[status];
}

/** Prints a table of specs; the last lines count the specs that are not valid and the files that could not be read. Source: docs/decisions.md#s-08 */
export function printListing<Row extends ListedSpec>(
  cli: Cli,
  list: ListedSpecs<Row>,
  columns: readonly Column<Row>[],
): void {
  printTable(list.specs, columns);
  if (list.total === 0) cli.note("No specs");
  else if (list.returned < list.total) cli.note(`${list.returned} of ${list.total} specs shown`);
  printText(invalidLine(list.specs));
  printText(unreadableLine(list.unreadable));
}

function invalidLine(specs: readonly ListedSpec[]): string {
  const count = specs.filter(({ invalid }) => invalid !== undefined).length;
  if (count === 0) return "";
  return `${formatCountOf(count, "spec is", "specs are")} not valid; \`planner lint\` shows why\n`;
}

/** One line that counts unreadable files, empty without any. */
export function unreadableLine(unreadable: readonly UnreadableFile[] = []): string {
  if (unreadable.length === 0) return "";
  return `${formatCountOf(unreadable.length, "file")} could not be read; \`planner lint\` shows why\n`;
}

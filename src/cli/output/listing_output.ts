import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import type { GraphBox, SpecGraph } from "#planner/operations/graph/spec_graph.ts";
import type { InvalidField } from "#planner/operations/shared/spec_findings.ts";
import type { UnreadableFile } from "#planner/spec/spec.ts";
import { createIdShortener, type SpecId } from "#planner/spec/spec_id.ts";
import type { OtherCloneClaim } from "#planner/store/remote_claims/shared_claims.ts";
import { formatDuration } from "#planner/work/claims/decide_claim.ts";
import { formatCountWithNoun, listSomeNames } from "#words/names.ts";
import type { Cli } from "../declaration.ts";
import { type Style, sanitizeLine } from "./print.ts";
import { type Column, printTable } from "./table.ts";
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

/** A list of specs for printing. `limit` is null if the caller set none. */
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

/** Creates the column of ids. A shortened id must be unique among `active`, the ids of all active specs. */
export function createIdColumn(active: readonly SpecId[]): Column<ListedSpec> {
  let shorten: ((id: SpecId) => string) | undefined;
  const short = ({ id }: ListedSpec): string => {
    // Ids are shortened only in a table that is too wide.
    shorten ??= createIdShortener(active);
    return shorten(id as SpecId);
  };
  return { title: "ID", text: ({ id }) => id, short };
}

export const STATUS_COLUMN: Column<ListedSpec> = {
  title: "STATUS",
  text: ({ status }) => status,
  style: ({ status }) => selectStatusStyle(status),
};
const TYPE_COLUMN: Column<ListedSpec> = { title: "TYPE", text: ({ type }) => type };
export const TITLE_COLUMN: Column<ListedSpec> = {
  title: "TITLE",
  text: ({ title, unproven, invalid }) =>
    `${invalid === undefined ? "" : "(not valid) "}${unproven === undefined ? "" : "(unproven) "}${title ?? "(no title)"}`,
  shrinks: true,
};
// Lists are written without spaces and an empty one as a dash, so that awk and cut can split the columns.
const LABELS_COLUMN: Column<ListedSpec> = {
  title: "LABELS",
  text: ({ labels = [] }) => labels.join(",") || "-",
  shrinks: true,
  style: () => "dim",
};

// A planning column is shown only if a listed spec has the field, so that other projects keep a narrow table.
const PLANNING_COLUMNS = (["priority", "due", "assignee"] as const).map((field) => ({
  field,
  column: { title: field.toUpperCase(), text: (spec: ListedSpec) => spec[field] ?? "-" },
}));

/** Returns the columns for a list of specs, including each planning field that a listed spec has. */
export function selectSpecColumns(
  specs: readonly ListedSpec[],
  active: readonly SpecId[],
): readonly Column<ListedSpec>[] {
  const planned = PLANNING_COLUMNS.filter(({ field }) => specs.some((spec) => spec[field] !== undefined));
  return [
    createIdColumn(active),
    STATUS_COLUMN,
    TYPE_COLUMN,
    LABELS_COLUMN,
    ...planned.map(({ column }) => column),
    TITLE_COLUMN,
  ];
}

export function selectStatusStyle(status: string): Style | undefined {
  return STATUS_STYLES[status];
}

/** Prints a table of specs, then the counts of invalid specs and unreadable files. Source: docs/decisions.md#s-08. */
export function printSpecListing<Row extends ListedSpec>(
  cli: Cli,
  list: ListedSpecs<Row>,
  columns: readonly Column<Row>[],
): void {
  printTable(list.specs, columns);
  if (list.total === 0) cli.note("No specs");
  else if (list.returned < list.total) cli.note(`${list.returned} of ${list.total} specs shown`);
  printText(formatInvalidCount(list.specs));
  printText(formatUnreadableCount(list.unreadable));
}

function formatInvalidCount(specs: readonly ListedSpec[]): string {
  const count = specs.filter(({ invalid }) => invalid !== undefined).length;
  if (count === 0) return "";
  return `${formatCountWithNoun(count, "spec is", "specs are")} not valid; \`planner lint\` shows why\n`;
}

/** Formats the number of unreadable files as one line; empty if there are none. */
export function formatUnreadableCount(unreadable: readonly UnreadableFile[] = []): string {
  if (unreadable.length === 0) return "";
  return `${formatCountWithNoun(unreadable.length, "file")} could not be read; \`planner lint\` shows why\n`;
}

/** Maximum number of ids that are printed of a chain or a cycle. */
const MAX_PRINTED_IDS = 50;

/** Maximum number of cycles that are printed. */
const MAX_PRINTED_CYCLES = 20;

/** Prints a graph for people: a row per spec by layer, then the critical path, cycles and unknown ids. */
export function printGraph(cli: Cli, graph: SpecGraph, unreadable: readonly UnreadableFile[]): void {
  const { boxes, critical_path, cycles, unknown } = graph;
  const rows = boxes.toSorted((a, b) => a.layer - b.layer || a.order - b.order);
  printTable(rows, createGraphColumns(graph));
  if (boxes.length === 0) cli.note("No specs");
  const lines = [
    ...(critical_path.length === 0
      ? []
      : [`Critical path (${critical_path.length}): ${formatIds(critical_path).join(", ")}`]),
    ...cycles.slice(0, MAX_PRINTED_CYCLES).map((ids) => `Cycle: ${[...formatIds(ids), ids[0]].join(" -> ")}`),
    ...(cycles.length > MAX_PRINTED_CYCLES ? [`${cycles.length - MAX_PRINTED_CYCLES} more cycles`] : []),
    ...(unknown.length === 0 ? [] : [`Unknown: ${listSomeNames(unknown, MAX_PRINTED_IDS)}`]),
  ];
  printText(lines.map((line) => `${sanitizeLine(line)}\n`).join(""));
  printText(formatUnreadableCount(unreadable));
}

/** A claim of another clone, as commands print it in JSON. */
export interface PrintedClaim {
  readonly spec_id: string;
  readonly state: OtherCloneClaim["state"];
  readonly by: string;
  readonly seen_seconds: number;
}

/** Reads the claims of other clones, sorted by spec; undefined without a remote for claims or without settings. */
export async function readOthersClaims(context: PlannerContext): Promise<readonly PrintedClaim[] | undefined> {
  try {
    if ((await context.settings("claims")).claims.remote === null) return undefined;
    const others = await (await context.openRuns()).claims.listOtherClaims();
    return others.map(({ id, state, by, seenForMs }) => {
      return { spec_id: id, state, by, seen_seconds: Math.round(seenForMs / 1000) };
    });
  } catch (error) {
    if (error instanceof OperationError) return undefined;
    throw error;
  }
}

/** Formats one line per claim; empty without claims. */
export function formatOthersClaims(others: readonly PrintedClaim[] = []): string {
  const line = ({ spec_id, state, by, seen_seconds }: PrintedClaim): string => {
    const what = state === "done" ? "finished" : "worked on";
    return sanitizeLine(
      `${spec_id}: ${what} by ${by} in another clone (seen for ${formatDuration(seen_seconds * 1000)})`,
    );
  };
  return others.map((one) => `${line(one)}\n`).join("");
}

function createGraphColumns({ boxes, edges }: SpecGraph): readonly Column<GraphBox>[] {
  const waits = new Map<string, string[]>(boxes.map(({ id, left_out }) => [id, [...left_out]]));
  for (const { from, to } of edges) waits.get(to)?.push(from);
  const ids = new Set(boxes.flatMap(({ id, left_out }) => [id, ...left_out]).map((id) => id as SpecId));
  const shorten = createIdShortener([...ids]);
  const short = (id: string): string => shorten(id as SpecId);
  return [
    { title: "LAYER", text: ({ layer }) => String(layer + 1), align: "right" },
    { title: "PATH", text: formatPathMark },
    { title: "ID", text: ({ id }) => id, short: ({ id }) => short(id) },
    { title: "STATUS", text: ({ status }) => status, style: ({ status }) => selectStatusStyle(status) },
    { title: "WAITS FOR", text: ({ id }) => (waits.get(id) ?? []).map(short).join(",") || "-", shrinks: true },
    { title: "TITLE", text: ({ title }) => title ?? "(no title)", shrinks: true },
  ];
}

function formatPathMark({ critical, in_cycle }: GraphBox): string {
  if (in_cycle) return "cycle";
  return critical ? "*" : "-";
}

function formatIds(ids: readonly string[]): readonly string[] {
  return [
    ...ids.slice(0, MAX_PRINTED_IDS),
    ...(ids.length > MAX_PRINTED_IDS ? [`(${ids.length - MAX_PRINTED_IDS} more)`] : []),
  ];
}

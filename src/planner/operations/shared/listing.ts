import type { PlannerContext } from "../../context.ts";
import { DEFAULT_LIST_LIMIT } from "../../limits.ts";
import type { Readiness } from "../../spec/readiness.ts";
import type { Priority, Spec, UnreadableFile } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { createInvalidFieldCheck, type InvalidFields } from "./spec_findings.ts";
import type { SpecWorld } from "./world.ts";

/** A spec as a row of a tool's list. Source: docs/contract/spec-tool.md#tools; `invalid` from docs/decisions.md#s-08. */
export interface SpecRow extends InvalidFields {
  readonly id: SpecId;
  readonly title: string | null;
  /** The stored status, but `blocked` for a pending spec that waits for another one. */
  readonly status: string;
  readonly type: string;
  /** Ids of the unfinished dependencies of a blocked spec. */
  readonly blocked_by?: readonly string[];
}

/** A row of a command's list; list fields are absent if empty. */
export interface DetailedSpecRow extends SpecRow {
  readonly labels?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly priority?: Priority;
  readonly assignee?: string;
  readonly due?: string;
  /** Reason why a person completed it without proof. */
  readonly unproven?: string;
}

/** Answer of each listing tool. Source: docs/contract/spec-tool.md#tools; `unreadable` from docs/decisions.md#s-08. */
export interface Listing<Row> {
  readonly specs: readonly Row[];
  /** Matches before `limit` and `offset` are applied. */
  readonly total: number;
  readonly limit: number;
  /** Number of skipped matches; absent for the first page. */
  readonly offset?: number;
  readonly returned: number;
  /** Files that cannot be read, listed so that they do not appear to be missing; absent if empty. */
  readonly unreadable?: readonly UnreadableFile[];
}

/** Builds the row of a spec. */
export type RowBuilder<Row> = (spec: Spec, readiness: Readiness, invalid: InvalidFields) => Row;

// Adds fields one by one: spreading an object for each field took a fifth of the time of a first list of 10,000 specs.
export function buildSpecRow(spec: Spec, readiness: Readiness, { invalid }: InvalidFields): SpecRow {
  const row: Writable<SpecRow> = {
    id: spec.id,
    title: spec.title,
    status: readiness.getEffectiveStatus(spec),
    type: spec.type,
  };
  if (readiness.isBlocked(spec)) row.blocked_by = readiness.listUnmet(spec);
  if (invalid !== undefined) row.invalid = invalid;
  return row;
}

export function buildDetailedRow(spec: Spec, readiness: Readiness, invalid: InvalidFields): DetailedSpecRow {
  const row: Writable<DetailedSpecRow> = buildSpecRow(spec, readiness, invalid);
  const { unproven } = spec.frontmatter;
  if (spec.labels.length > 0) row.labels = spec.labels;
  if (spec.dependsOn.length > 0) row.depends_on = spec.dependsOn;
  if (spec.priority !== null) row.priority = spec.priority;
  if (spec.assignee !== null) row.assignee = spec.assignee;
  if (spec.due !== null) row.due = spec.due;
  if (typeof unproven === "string") row.unproven = unproven;
  return row;
}

type Writable<Row> = { -readonly [Name in keyof Row]: Row[Name] };

export interface PageRange {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Builds a page of at most `limit` rows of `found`, skipping the first `offset`. */
export function buildListing<Item, Row>(
  found: readonly Item[],
  { limit = DEFAULT_LIST_LIMIT, offset = 0 }: PageRange,
  toRow: (item: Item) => Row,
): Omit<Listing<Row>, "unreadable"> {
  const specs = found.slice(offset, offset + limit).map(toRow);
  return { specs, total: found.length, limit, ...(offset > 0 && { offset }), returned: specs.length };
}

/** Builds a page of `found` with the invalid fields of each spec, and lists the unreadable files. */
export async function buildSpecListing<Row>(
  context: PlannerContext,
  { readiness, unreadable }: Pick<SpecWorld, "readiness" | "unreadable">,
  found: readonly Spec[],
  { buildRow, ...range }: PageRange & { readonly buildRow: RowBuilder<Row> },
): Promise<Listing<Row>> {
  const findInvalidFields = await createInvalidFieldCheck(context);
  return {
    ...buildListing(found, range, (spec) => buildRow(spec, readiness, findInvalidFields(spec))),
    ...buildUnreadableField(unreadable),
  };
}

export function buildUnreadableField(unreadable: readonly UnreadableFile[]): {
  unreadable?: readonly UnreadableFile[];
} {
  return unreadable.length === 0 ? {} : { unreadable };
}

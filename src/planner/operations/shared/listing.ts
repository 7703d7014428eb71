import { DEFAULT_LIST_LIMIT } from "../../limits.ts";
import type { Priority } from "../../spec/planning.ts";
import type { Readiness } from "../../spec/readiness.ts";
import type { Spec, UnreadableFile } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { InvalidPart } from "./invalid_fields.ts";

/** A spec as lists show it; lists of its fields only where there is something in them. */
export interface SpecRow extends InvalidPart {
  readonly id: SpecId;
  readonly title: string | null;
  /** The stored status, but `blocked` for a pending spec that waits for another one. */
  readonly status: string;
  readonly type: string;
  readonly labels?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly priority?: Priority;
  readonly assignee?: string;
  readonly due?: string;
  /** Why a person completed it without proof. */
  readonly unproven?: string;
}

/**
 * The answer of every tool that lists specs. Source: docs/contract/spec-tool.md#tools; `unreadable` from
 * docs/decisions.md#s-08.
 */
export interface Listing<Row> {
  readonly specs: readonly Row[];
  /** Matches before `limit` and `offset` are applied. */
  readonly total: number;
  readonly limit: number;
  /** Matches that were skipped; omitted for the first page. */
  readonly offset?: number;
  readonly returned: number;
  /** Files that are there but cannot be read, so that they are not taken for missing; omitted if empty. */
  readonly unreadable?: readonly UnreadableFile[];
}

// Fields are added one by one: spreading an object for each took a fifth of what a first list of 10,000 specs costs.
export function specRow(spec: Spec, readiness: Readiness, { invalid }: InvalidPart): SpecRow {
  const row: Writable<SpecRow> = {
    id: spec.id,
    title: spec.title,
    status: readiness.effectiveStatus(spec),
    type: spec.type,
  };
  const { unproven } = spec.frontmatter;
  if (spec.labels.length > 0) row.labels = spec.labels;
  if (spec.dependsOn.length > 0) row.depends_on = spec.dependsOn;
  if (spec.priority !== null) row.priority = spec.priority;
  if (spec.assignee !== null) row.assignee = spec.assignee;
  if (spec.due !== null) row.due = spec.due;
  if (typeof unproven === "string") row.unproven = unproven;
  if (invalid !== undefined) row.invalid = invalid;
  return row;
}

type Writable<Row> = { -readonly [Name in keyof Row]: Row[Name] };

export interface Page {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** At most `limit` of `found` behind the first `offset`, as rows. */
export function listing<Item, Row>(
  found: readonly Item[],
  { limit = DEFAULT_LIST_LIMIT, offset = 0 }: Page,
  toRow: (item: Item) => Row,
): Omit<Listing<Row>, "unreadable"> {
  const specs = found.slice(offset, offset + limit).map(toRow);
  return { specs, total: found.length, limit, ...(offset > 0 && { offset }), returned: specs.length };
}

export function unreadablePart(unreadable: readonly UnreadableFile[]): { unreadable?: readonly UnreadableFile[] } {
  return unreadable.length === 0 ? {} : { unreadable };
}

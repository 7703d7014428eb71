import { createFilterTest, type SpecFilter } from "#planner/operations/shared/spec_filter.ts";
import { FILTER_STATUSES, isCalendarDay, PRIORITIES, type UnreadableFile } from "#planner/spec/spec.ts";
import { enumFlag, type Flags, integerFlag, textFlag } from "./args.ts";
import type { ListedSpec, ListedSpecs } from "./output/listing_output.ts";
import { UsageError } from "./usage_error.ts";

/** Flags of every command that prints a limited list of specs. */
export const LIST_LIMIT_FLAGS = {
  type: { type: "string", alias: "t", multiple: true, description: "Only specs of this type" },
  label: { type: "string", alias: "l", multiple: true, description: "Only specs with this label, or one of several" },
  limit: integerFlag(1, "Maximum number of results (default: all)", { alias: "n" }),
} as const satisfies Flags;

/** Flags that filter a list by fields, in addition to `LIST_LIMIT_FLAGS`. */
export const FIELD_FILTER_FLAGS = {
  status: enumFlag(FILTER_STATUSES, "Only specs of this status", { alias: "s" }),
  priority: enumFlag(PRIORITIES, "Only specs of this priority", { multiple: true }),
  assignee: textFlag("name", "Only specs assigned to this person", { multiple: true }),
  due: textFlag("day", "Only specs due on this day (YYYY-MM-DD) or before"),
} as const satisfies Flags;

/** Creates the test for `--due`. @throws UsageError for a text that is not a day. */
export function createDueTest(due: string | undefined): (spec: { readonly due?: string | null }) => boolean {
  if (due !== undefined && !isCalendarDay(due)) {
    throw new UsageError(`Wrong value "${due}" for "--due": expected a day, YYYY-MM-DD`, null);
  }
  return (spec) => due === undefined || (typeof spec.due === "string" && spec.due <= due);
}

/** Limit that requests all results of a listing tool, because a default limit would mislead scripts. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Returns the specs that meet every condition, at most `limit` of them. */
export function filterListedSpecs<Row extends ListedSpec>(
  list: { readonly specs: readonly Row[]; readonly unreadable?: readonly UnreadableFile[] },
  { limit, ...filter }: SpecFilter & { readonly limit: number | undefined },
): ListedSpecs<Row> {
  const found = list.specs.filter(createFilterTest(filter));
  const specs = limit === undefined ? found : found.slice(0, limit);
  const unreadable = list.unreadable === undefined ? {} : { unreadable: list.unreadable };
  return { specs, total: found.length, limit: limit ?? null, returned: specs.length, ...unreadable };
}

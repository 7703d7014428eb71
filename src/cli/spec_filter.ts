import { meetsFilter, type SpecFilter } from "#planner/operations/shared/spec_filter.ts";
import type { UnreadableFile } from "#planner/spec/spec.ts";
import type { Flags } from "./command.ts";
import type { ListedSpec, ListedSpecs } from "./output/listing_output.ts";

/** Flags of every command that prints a limited list of specs. */
export const CUT_FLAGS = {
  type: { type: "string", short: "t", multiple: true, summary: "Only specs of this type" },
  label: { type: "string", short: "l", multiple: true, summary: "Only specs with this label, or one of several" },
  limit: { type: "integer", short: "n", least: 1, summary: "Maximum number of results (default: all)" },
} as const satisfies Flags;

/** Requests all results of a listing tool: a default limit would mislead scripts. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The specs that meet every condition, at most `limit` of them. */
export function cutList<Row extends ListedSpec>(
  list: { readonly specs: readonly Row[]; readonly unreadable?: readonly UnreadableFile[] },
  { limit, ...filter }: SpecFilter & { readonly limit: number | undefined },
): ListedSpecs<Row> {
  const found = list.specs.filter((spec) => meetsFilter(spec, filter));
  const specs = limit === undefined ? found : found.slice(0, limit);
  const unreadable = list.unreadable === undefined ? {} : { unreadable: list.unreadable };
  return { specs, total: found.length, limit: limit ?? null, returned: specs.length, ...unreadable };
}

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

/** Further conditions of a list; an empty list is no condition. */
export interface SpecFilter {
  readonly types?: readonly string[];
  readonly labels?: readonly string[];
  readonly limit: number | undefined;
}

/** The specs that meet every condition (any of several types, any of several labels), at most `limit` of them. */
export function cutList<Row extends ListedSpec>(
  list: { readonly specs: readonly Row[]; readonly unreadable?: readonly UnreadableFile[] },
  { types = [], labels = [], limit }: SpecFilter,
): ListedSpecs<Row> {
  const found = list.specs.filter((spec) => fits(spec, types, labels));
  const specs = limit === undefined ? found : found.slice(0, limit);
  const unreadable = list.unreadable === undefined ? {} : { unreadable: list.unreadable };
  return { specs, total: found.length, limit: limit ?? null, returned: specs.length, ...unreadable };
}

/** Whether a spec has any of the types and any of the labels. */
export function fits(
  spec: { readonly type: string; readonly labels?: readonly string[] },
  types: readonly string[],
  labels: readonly string[],
): boolean {
  if (types.length > 0 && !types.includes(spec.type)) return false;
  return labels.length === 0 || labels.some((label) => spec.labels?.includes(label) === true);
}

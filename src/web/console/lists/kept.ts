import { keptValues } from "../../shared/kept_values.ts";
import { formatPageUrl } from "../router.ts";
import { allColumns } from "./list_columns.ts";
import type { ListKind } from "./list_kinds.ts";

/** A filter of a list under a name, as its address. */
export interface SavedFilter {
  readonly name: string;
  readonly href: string;
}

/** Filters of a list that this browser keeps, in the order of their names. */
export function savedFilters({ page }: ListKind): readonly SavedFilter[] {
  return entriesOf(`planner-filters-${page}`).flatMap(([name, href]) =>
    typeof href === "string" && href.startsWith(formatPageUrl(page)) ? [{ name, href }] : [],
  );
}

/** Keeps a filter under a name in place of an earlier one; none deletes it. @throws DOMException if there is no room */
export function saveFilter(list: ListKind, name: string, href: string | undefined): void {
  const others = savedFilters(list).filter((one) => one.name !== name);
  const all = href === undefined ? others : [...others, { name, href }];
  const sorted = all.toSorted((one, other) => one.name.localeCompare(other.name));
  localStorage.setItem(`planner-filters-${list.page}`, JSON.stringify(sorted.map((one) => [one.name, one.href])));
}

/** The columns that a person chose for a list in this browser; undefined for the usual ones. */
export function keptColumns(list: ListKind): readonly string[] | undefined {
  const known = new Set([...allColumns(list.page), ...list.columns]);
  const kept = (keptValues.get(`planner-columns-${list.page}`) ?? "").split("|").filter((one) => known.has(one));
  return kept.length === 0 ? undefined : [...new Set(kept)];
}

export function keepColumns({ page }: ListKind, columns: readonly string[] | undefined): void {
  if (columns === undefined) keptValues.remove(`planner-columns-${page}`);
  else keptValues.set(`planner-columns-${page}`, columns.join("|"));
}

/** Pairs that this browser keeps; none where it keeps something else. */
function entriesOf(key: string): readonly (readonly [string, unknown])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept)
      ? kept.flatMap((one) => (Array.isArray(one) ? [[String(one[0]), one[1]] as const] : []))
      : [];
  } catch {
    return [];
  }
}

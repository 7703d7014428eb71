import { browserValues } from "../../shared/kept_values.ts";
import { formatPageUrl } from "../router.ts";
import { listAllColumns } from "./list_columns.ts";
import type { ListKind } from "./list_kinds.ts";

/** A named filter of a list, stored as its URL. */
export interface SavedFilter {
  readonly name: string;
  readonly href: string;
}

/** Returns the filters of a list that this browser stores, ordered by name. */
export function readSavedFilters({ page }: ListKind): readonly SavedFilter[] {
  return readStoredPairs(`planner-filters-${page}`).flatMap(([name, href]) =>
    typeof href === "string" && href.startsWith(formatPageUrl(page)) ? [{ name, href }] : [],
  );
}

/**
 * Stores a filter under a name and replaces an earlier one; an undefined URL deletes it.
 * @throws DOMException if the browser's storage is full
 */
export function saveFilter(list: ListKind, name: string, href: string | undefined): void {
  const others = readSavedFilters(list).filter((one) => one.name !== name);
  const all = href === undefined ? others : [...others, { name, href }];
  const sorted = all.toSorted((one, other) => one.name.localeCompare(other.name));
  localStorage.setItem(`planner-filters-${list.page}`, JSON.stringify(sorted.map((one) => [one.name, one.href])));
}

/** Returns the columns that the person chose for a list in this browser; undefined for the default ones. */
export function readStoredColumns(list: ListKind): readonly string[] | undefined {
  const known = new Set([...listAllColumns(list.page), ...list.columns]);
  const kept = (browserValues.get(`planner-columns-${list.page}`) ?? "").split("|").filter((one) => known.has(one));
  return kept.length === 0 ? undefined : [...new Set(kept)];
}

export function storeListColumns({ page }: ListKind, columns: readonly string[] | undefined): void {
  if (columns === undefined) browserValues.remove(`planner-columns-${page}`);
  else browserValues.set(`planner-columns-${page}`, columns.join("|"));
}

/** Returns the pairs that this browser stores under a key; empty if the stored value is malformed. */
function readStoredPairs(key: string): readonly (readonly [string, unknown])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept)
      ? kept.flatMap((one) => (Array.isArray(one) ? [[String(one[0]), one[1]] as const] : []))
      : [];
  } catch {
    return [];
  }
}

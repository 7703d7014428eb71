import { UsageError } from "../usage_error.ts";

/** Where the database lies when nobody says otherwise. Source: decision D-05. */
export const DEFAULT_DATABASE = "planner-dc.sqlite";

const URL_LIKE = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Checks what `--db` says. @throws UsageError for an address of a kind that cannot be opened */
export function databasePath(given: string | undefined): string {
  if (given === undefined) return DEFAULT_DATABASE;
  const scheme = URL_LIKE.exec(given)?.[1];
  if (scheme === undefined) return given;
  throw new UsageError(`Cannot open a database of kind "${scheme}": expected the path of a file`, null);
}

import { openService } from "#dc/service.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { loadPage } from "#runtime/pages.ts";

/** The database that is this process's first argument; without one a bench is refused with its `usage`. */
export function givenDatabase(usage: string): string {
  const [, , path] = process.argv;
  if (path === undefined) throw new Error(`usage: bun tests/bench/${usage}`);
  return path;
}

/** A database with a service on it, in this process. */
export async function openSite(path: string) {
  const store = await openSqlite(path);
  const service = await openService(store, {
    clock: { now: () => new Date() },
    authRequired: false,
    observe: () => {},
    loadViewer: () => loadPage("picture_file"),
  });
  return { store, service };
}

import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { NETBOX_TABLES, TABLE_NAMES } from "#dc/exchange/netbox/tables.ts";
import { OperationError } from "#kernel/errors.ts";
import { UsageError } from "../../usage_error.ts";
import {
  findTableByFileName,
  isNetboxDump,
  listFilesByExtension,
  readNetboxDump,
  readNetboxListFolder,
} from "./netbox_files.ts";
import { type NetboxAddress, readRestTables } from "./netbox_rest.ts";
import type { SourceWatcher } from "./source_error.ts";

/** Location of NetBox data, and options for reading it. */
export interface NetboxSourceOptions {
  /** Path of a dump or of a folder of lists; undefined with `url`. */
  readonly path: string | undefined;
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly sites: readonly string[];
  readonly rate: number | undefined;
  readonly cwd: string;
}

/** Paths of pages and lists below a NetBox's address, which may have a path. */
const PAGE_PATTERN = /\/(?:api|graphql|static|login|dcim|circuits|tenancy|ipam|core|extras|plugins|users)(?:\/.*)?$/;
const REQUEST_TIMEOUT_MS = 120_000;
const BACKOFF_MS = 500;

/** Reads NetBox data from a server, a dump or a folder. `known` has the ids of earlier imports, such as `device/12`. */
export async function readNetbox(
  options: NetboxSourceOptions,
  known: ReadonlyMap<string, unknown>,
  watcher: SourceWatcher,
): Promise<NetboxDataset> {
  const data = new NetboxDataset();
  const { path: shown, url, cwd } = options;
  if (url !== undefined) {
    await readRestTables(data, createNetboxAddress(url, options), watcher);
    return data;
  }
  if (shown === undefined)
    throw new UsageError("Nothing to import: expected --url, a dump, or a folder of lists", null);
  const path = resolve(cwd, shown);
  if (!existsSync(path)) throw new OperationError("not_found", `There is no file or folder "${shown}"`);
  if (statSync(path).isDirectory()) await readNetboxFolder(data, path, shown, watcher);
  else if (isNetboxDump(path, shown)) readNetboxDump(data, path, shown, watcher);
  else
    throw new OperationError(
      "invalid_argument",
      `"${shown}" is no dump of NetBox: expected a list of objects with model, pk and fields`,
    );
  reportMissingLists(data, known, (reason) => watcher.reportUnreadable({ file: shown, number: 0, reason }));
  return data;
}

/** Reports missing lists whose objects were imported before or have cables, because these would count as deleted. */
function reportMissingLists(
  data: NetboxDataset,
  known: ReadonlyMap<string, unknown>,
  note: (reason: string) => void,
): void {
  if (known.size === 0) return;
  const named = [...data.listCableEnds().values()].flatMap(({ a, b }) => [...a, ...b]);
  const tables = new Set([...known.keys(), ...named].map((id) => id.slice(0, id.indexOf("/"))));
  for (const table of TABLE_NAMES) {
    if (tables.has(table) && !data.listedTables.has(table))
      note(`there is no list of ${NETBOX_TABLES[table].path}, but objects of it were imported before or have cables`);
  }
}

async function readNetboxFolder(
  data: NetboxDataset,
  path: string,
  shown: string,
  watcher: SourceWatcher,
): Promise<void> {
  if (
    listFilesByExtension(path, ".json").some((file) => findTableByFileName(file.slice(path.length + 1)) !== undefined)
  ) {
    readNetboxListFolder(data, path, shown, watcher);
    return;
  }
  const { readNetboxCsvFolder } = await import("./netbox_csv.ts");
  await readNetboxCsvFolder(data, path, shown, watcher);
}

function createNetboxAddress(url: string, { tokenFile, sites, rate, cwd }: NetboxSourceOptions): NetboxAddress {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(
      `Wrong value "${url}" for "--url": expected http:// or https:// and the address of a NetBox`,
      null,
    );
  }
  const { origin, pathname, search, hash, username, password } = new URL(url);
  const base = pathname.replace(/\/+$/, "").replace(/\/api$/, "");
  const stray = [
    [search, "no query, such as that of a branch or a filter: lists are read whole"],
    [hash, "no fragment"],
    [username || password, "no user in it: the token comes from NETBOX_TOKEN or --token-file"],
    [PAGE_PATTERN.exec(base)?.[0] ?? "", "the address of the NetBox, not that of one of its pages or lists"],
  ].find(([part]) => part !== "");
  if (stray !== undefined) throw new UsageError(`Wrong value "${url}" for "--url": expected ${stray[1]}`, null);
  return {
    url: `${origin}${base}`,
    token: readToken(tokenFile, cwd),
    sites,
    timeoutMs: REQUEST_TIMEOUT_MS,
    rate,
    backoffMs: BACKOFF_MS,
  };
}

/** Reads the token from a file or the environment, because other users can see the command lines of processes. */
function readToken(file: string | undefined, cwd: string): string | undefined {
  const { NETBOX_TOKEN, NETBOX_TOKEN_FILE } = process.env;
  const path = file ?? NETBOX_TOKEN_FILE;
  if (file === undefined && NETBOX_TOKEN !== undefined && NETBOX_TOKEN !== "") return NETBOX_TOKEN.trim();
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(cwd, path), "utf8").trim();
  } catch (error) {
    throw new UsageError(`Cannot read the token file "${path}": ${(error as Error).message.split(", ")[0]}`, null);
  }
}

import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { URL } from "node:url";
import { CsvRowReader } from "#dc/exchange/netbox/csv_rows.ts";
import { NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { compareVersions, NEWEST_NETBOX, OLDEST_NETBOX } from "#dc/exchange/netbox/map_netbox.ts";
import {
  DUMP_ONLY_TABLES,
  NETBOX_TABLES,
  OPTIONAL_TABLES,
  TABLE_NAMES,
  type TableName,
  type TableSchema,
} from "#dc/exchange/netbox/tables.ts";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { isBlankRecord } from "#words/spreadsheet.ts";
import { UsageError } from "../../usage_error.ts";
import { readCsvFile } from "../import/text_file.ts";
import { NOT_UTF8_REMARK } from "./json_elements.ts";
import {
  addRestObject,
  findTableByFileName,
  isNetboxDump,
  listFilesByExtension,
  listTableFiles,
  readNetboxDump,
  readNetboxListFolder,
  reportProgress,
  requireRunningImport,
  type SourceWatcher,
} from "./netbox_files.ts";

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
  await readNetboxCsvFolder(data, path, shown, watcher);
}

/** Reads a folder of NetBox's CSV exports, each named after its list: `devices.csv`, `netbox_power feeds.csv`. */
async function readNetboxCsvFolder(
  data: NetboxDataset,
  folder: string,
  shown: string,
  watcher: SourceWatcher,
): Promise<void> {
  const examples = "devices.json, dcim/racks.json or devices.csv";
  const files = listTableFiles(data, { folder, shown, extension: ".csv", examples });
  const rows = new CsvRowReader(data, (table, id, reason) =>
    watcher.reportUnreadable({ file: `${table}/${id}`, number: 0, reason }),
  );
  for (const { table, ...file } of files) {
    data.listedTables.add(table);
    await readCsvExport(rows, table, file, watcher);
  }
  rows.addRowsToDataset();
}

async function readCsvExport(
  rows: CsvRowReader,
  table: TableName,
  { path, name }: { readonly path: string; readonly name: string },
  watcher: SourceWatcher,
): Promise<void> {
  let headers: readonly string[] | undefined;
  for await (const { record, line } of readCsvFile(path, name)) {
    reportProgress(watcher, name, line);
    if (record.some((cell) => cell.includes("\ufffd")))
      watcher.reportUnreadable({ file: name, number: line, reason: NOT_UTF8_REMARK });
    if (headers === undefined) {
      headers = record;
      rows.noteHeaders(table, headers);
    } else if (isBlankRecord(record.slice(headers.length))) rows.addRecord(table, headers, record);
    else {
      const reason = `expected ${headers.length} cells, found ${record.length}`;
      watcher.reportUnreadable({ file: name, number: line, reason });
    }
  }
  if (headers === undefined)
    throw new OperationError("invalid_argument", `There is nothing in "${name}": expected a line with columns`);
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

/** Address and limits of a NetBox server. */
export interface NetboxAddress {
  /** URL before `/api`, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  /** Slugs of the sites to read; empty for all sites. */
  readonly sites: readonly string[];
  /** Maximum wait for one reply, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of requests per second; undefined for no limit. */
  readonly rate: number | undefined;
  /** Milliseconds before the second attempt, doubled each time. */
  readonly backoffMs: number;
}

/** Maximum number of concurrent requests: a usual NetBox has four to eight workers. */
const MAX_CONCURRENT_REQUESTS = 4;
const MAX_ATTEMPTS = 6;
/** Maximum number of times that a list is read if it changes meanwhile. */
const MAX_LIST_READS = 3;
const MAX_BODY_BYTES = 256 << 20;
const MAX_WAIT_MS = 60_000;

/**
 * Reads all tables of a running NetBox into the dataset, page by page. Repeats attempts that fail temporarily (no
 * connection, 429, 5xx) after the delay that the server requests.
 * @throws OperationError if a list cannot be read, because the missing items of a partial import would count as deleted
 */
export async function readRestTables(
  data: NetboxDataset,
  address: NetboxAddress,
  watcher: SourceWatcher,
): Promise<void> {
  const client = new NetboxClient(address, watcher);
  const tables = TABLE_NAMES.filter((table) => !DUMP_ONLY_TABLES.includes(table));
  let last = (await client.readNewestChanges())?.last;
  const rows = new Map<TableName, readonly unknown[]>();
  for (const table of tables) rows.set(table, await readTable(client, table));
  // Lists that were read before a change do not fit those that were read after it.
  for (let reading = 1; last !== undefined && reading < MAX_LIST_READS; reading += 1) {
    const changes = await client.readNewestChanges(last);
    const moved = tables.filter((table) => changes?.isCut === true || changes?.models.has(table) === true);
    if (changes === undefined || moved.length === 0) break;
    for (const table of moved) rows.set(table, await readTable(client, table));
    last = changes.last;
  }
  data.version = client.version;
  for (const [table, values] of rows) {
    for (const [index, value] of values.entries())
      addRestObject(data, table, value, (reason) => client.reportUnreadable(table, index + 1, reason));
  }
}

async function readTable(client: NetboxClient, table: TableName): Promise<readonly unknown[]> {
  for (let reading = 1; ; reading += 1) {
    const rows = new Map<unknown, unknown>();
    const count = await client.readList(table, (one) => rows.set(isJsonObject(one) ? one["id"] : one, one));
    // Rows that are added or deleted meanwhile move other rows to a page that has already been read.
    if (rows.size >= count || reading >= MAX_LIST_READS) return [...rows.values()];
  }
}

/** Tables whose rows another model's changes alter. */
const TABLES_BY_MODEL: Readonly<Record<string, TableName>> = { cabletermination: "cable", portmapping: "frontport" };
/** Lists of changes: of NetBox 4.1 and later, and of earlier versions. */
const CHANGE_LISTS = ["core/object-changes", "extras/object-changes"] as const;

/** The newest entries of the change log. */
interface NewestChanges {
  /** Number of the newest entry; 0 for an empty log. */
  readonly last: number;
  /** Tables of the objects that changed. */
  readonly models: ReadonlySet<string>;
  /** Whether there are more changes than were read. */
  readonly isCut: boolean;
}

/** Type of `URL` objects. In Deno, `URL` of node:url is only a value. */
type ParsedUrl = InstanceType<typeof URL>;

interface RestPage {
  readonly count: number;
  readonly results: readonly unknown[];
}

class NetboxClient {
  readonly #address: NetboxAddress;
  readonly #watcher: SourceWatcher;
  #nextRequestAt = 0;
  /** Version of the server by its replies, such as 4.7. */
  version: string | undefined;

  constructor(address: NetboxAddress, watcher: SourceWatcher) {
    this.#address = address;
    this.#watcher = watcher;
  }

  reportUnreadable(table: TableName, number: number, reason: string): void {
    this.#watcher.reportUnreadable({ file: NETBOX_TABLES[table].path, number, reason });
  }

  /** Passes every row of a list to `take`. Returns the number of rows that the server reports. */
  async readList(table: TableName, take: (row: unknown) => void): Promise<number> {
    const { path } = NETBOX_TABLES[table];
    const first = await this.#readPage(table, 0, MAX_PAGE_SIZE);
    if (first === undefined) return 0;
    const step = first.results.length;
    let done = step;
    for (const row of first.results) take(row);
    this.#watcher.reportProgress(path, done, first.count);
    const offsets: number[] = [];
    for (let offset = step; step > 0 && offset < first.count; offset += step) offsets.push(offset);
    let next = 0;
    const work = async () => {
      for (let index = next++; index < offsets.length; index = next++) {
        const page = await this.#readPage(table, offsets[index] ?? 0, step);
        for (const row of page?.results ?? []) take(row);
        done += page?.results.length ?? 0;
        this.#watcher.reportProgress(path, done, first.count);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, work));
    return first.count;
  }

  /** Reads changes after an entry of the log, or only its newest entry; undefined if this server does not show its log. */
  async readNewestChanges(after?: number): Promise<NewestChanges | undefined> {
    for (const path of CHANGE_LISTS) {
      const url = new URL(`${this.#address.url}/api/${path}/`);
      url.searchParams.set("limit", String(after === undefined ? 1 : MAX_PAGE_SIZE));
      url.searchParams.set("ordering", "-id");
      const response = await this.#requestWithRetries(url, [400, 403, 404]);
      if (!isJsonObject(response) || !Array.isArray(response["results"])) continue;
      const results = response["results"].filter((one) => isJsonObject(one) && typeof one["id"] === "number");
      const newer = results.filter(({ id }) => after !== undefined && id > after);
      const models = newer.map((one) => String(one["changed_object_type"]).split(".")[1] ?? "");
      return {
        last: results[0]?.id ?? 0,
        models: new Set(models.map((model) => TABLES_BY_MODEL[model] ?? model)),
        isCut: newer.length === MAX_PAGE_SIZE,
      };
    }
    return undefined;
  }

  /** Reads one page; undefined for a list that this version of NetBox does not have. */
  async #readPage(table: TableName, offset: number, limit: number): Promise<RestPage | undefined> {
    const url = new URL(`${this.#address.url}/api/${NETBOX_TABLES[table].path}/`);
    url.searchParams.set("limit", String(limit));
    url.searchParams.set("offset", String(offset));
    url.searchParams.set("ordering", "id");
    const { siteParameter }: TableSchema = NETBOX_TABLES[table];
    if (siteParameter !== undefined)
      for (const site of this.#address.sites) url.searchParams.append(siteParameter, site);
    if (table === "device") url.searchParams.set("exclude", "config_context");
    const response = await this.#requestWithRetries(url, OPTIONAL_TABLES.includes(table) ? [404] : []);
    if (response === undefined) return undefined;
    if (isJsonObject(response) && Array.isArray(response["results"])) {
      const { results, count } = response;
      return { results, count: typeof count === "number" ? count : results.length };
    }
    throw new OperationError(
      "invalid_argument",
      `${url.pathname} answered no list: expected count and results, as NetBox answers`,
    );
  }

  async #requestWithRetries(url: ParsedUrl, absent: readonly number[]): Promise<unknown> {
    let reason = "";
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (attempt > 0) this.#watcher.reportProgress(`${url.pathname}: ${reason}, attempt ${attempt + 1}`, 0, undefined);
      await this.#waitForRateLimit();
      const outcome = await this.#request(url);
      if ("value" in outcome) return outcome.value;
      if (outcome.status !== undefined && absent.includes(outcome.status)) return undefined;
      reason = outcome.reason;
      if (!outcome.isTemporary) throw new OperationError(outcome.kind, `${url.origin}${url.pathname}: ${reason}`);
      await this.#pause(outcome.waitMs ?? this.#address.backoffMs * 2 ** attempt);
    }
    throw new OperationError("unavailable", `${url.origin}${url.pathname}: ${reason}, ${MAX_ATTEMPTS} times`);
  }

  /** Waits until a request is within the rate limit. */
  async #waitForRateLimit(): Promise<void> {
    requireRunningImport(this.#watcher);
    if (this.#address.rate === undefined) return;
    const now = Date.now();
    const at = Math.max(now, this.#nextRequestAt);
    this.#nextRequestAt = at + 1000 / this.#address.rate;
    if (at > now) await this.#pause(at - now);
  }

  async #pause(milliseconds: number): Promise<void> {
    await pause(Math.min(milliseconds, MAX_WAIT_MS), undefined, { signal: this.#watcher.signal }).catch(() => {});
    requireRunningImport(this.#watcher);
  }

  async #request(url: ParsedUrl): Promise<RequestOutcome> {
    const { token, timeoutMs } = this.#address;
    // Tokens of NetBox 4.5 and later begin with nbt_ and are bearer tokens.
    const scheme = token?.startsWith("nbt_") === true ? "Bearer" : "Token";
    const headers = { Accept: "application/json", ...(token !== undefined && { Authorization: `${scheme} ${token}` }) };
    const signal = AbortSignal.any([this.#watcher.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      // A redirect would send the token to another server.
      const response = await fetch(url, { headers, signal, redirect: "manual" });
      this.version = response.headers.get("api-version") ?? this.version;
      if (this.version !== undefined && compareVersions(this.version, OLDEST_NETBOX) < 0) {
        const expected = `expected ${OLDEST_NETBOX} to ${NEWEST_NETBOX}`;
        throw new OperationError("invalid_argument", `${url.origin} is NetBox ${this.version}: ${expected}`);
      }
      if (!response.ok) return classifyErrorResponse(response);
      return { value: JSON.parse(await readBody(response)) };
    } catch (error) {
      requireRunningImport(this.#watcher);
      if (error instanceof OperationError) throw error;
      const { name, message } = error as Error;
      return {
        isTemporary: true,
        kind: "unavailable",
        reason: name === "TimeoutError" ? "no answer in time" : message,
      };
    }
  }
}

type RequestOutcome =
  | { readonly value: unknown }
  | {
      readonly isTemporary: boolean;
      readonly kind: OperationError["kind"];
      readonly reason: string;
      readonly status?: number;
      readonly waitMs?: number;
    };

function classifyErrorResponse(response: Response): RequestOutcome {
  const { status, headers } = response;
  response.body?.cancel().catch(() => {});
  const passing = status === 429 || status >= 500;
  const waitMs = parseRetryAfterMs(headers.get("retry-after"));
  const refusals: Readonly<Record<number, readonly [OperationError["kind"], string]>> = {
    401: [
      "unauthenticated",
      "the token is missing or not known: expected NETBOX_TOKEN, NETBOX_TOKEN_FILE or --token-file",
    ],
    403: ["permission_denied", "the token may not read this list: expected the permission to view it"],
    404: ["not_found", "there is no such list: expected the address of a NetBox"],
  };
  const [kind, reason] = refusals[status] ?? ["unavailable", `HTTP ${status}`];
  const redirectHint =
    status >= 300 && status < 400 ? `: expected the address that ${headers.get("location") ?? "it"} leads to` : "";
  return {
    isTemporary: passing,
    kind,
    reason: `${reason}${redirectHint}`,
    status,
    ...(waitMs !== undefined && { waitMs }),
  };
}

/** Parses the header Retry-After, a number of seconds or a date, to milliseconds. */
function parseRetryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - Date.now());
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES)
      throw new OperationError("resource_exhausted", `A page is longer than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

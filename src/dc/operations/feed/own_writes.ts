import type { ChangeRecord } from "#dc/model/change_record.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { DcReader } from "#dc/ports.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import type { RowChange } from "./row_change.ts";

/**
 * Number of entries per page, and maximum number of pages. Our choice: many, because a rack's own entries are mixed
 * with those of its contents.
 */
const ENTRIES_PER_PAGE = 200;
const MAX_PAGES = 50;

export interface OwnWriteMatch {
  /** The entry that already records this version of the row. */
  readonly own?: ChangeRecord;
  /** The latest entry of the resource, whichever version it records. */
  readonly latest?: ChangeRecord;
}

/**
 * Finds the change log entry that records a row version. An entry other than the latest matches only one delivery, so
 * that the return of an older version counts as a new change. Cost: usually two statements; if a rack's own entries are
 * old, the entries of all its contents.
 */
export async function findOwnWrite(reader: DcReader, change: RowChange): Promise<OwnWriteMatch> {
  if (change.table === "port") return findPortWrite(reader, change);
  const candidates = change.writtenAt === undefined ? [] : await findEntriesWrittenAt(reader, change, change.writtenAt);
  for (const record of candidates) if (!(await reader.witnessed(record.seq))) return { own: record };
  const latest = await findFirstEntry(reader, change, () => true);
  if (latest !== undefined && doesEntryRecordRow(latest, change)) return { own: latest, latest };
  if (change.after !== undefined) return latest === undefined ? {} : { latest };
  // The event of a deleted row has no time, and may arrive after the resource was created again.
  const removed = await findFirstEntry(reader, change, ({ action }) => action === "DELETE");
  const known = removed !== undefined && !(await reader.witnessed(removed.seq));
  return { ...(known && { own: removed }), ...(latest !== undefined && { latest }) };
}

async function findEntriesWrittenAt(
  reader: DcReader,
  change: RowChange,
  moment: string,
): Promise<readonly ChangeRecord[]> {
  const time = Date.parse(moment);
  if (Number.isNaN(time)) return [];
  const until = new Date(time + 1).toISOString();
  const since = new Date(time).toISOString();
  const found = await reader.history({
    entity: change.entity,
    since,
    until,
    descending: true,
    limit: ENTRIES_PER_PAGE,
  });
  return found.filter((record) => isEntryOf(record, change.entity) && doesEntryRecordRow(record, change));
}

async function findFirstEntry(
  reader: DcReader,
  { entity }: RowChange,
  matches: (record: ChangeRecord) => boolean,
): Promise<ChangeRecord | undefined> {
  let after: number | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await reader.history({
      entity,
      descending: true,
      limit: ENTRIES_PER_PAGE,
      ...(after !== undefined && { after }),
    });
    const record = found.find((one) => isEntryOf(one, entity) && matches(one));
    if (record !== undefined || found.length < ENTRIES_PER_PAGE) return record;
    after = found.at(-1)?.seq;
  }
  return undefined;
}

function isEntryOf(record: ChangeRecord, entity: string): boolean {
  return toRefKey(record.entity) === toRefKey(entity);
}

/**
 * Whether an entry records a row version. Ignores ports: their rows are separate, but the log includes them in the
 * device.
 */
function doesEntryRecordRow({ action, after }: ChangeRecord, change: RowChange): boolean {
  if (change.after === undefined) return action === "DELETE";
  return formatCanonicalJson(omitPorts(after)) === formatCanonicalJson(omitPorts(change.after));
}

function omitPorts(json: unknown): object {
  const { ports: _, ...rest } = json as { readonly ports?: unknown };
  return rest;
}

/** Finds the entry that records a port's row. The row has no time: any of the device's latest entries may record it. */
async function findPortWrite(reader: DcReader, change: RowChange): Promise<OwnWriteMatch> {
  const { entity, loggedAs } = change;
  const entries = await reader.history({ entity: loggedAs, descending: true, limit: ENTRIES_PER_PAGE });
  const latest = entries.find((one) => isEntryOf(one, entity) || isEntryOf(one, loggedAs));
  const own = entries.find((one) =>
    isEntryOf(one, entity) ? doesEntryRecordRow(one, change) : doesEntryRecordPort(one, change),
  );
  return { ...(own !== undefined && { own }), ...(latest !== undefined && { latest }) };
}

function doesEntryRecordPort(record: ChangeRecord, change: RowChange): boolean {
  if (!isEntryOf(record, change.loggedAs)) return false;
  const name = change.entity.slice(change.entity.indexOf("/") + 1);
  const is = findPortJson(record.after, name);
  if (change.after === undefined) return is === undefined && findPortJson(record.before, name) !== undefined;
  return is !== undefined && formatCanonicalJson(is) === formatCanonicalJson(change.after);
}

function findPortJson(device: unknown, name: string): object | undefined {
  const { ports = [] } = (device ?? {}) as { readonly ports?: readonly { readonly name: string }[] };
  return ports.find((port) => port.name === name);
}

import { getResourceKey } from "#dc/model/ref.ts";
import type { DeviceFilter as FilterMessage } from "#gen/datacenter/v1/messages.ts";
import type { AuditAction, AuditInterface } from "./model/enum_values.ts";
import type { ChangeRecord, Inventory, NetworkPortSummary, SiteReader } from "./model/inventory.ts";
import type { ReadingReader, ReadingWriter } from "./model/readings/reading_store.ts";
import type { Cable, Device, DeviceBody, ResourceByKind, ResourceKind } from "./model/resources.ts";

/** A resource with its etag and times, ISO 8601 in UTC. */
export interface StoredVersion<Resource> {
  readonly resource: Resource;
  readonly etag: string;
  readonly createTime: string;
  readonly updateTime: string;
}

export interface LocationArea {
  readonly siteId: string;
  readonly floorNumber: number;
  readonly name: string;
}

/** A filter of devices: fields are joined by AND, values of one field by OR, tags and labels by AND. */
export interface DeviceFilter extends Partial<Omit<FilterMessage, LocationFilterField | PowerFilterField>> {
  readonly floors?: readonly Omit<LocationArea, "name">[];
  readonly rooms?: readonly LocationArea[];
  readonly rows?: readonly LocationArea[];
  /** Selects only devices with these codes, such as those that `fed_by` supplies. */
  readonly codes?: readonly string[];
  /** Excludes devices with these codes. */
  readonly exceptCodes?: readonly string[];
}

type LocationFilterField = "floorRefs" | "roomRefs" | "rowRefs";
export type PowerFilterField = "fedBy" | "redundancyUnmet" | "redundancyUnknown" | "supplyStates";

export const DEVICE_ORDERS = ["code", "name", "role", "rack_code", "position_u", "update_time", "draw_w"] as const;
export type DeviceOrder = (typeof DEVICE_ORDERS)[number];

/** Last row of the previous page: its value in the order column and its key. */
export interface PageCursor {
  readonly value: string | number;
  readonly key: string;
}

export interface DeviceQuery {
  readonly filter: DeviceFilter;
  readonly order: DeviceOrder;
  readonly descending: boolean;
  readonly after?: PageCursor;
  readonly limit: number;
}

/** A page and the number of matches on all pages, from one snapshot. */
export interface DevicePage {
  readonly devices: readonly StoredVersion<DeviceBody>[];
  /** Start of the next page; absent on the last one. */
  readonly next?: PageCursor;
  readonly total: number;
  readonly roleCounts: ReadonlyMap<string, number>;
}

export interface HistoryQuery {
  /** Matches the changed resource and the resources that contain it. */
  readonly entity?: string;
  readonly actor?: string;
  /** How the actor was authenticated. */
  readonly authMethod?: string;
  readonly action?: AuditAction;
  readonly requestId?: string;
  readonly interface?: AuditInterface;
  readonly since?: string;
  readonly until?: string;
  readonly descending: boolean;
  /** Sequence number of the last entry of the previous page. */
  readonly after?: number;
  readonly limit: number;
}

/** Head of the hash chain; seq 0 and an empty hash before the first change. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The reply of a request_id, returned again for the same request. */
export interface RememberedRequest {
  readonly principal: string;
  readonly requestId: string;
  readonly method: string;
  /** Hash of the request, which distinguishes a repetition from another request with the same id. */
  readonly fingerprint: string;
  /** The reply as proto JSON text. */
  readonly reply: string;
  readonly createdAt: string;
}

/** A row version that a change feed has delivered. */
export interface FeedDelivery {
  readonly table: string;
  /** Primary key as JSON text. */
  readonly rowKey: string;
  /** Commit position, which distinguishes the versions of a row. */
  readonly mark: string;
  /** Sequence number of the log entry that records it; 0 if the delivery counts for no entry. */
  readonly seq: number;
  readonly receivedAt: string;
}

/** An event of a change feed that could not be interpreted, stored for an operator. */
export interface DeadLetter {
  readonly id: string;
  readonly receivedAt: string;
  readonly feed: string;
  readonly reason: string;
  /** The event as JSON text, truncated if it is long. */
  readonly body: string;
}

/** A small JSON document that the service stores beside the resources. */
export interface StoredDocument {
  readonly key: string;
  readonly body: string;
}

/** A row of the change log as stored: the entry as JSON text, and its search columns. */
export interface LogRow {
  readonly seq: number;
  readonly occurredAt: string;
  readonly principal: string;
  readonly action: string;
  readonly requestId: string;
  readonly interface: string;
  readonly hash: string;
  readonly body: string;
}

/** A row that maps a reference to an entry of the change log. */
export interface LogReference {
  readonly refKey: string;
  readonly seq: number;
}

/** A signed checkpoint of the change log, stored in the database. */
export interface StoredCheckpoint {
  readonly size: number;
  readonly note: string;
}

/** A stored resource, and the faults of the columns and rows that are derived from it. */
export interface CheckedRow {
  readonly key: string;
  /** Undefined if the row cannot be parsed. */
  readonly stored?: StoredVersion<ResourceByKind[ResourceKind]>;
  readonly problem?: string;
}

export type ResourceKeys = Readonly<Record<ResourceKind, readonly string[]>>;

/** Number of racks, cooling units and devices of a floor. */
export interface FloorCounts {
  /** Empty for resources without a location. */
  readonly siteId: string;
  readonly floorNumber: number;
  readonly rack: number;
  readonly crac: number;
  readonly device: number;
}

export interface InventoryCounts {
  /** Every floor that has resources, unordered. */
  readonly floors: readonly FloorCounts[];
  /** Fabric of each link, one entry per link. */
  readonly links: readonly string[];
  readonly cables: number;
  readonly ports: number;
}

/** One snapshot: all queries of one `read` see the same state. */
export interface DcReader extends SiteReader, ReadingReader {
  /** Returns the devices that exist. Cost: one query for any number of keys. */
  devices(codes: readonly string[]): Promise<readonly Device[]>;
  /** Returns network ports by the key of their device, if it has any. Cost: one query for any number of keys. */
  networkPorts(codes: readonly string[]): Promise<ReadonlyMap<string, NetworkPortSummary>>;
  /** Returns a number that rises with every committed write transaction that changed something. */
  revision(): Promise<number>;
  stored<Kind extends ResourceKind>(kind: Kind, key: string): Promise<StoredVersion<ResourceByKind[Kind]> | undefined>;
  /** Returns cables with an end at a device, in the order of keys. Cost: one query for any number of cables. */
  storedCablesOf(deviceCode: string): Promise<readonly StoredVersion<Cable>[]>;
  searchDevices(query: DeviceQuery): Promise<DevicePage>;
  /** Returns the keys of devices that have a data port without a cable. Cost: one index scan of port types. */
  devicesWithFreePorts(): Promise<ReadonlySet<string>>;
  history(query: HistoryQuery): Promise<readonly ChangeRecord[]>;
  chainHead(): Promise<ChainHead>;
  remembered(principal: string, requestId: string): Promise<RememberedRequest | undefined>;
  setting(name: SettingName): Promise<string | undefined>;
  document(space: string, key: string): Promise<string | undefined>;
  /** Returns documents of a space in the order of keys, starting after `after`. */
  documents(space: string, after: string, limit: number): Promise<readonly StoredDocument[]>;
  /** Returns rows of the change log after a seq, in order. */
  logRows(after: number, limit: number): Promise<readonly LogRow[]>;
  /** Returns references into the change log after a given one, in the order of their keys. */
  logReferences(after: LogReference | undefined, limit: number): Promise<readonly LogReference[]>;
  /** Returns rows of a kind after a key, compared with the columns and rows that are derived from them. */
  checkRows(kind: ResourceKind, after: string, limit: number): Promise<readonly CheckedRow[]>;
  /** Returns tables that have rows without a resource, with the number of these rows. */
  strayRows(): Promise<ReadonlyMap<string, number>>;
  /** Returns tables with times after a moment, in milliseconds since 1970, with the latest. Cost: a scan of each. */
  timesAfter(moment: number): Promise<ReadonlyMap<string, number>>;
  /** Returns all stored checkpoints, smallest first. */
  checkpoints(): Promise<readonly StoredCheckpoint[]>;
  /** Whether this version of a row was delivered before. */
  delivered(table: string, rowKey: string, mark: string): Promise<boolean>;
  /** Whether a delivery has been matched with this entry of the change log. */
  witnessed(seq: number): Promise<boolean>;
  /** Returns dead letters, newest first. */
  deadLetters(limit: number): Promise<readonly DeadLetter[]>;
  deadLetter(id: string): Promise<DeadLetter | undefined>;
  countDeadLetters(): Promise<number>;
  /**
   * Returns references of resources that changed after a seq of the change log, each once, unordered, at most `limit`;
   * undefined if entries after the seq have been archived.
   */
  changedSince(seq: number, limit: number): Promise<readonly string[] | undefined>;
  inventory(): Promise<Inventory>;
  /** Returns resources of a kind in the order of keys, starting after `after`, to page through the inventory. */
  page<Kind extends ResourceKind>(kind: Kind, after: string, limit: number): Promise<readonly ResourceByKind[Kind][]>;
  inventoryCounts(): Promise<InventoryCounts>;
  /**
   * Returns the inventory with power ports and power cables only: all that the power graph needs. With `among`, only
   * resources with these keys, and the power cables of these devices.
   */
  powerInventory(among?: ResourceKeys): Promise<Inventory>;
}

/** One transaction: it sees its own writes; other transactions see all of them or none. */
export interface DcWriter extends DcReader, ReadingWriter {
  /** Loads the resources that rules will read about resources to be written, in few queries. Changes nothing. */
  preloadResources(kind: ResourceKind, resources: readonly ResourceByKind[ResourceKind][]): Promise<void>;
  put<Kind extends ResourceKind>(
    kind: Kind,
    stored: StoredVersion<ResourceByKind[Kind]>,
    before?: ResourceByKind[Kind],
  ): Promise<void>;
  remove(kind: ResourceKind, key: string): Promise<void>;
  /** Adds entries to the change log. */
  append(records: readonly ChangeRecord[]): Promise<void>;
  keepCheckpoint(checkpoint: StoredCheckpoint): Promise<void>;
  /** Removes the entries up to a seq from the change log. */
  dropLog(until: number): Promise<void>;
  /** Marks the inventory as changed; returns the new revision. The same transaction must add the changes to the log. */
  raiseRevision(): Promise<number>;
  remember(request: RememberedRequest): Promise<void>;
  /** Removes stored replies older than `before`. */
  forget(before: string): Promise<void>;
  setSetting(name: SettingName, value: string): Promise<void>;
  putDocument(space: string, key: string, body: string): Promise<void>;
  dropDocument(space: string, key: string): Promise<void>;
  keepDelivery(delivery: FeedDelivery): Promise<void>;
  keepDeadLetter(letter: DeadLetter): Promise<void>;
  dropDeadLetter(id: string): Promise<void>;
  /** Runs `work` in a savepoint. If it throws, rolls its writes back and rethrows. Savepoints nest. */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface QueueUse {
  readonly limit: number;
  readonly running: number;
  readonly waiting: number;
}

/**
 * The database of one inventory. `write` commits if `work` returns and rolls back if it throws.
 * Refusals are `OperationError`: `unavailable` if the database cannot be reached, `aborted` if a transaction conflicted
 * more often than it is retried. `work` may be called several times, so it must have no other effects.
 */
export interface DcStore {
  read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result>;
  write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` on a snapshot as a write would, and then discards its changes. Writes continue meanwhile. `work` may
   * only read the resources that it changes and those that rules read.
   */
  draft<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result>;
  /** Returns the revision that a new read would get. Cost: one statement, no transaction. */
  revision(): Promise<number>;
  /** Checks whether reads and writes can succeed now. @throws OperationError unavailable with the reason as cause. */
  check(): Promise<void>;
  /** Returns the current numbers of running and waiting transactions. Does not query the database. */
  use(): Readonly<Record<"read" | "write", QueueUse>>;
  close(): Promise<void>;
}

/** Meanings of the settings that a database stores beside the inventory, by name. */
export const SETTING_MEANINGS = {
  revision: "rises with every change; caches follow it",
  readings_revision: "rises with every report that changes a reading",
  time_passed: "time that servers saw pass, and what their clocks showed: readings and replies expire by it",
  notices_revision: "rises with every change of notices",
  notices_seq: "number of the last notice",
  notices_receivers: "names of the receivers of notices",
  notices_lease: "server that sends the notices, and how often it has said so",
  page_token_key: "key that seals page tokens",
  feed_resolved: "how far each change feed has promised to be",
  audit_head: "number and hash of the last entry of the change log",
  audit_since: "the same when a database of version 0.1.0 was taken over",
  audit_base: "hash and Merkle tree of the last archived entry",
  audit_signed: "hash and Merkle tree of the last entry that a checkpoint covers",
  audit_origin: "name under which the log is signed",
} as const;

export type SettingName = keyof typeof SETTING_MEANINGS;

/**
 * Spaces of the documents that a database stores beside the inventory. The change log records the first two; imports
 * have one for each source, `origin:<source>`. A verification names documents of other spaces.
 */
export const DOCUMENT_SPACES = ["window", "device_type", "notice", "notice_state", "reading_finding"] as const;

/** Number of rows per page. Our choice: one page takes some milliseconds. */
const PAGE_SIZE = 500;

/** Yields all documents of a space in pages, in the order of keys. */
export function readDocumentPages(
  reader: Pick<DcReader, "documents">,
  space: string,
): AsyncGenerator<readonly StoredDocument[]> {
  return readPagesByKey(
    (after) => reader.documents(space, after, PAGE_SIZE),
    ({ key }) => key,
  );
}

/** Yields all resources of a kind in pages, in the order of keys. */
export function readResourcePages<Kind extends ResourceKind>(
  reader: DcReader,
  kind: Kind,
): AsyncGenerator<readonly ResourceByKind[Kind][]> {
  return readPagesByKey((after) => reader.page(kind, after, PAGE_SIZE), getResourceKey);
}

async function* readPagesByKey<Row>(
  readPage: (after: string) => Promise<readonly Row[]>,
  getKey: (row: Row) => string,
): AsyncGenerator<readonly Row[]> {
  for (let after = ""; ; ) {
    const page = await readPage(after);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = getKey(last);
  }
}

import type { ChangeRecord } from "./model/change_record.ts";
import type { AuditAction, AuditInterface, DeviceKind, DeviceStatus } from "./model/enum_values.ts";
import type { Inventory } from "./model/inventory.ts";
import type { NetworkPorts } from "./model/network_ports.ts";
import type { Cable, Device, DeviceBody, ResourceByKind, ResourceKind } from "./model/resources.ts";
import type { SiteReader } from "./model/site.ts";

/** A resource with what the service keeps beside it. Moments are ISO 8601 in UTC. */
export interface Stored<Resource> {
  readonly resource: Resource;
  readonly etag: string;
  readonly createTime: string;
  readonly updateTime: string;
}

/** An area of a floor, as a filter names it. */
export interface Area {
  readonly siteId: string;
  readonly floorNumber: number;
  readonly name: string;
}

/** Which devices are meant: fields join with AND, the values of one field with OR, tags and labels with AND. */
export interface DeviceFilter {
  readonly query?: string;
  readonly kinds?: readonly DeviceKind[];
  readonly roles?: readonly string[];
  readonly statuses?: readonly DeviceStatus[];
  readonly siteIds?: readonly string[];
  readonly floors?: readonly { readonly siteId: string; readonly floorNumber: number }[];
  readonly rooms?: readonly Area[];
  readonly rows?: readonly Area[];
  readonly rackCodes?: readonly string[];
  readonly manufacturers?: readonly string[];
  readonly models?: readonly string[];
  readonly tags?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly racked?: boolean;
  readonly singleCorded?: boolean;
  /** Only these codes; how `fed_by` reaches the database. */
  readonly codes?: readonly string[];
  /** None of these codes. */
  readonly exceptCodes?: readonly string[];
  readonly minDrawW?: number;
  readonly maxDrawW?: number;
  readonly updatedSince?: string;
  readonly portType?: string;
  readonly hasFreePort?: boolean;
}

export const DEVICE_ORDERS = ["code", "name", "role", "rack_code", "position_u", "update_time", "draw_w"] as const;
export type DeviceOrder = (typeof DEVICE_ORDERS)[number];

/** The last row of the page before: its value in the order's column and its key. */
export interface Cursor {
  readonly value: string | number;
  readonly key: string;
}

export interface DeviceQuery {
  readonly filter: DeviceFilter;
  readonly order: DeviceOrder;
  readonly descending: boolean;
  readonly after?: Cursor;
  readonly limit: number;
}

/** A page and, from the same snapshot, how many devices match on all pages. */
export interface DevicePage {
  readonly devices: readonly Stored<DeviceBody>[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: Cursor;
  readonly total: number;
  readonly roleCounts: ReadonlyMap<string, number>;
}

export interface HistoryQuery {
  /** Matches the changed thing and what it belongs to. */
  readonly entity?: string;
  readonly actor?: string;
  readonly action?: AuditAction;
  readonly requestId?: string;
  readonly interface?: AuditInterface;
  readonly since?: string;
  readonly until?: string;
  readonly descending: boolean;
  /** The last seq of the page before. */
  readonly after?: number;
  readonly limit: number;
}

/** The end of the chain; seq 0 and an empty hash before the first change. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** An answer kept for a request_id, so that the same request gets it again. */
export interface RememberedRequest {
  readonly principal: string;
  readonly requestId: string;
  readonly method: string;
  /** Hash of the request, which distinguishes a repetition from another request under the same id. */
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
  /** Entry of the change log about it; 0 without one. */
  readonly seq: number;
  readonly receivedAt: string;
}

/** An event of a change feed that could not be understood, kept for a person. */
export interface DeadLetter {
  readonly id: string;
  readonly receivedAt: string;
  readonly feed: string;
  readonly reason: string;
  /** The event as JSON text, cut when it is long. */
  readonly body: string;
}

/** A small JSON document that the service keeps beside the resources. */
export interface KeptDocument {
  readonly key: string;
  readonly body: string;
}

/** A row of the change log as it is stored: the entry as JSON text, and the columns by which it is found. */
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

/** A row that leads from a reference to an entry of the change log. */
export interface LogReference {
  readonly refKey: string;
  readonly seq: number;
}

/** A signed statement about the change log, kept in the database. */
export interface StoredCheckpoint {
  readonly size: number;
  readonly note: string;
}

/** A stored resource, and what is wrong with the columns and rows that are derived from it. */
export interface CheckedRow {
  readonly key: string;
  /** Undefined when the row cannot be read. */
  readonly stored?: Stored<ResourceByKind[ResourceKind]>;
  readonly problem?: string;
}

/** Keys of resources by their kind. */
export type ResourceKeys = Readonly<Record<ResourceKind, readonly string[]>>;

/** How many racks, cooling units and devices a floor has. */
export interface FloorCounts {
  /** Empty for what stands nowhere. */
  readonly siteId: string;
  readonly floorNumber: number;
  readonly rack: number;
  readonly crac: number;
  readonly device: number;
}

/** What there is, counted. */
export interface InventoryCounts {
  /** Every floor on which something stands, in no order. */
  readonly floors: readonly FloorCounts[];
  /** The fabric of every link. */
  readonly links: readonly string[];
  readonly cables: number;
  readonly ports: number;
}

/** One snapshot: every look-up of one `read` sees the same state. */
export interface DcReader extends SiteReader {
  /** Those of these devices that are there: one look-up, however many they are. */
  devices(codes: readonly string[]): Promise<readonly Device[]>;
  /** The network ports of devices, by the keys of those that have any: one look-up, however many they are. */
  networkPorts(codes: readonly string[]): Promise<ReadonlyMap<string, NetworkPorts>>;
  /** Rises with every committed write transaction that changed something. */
  revision(): Promise<number>;
  stored<Kind extends ResourceKind>(kind: Kind, key: string): Promise<Stored<ResourceByKind[Kind]> | undefined>;
  /** Cables with an end at a device, in the order of keys: one look-up, however many they are. */
  storedCablesOf(deviceCode: string): Promise<readonly Stored<Cable>[]>;
  searchDevices(query: DeviceQuery): Promise<DevicePage>;
  /** Keys of the devices that have a data port without a cable: one walk over the index of port types. */
  devicesWithFreePorts(): Promise<ReadonlySet<string>>;
  history(query: HistoryQuery): Promise<readonly ChangeRecord[]>;
  chainHead(): Promise<ChainHead>;
  remembered(principal: string, requestId: string): Promise<RememberedRequest | undefined>;
  setting(name: string): Promise<string | undefined>;
  document(space: string, key: string): Promise<string | undefined>;
  /** Documents of a space in the order of keys, beginning after `after`. */
  documents(space: string, after: string, limit: number): Promise<readonly KeptDocument[]>;
  /** Rows of the change log behind a seq, in order. */
  logRows(after: number, limit: number): Promise<readonly LogRow[]>;
  /** References into the change log behind one of them, in the order of their keys. */
  logReferences(after: LogReference | undefined, limit: number): Promise<readonly LogReference[]>;
  /** Rows of a kind behind a key, compared with the columns and rows that follow from them. */
  checkRows(kind: ResourceKind, after: string, limit: number): Promise<readonly CheckedRow[]>;
  /** Tables with rows that belong to no resource, with their number. */
  strayRows(): Promise<ReadonlyMap<string, number>>;
  /** Every kept checkpoint, the smallest first. */
  checkpoints(): Promise<readonly StoredCheckpoint[]>;
  /** Whether this version of a row was delivered before. */
  delivered(table: string, rowKey: string, mark: string): Promise<boolean>;
  /** Whether a delivery has been matched with this entry of the change log. */
  witnessed(seq: number): Promise<boolean>;
  /** Newest first. */
  deadLetters(limit: number): Promise<readonly DeadLetter[]>;
  deadLetter(id: string): Promise<DeadLetter | undefined>;
  countDeadLetters(): Promise<number>;
  /**
   * References of what changed behind a seq of the change log, each once, in no order; at most `limit` of them.
   * Undefined when entries behind the seq have been archived.
   */
  changedSince(seq: number, limit: number): Promise<readonly string[] | undefined>;
  inventory(): Promise<Inventory>;
  /** Resources of a kind in the order of keys, beginning behind `after`: the inventory in pages, whatever its size. */
  page<Kind extends ResourceKind>(kind: Kind, after: string, limit: number): Promise<readonly ResourceByKind[Kind][]>;
  inventoryCounts(): Promise<InventoryCounts>;
  /**
   * The inventory with power ports and power cables only: a fraction of a large one, and all that power needs.
   * With `among`, only these keys, and the power cables of these devices.
   */
  powerInventory(among?: ResourceKeys): Promise<Inventory>;
}

/** One transaction: it sees its own writes, others see all of them or none. */
export interface DcWriter extends DcReader {
  /** Looks up at once what rules will ask about resources that are going to be written; says nothing and changes nothing. */
  lookAhead(kind: ResourceKind, resources: readonly ResourceByKind[ResourceKind][]): Promise<void>;
  put<Kind extends ResourceKind>(kind: Kind, stored: Stored<ResourceByKind[Kind]>): Promise<void>;
  remove(kind: ResourceKind, key: string): Promise<void>;
  /** Adds entries to the change log. */
  append(records: readonly ChangeRecord[]): Promise<void>;
  keepCheckpoint(checkpoint: StoredCheckpoint): Promise<void>;
  /** Removes the entries up to a seq from the change log. */
  dropLog(until: number): Promise<void>;
  /** Marks the inventory as changed; `append` must record what changed in the same transaction. */
  raiseRevision(): Promise<number>;
  remember(request: RememberedRequest): Promise<void>;
  /** Forgets answers older than `before`. */
  forget(before: string): Promise<void>;
  setSetting(name: string, value: string): Promise<void>;
  putDocument(space: string, key: string, body: string): Promise<void>;
  dropDocument(space: string, key: string): Promise<void>;
  keepDelivery(delivery: FeedDelivery): Promise<void>;
  keepDeadLetter(letter: DeadLetter): Promise<void>;
  dropDeadLetter(id: string): Promise<void>;
  /** Runs `work`; when it throws, undoes what it wrote and throws on. Savepoints nest. */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** How far what runs at once is taken up. */
export interface QueueUse {
  readonly limit: number;
  readonly running: number;
  readonly waiting: number;
}

/**
 * The database of one inventory. `write` commits when `work` answers and undoes everything when it throws.
 * Refusals are `OperationError`: `unavailable` when the database cannot be reached, `aborted` when a transaction lost
 * against another one more often than it was retried. `work` may therefore be called again: it has no other effects.
 */
export interface DcStore {
  read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result>;
  write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result>;
  /** The revision that a read would see that began now, by one statement and without a transaction. */
  revision(): Promise<number>;
  /**
   * Finds out whether reads and writes can succeed now. @throws OperationError unavailable with the reason as its cause
   */
  check(): Promise<void>;
  /** Transactions that run and wait at this moment; no question to the database. */
  use(): Readonly<Record<"read" | "write", QueueUse>>;
  close(): Promise<void>;
}

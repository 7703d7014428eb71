import type { ChangeRecord } from "#dc/model/inventory.ts";
import type { OwnerKind, StoredReading } from "#dc/model/readings/reading_store.ts";
import { codeKey, getResourceKey, listEdgeDeviceKeys } from "#dc/model/ref.ts";
import type {
  Cable,
  Device,
  DeviceBody,
  FabricLink,
  PortRef,
  ResourceByKind,
  ResourceKind,
} from "#dc/model/resources.ts";
import type {
  DcWriter,
  DeadLetter,
  FeedDelivery,
  RememberedRequest,
  SettingName,
  StoredCheckpoint,
  StoredVersion,
} from "#dc/ports.ts";
import { TransactionCache } from "../transaction_cache.ts";
import { createLogEntryRows, DELETE_DERIVED_ROWS, DERIVED_ROWS, ROW_TABLES, RowBuffer } from "./row_buffer.ts";
import { recountFreePorts } from "./row_check.ts";
import { AUDIT_HEAD_SETTING, SqlReader } from "./sql_reader.ts";
import { READINGS_SETTING, removeLostReadings, writeReadings } from "./sql_readings.ts";
import {
  createInsertSql,
  createResourceColumns,
  type Dialect,
  getTextColumn,
  getUpsertSql,
  type RowColumns,
  readCableEnds,
  readStoredResources,
  type SqlRow,
  type SqlRunner,
} from "./sql_runner.ts";

/** Write methods, in the same SQL for every dialect. The transaction's cache serves reads that rules repeat. */
export class SqlWriter extends SqlReader implements DcWriter {
  readonly #rows: RowBuffer;
  readonly #cache = new TransactionCache();
  /** Keys of devices whose free ports must be counted again at the end of the transaction. */
  readonly #recountedDevices = new Set<string>();
  /** Keys of removed or changed resources by kind. Their lost readings are removed at the end of the transaction. */
  readonly #changedOwners = new Map<OwnerKind, Set<string>>();
  /** Settings that the transaction has set; one statement writes them at its end. */
  #settings: ReadonlyMap<string, string> = new Map();
  /** Settings that the statement which began the transaction returned. */
  readonly #initialSettings: ReadonlyMap<string, string>;
  #savepointDepth = 0;

  private constructor(rows: RowBuffer, dialect: Dialect, begun: readonly SqlRow[]) {
    super(rows, dialect);
    this.#rows = rows;
    this.#initialSettings = new Map(begun.map((row) => [getTextColumn(row, "name"), getTextColumn(row, "value")]));
  }

  /**
   * Runs `work`, writes the rows that are still buffered, and counts the free ports of changed devices.
   * @param begun rows of `setting` that the statement which began the transaction returned
   */
  static async run<Result>(
    runner: SqlRunner,
    dialect: Dialect,
    work: (writer: SqlWriter) => Promise<Result>,
    begun: readonly SqlRow[] = [],
  ): Promise<Result> {
    const rows = new RowBuffer(runner);
    const writer = new SqlWriter(rows, dialect, begun);
    const result = await work(writer);
    await rows.flush();
    await writer.#writeSettings();
    await recountFreePorts(runner, dialect, writer.#recountedDevices);
    await removeLostReadings(runner, dialect, writer.#changedOwners);
    return result;
  }

  async preloadResources(kind: ResourceKind, resources: readonly ResourceByKind[ResourceKind][]): Promise<void> {
    await this.#cacheResources(kind, resources.map(getResourceKey));
    const ends = resources.flatMap((one) => ("code" in one ? [] : [one.a, one.b]));
    const devices = ends.map(({ deviceCode }) => codeKey(deviceCode));
    await this.#cacheResources("device", devices);
    if (kind !== "cable") return;
    const missing = this.#cache.findMissingCableEnds(devices);
    const found = await readCableEnds(this.runner, this.dialect, missing);
    for (const key of missing) this.#cache.addCableEnds(key, found.get(key) ?? new Map());
  }

  async #cacheResources(kind: ResourceKind, keys: readonly string[]): Promise<void> {
    const missing = this.#cache.findMissingResources(kind, keys);
    const found = await readStoredResources(this.runner, this.dialect, kind, missing);
    for (const key of missing) this.#cache.addResource(kind, key, found.get(key));
  }

  override stored<Kind extends ResourceKind>(
    kind: Kind,
    key: string,
  ): Promise<StoredVersion<ResourceByKind[Kind]> | undefined> {
    return this.#cache.getResource(kind, key, () => super.stored(kind, key));
  }

  override devicesInRack(rackCode: string): Promise<readonly Device[]> {
    return this.#cache.getRackDevices(codeKey(rackCode), () => super.devicesInRack(rackCode));
  }

  override childrenOf(deviceCode: string): Promise<readonly DeviceBody[]> {
    return this.#cache.getChildren(codeKey(deviceCode), () => super.childrenOf(deviceCode));
  }

  override cableAt({ deviceCode, portName }: PortRef): Promise<Cable | undefined> {
    const device = codeKey(deviceCode);
    return this.#cache.getCable(device, portName, async () => {
      const ends = await readCableEnds(this.runner, this.dialect, [device]);
      return ends.get(device) ?? new Map();
    });
  }

  override fabricLinksOf(deviceCode: string): Promise<readonly FabricLink[]> {
    return this.#cache.getFabricLinks(codeKey(deviceCode), () => super.fabricLinksOf(deviceCode));
  }

  override feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    return this.#cache.getFeedDeclarer(codeKey(feedId), () => super.feedDeclarer(feedId));
  }

  /** @param isKnownNew whether the caller knows that this database does not have the resource */
  async put<Kind extends ResourceKind>(
    kind: Kind,
    stored: StoredVersion<ResourceByKind[Kind]>,
    before?: ResourceByKind[Kind],
    isKnownNew = false,
  ): Promise<void> {
    const columns = createResourceColumns(kind, stored);
    const { resource } = stored;
    const key = getResourceKey(resource);
    const isNew = isKnownNew || this.#cache.isAbsent(kind, key);
    this.#cache.recordWrite(kind, stored, isNew, before);
    this.#addRecount(kind, resource, isNew);
    const row = ROW_TABLES[kind].map((name) => columns[name] ?? null);
    if (isNew) this.#rows.add(kind, row);
    else {
      if (kind === "device") this.#addChangedOwner(kind, key);
      await this.runner.run(getUpsertSql(kind, ROW_TABLES[kind], ["key"]), row);
      for (const statement of DELETE_DERIVED_ROWS[kind]) await this.runner.run(statement, [key]);
    }
    for (const [table, part] of DERIVED_ROWS[kind](key, resource)) this.#rows.add(table, part);
    await this.#rows.settle();
  }

  async remove(kind: ResourceKind, key: string): Promise<void> {
    this.#cache.recordRemoval(kind, key);
    if (kind === "cable") for (const device of listEdgeDeviceKeys(key)) this.#recountedDevices.add(device);
    await this.runner.run(`DELETE FROM ${kind} WHERE key = ?`, [key]);
    if (kind === "device" || kind === "crac" || kind === "rack") this.#addChangedOwner(kind, key);
  }

  #addChangedOwner(kind: OwnerKind, key: string): void {
    const known = this.#changedOwners.get(kind);
    if (known === undefined) this.#changedOwners.set(kind, new Set([key]));
    else known.add(key);
  }

  async keepReadings(readings: readonly StoredReading[]): Promise<void> {
    await writeReadings(this.runner, readings);
    await this.setSetting(READINGS_SETTING, String((await this.readingsRevision()) + 1));
  }

  async dropReadings(before: number): Promise<void> {
    await this.runner.run("DELETE FROM reading WHERE measured_at < ?", [before]);
  }

  #addRecount(kind: ResourceKind, resource: ResourceByKind[ResourceKind], isNew: boolean): void {
    // `kind` names the type of the resource, which the compiler cannot follow.
    if (kind === "cable") {
      const { a, b } = resource as Cable;
      this.#recountedDevices.add(codeKey(a.deviceCode)).add(codeKey(b.deviceCode));
    }
    if (kind !== "device") return;
    const { code, ports = [] } = resource as Device;
    if (!isNew || ports.length > 0) this.#recountedDevices.add(codeKey(code));
  }

  async append(records: readonly ChangeRecord[]): Promise<void> {
    const last = records.at(-1);
    if (last !== undefined) await this.setSetting(AUDIT_HEAD_SETTING, `${last.seq} ${last.hash}`);
    for (const record of records) {
      for (const [table, row] of createLogEntryRows(record)) this.#rows.add(table, row);
      await this.#rows.settle();
    }
  }

  async keepCheckpoint({ size, note }: StoredCheckpoint): Promise<void> {
    await this.#upsert("audit_checkpoint", ["size"], { size, note });
  }

  async dropLog(until: number): Promise<void> {
    await this.runner.run("DELETE FROM change_ref WHERE seq <= ?", [until]);
    await this.runner.run("DELETE FROM change_log WHERE seq <= ?", [until]);
  }

  async raiseRevision(): Promise<number> {
    const next = (await this.revision()) + 1;
    await this.setSetting("revision", String(next));
    return next;
  }

  override async setting(name: SettingName): Promise<string | undefined> {
    return this.#settings.get(name) ?? this.#initialSettings.get(name) ?? super.setting(name);
  }

  async setSetting(name: SettingName, value: string): Promise<void> {
    this.#settings = new Map(this.#settings).set(name, value);
  }

  async #writeSettings(): Promise<void> {
    if (this.#settings.size === 0) return;
    const insert = createInsertSql("setting", ["name", "value"], this.#settings.size);
    const params = [...this.#settings].flat();
    await this.runner.run(`${insert} ON CONFLICT (name) DO UPDATE SET value = excluded.value`, params);
  }

  async putDocument(space: string, key: string, body: string): Promise<void> {
    await this.#upsert("document", ["space", "key"], { space, key, body });
  }

  async dropDocument(space: string, key: string): Promise<void> {
    await this.runner.run("DELETE FROM document WHERE space = ? AND key = ?", [space, key]);
  }

  async remember({ principal, requestId, method, fingerprint, reply, createdAt }: RememberedRequest): Promise<void> {
    const row = { principal, request_id: requestId, method, fingerprint, reply, created_at: createdAt };
    await this.#upsert("remembered_request", ["principal", "request_id"], row);
  }

  async forget(before: string): Promise<void> {
    await this.runner.run("DELETE FROM remembered_request WHERE created_at < ?", [before]);
  }

  async keepDelivery({ table, rowKey, mark, seq, receivedAt }: FeedDelivery): Promise<void> {
    const row = { source_table: table, row_key: rowKey, mark, seq, received_at: receivedAt };
    await this.#insert("feed_delivery", row);
  }

  async keepDeadLetter({ id, receivedAt, feed, reason, body }: DeadLetter): Promise<void> {
    await this.#insert("dead_letter", { id, received_at: receivedAt, feed, reason, body });
  }

  async #insert(table: string, row: RowColumns): Promise<void> {
    await this.runner.run(createInsertSql(table, Object.keys(row), 1), Object.values(row));
  }

  async #upsert(table: string, keys: readonly string[], row: RowColumns): Promise<void> {
    await this.runner.run(getUpsertSql(table, Object.keys(row), keys), Object.values(row));
  }

  async dropDeadLetter(id: string): Promise<void> {
    await this.runner.run("DELETE FROM dead_letter WHERE id = ?", [id]);
  }

  async savepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#savepointDepth += 1;
    const name = `level_${this.#savepointDepth}`;
    const settings = this.#settings;
    await this.runner.run(`SAVEPOINT ${name}`);
    try {
      const result = await work();
      await this.runner.run(`RELEASE SAVEPOINT ${name}`);
      return result;
    } catch (error) {
      this.#rows.drop();
      this.#cache.clear();
      this.#settings = settings;
      await this.runner.run(`ROLLBACK TO SAVEPOINT ${name}`);
      await this.runner.run(`RELEASE SAVEPOINT ${name}`);
      throw error;
    } finally {
      this.#savepointDepth -= 1;
    }
  }
}

import type { ChangeRecord } from "#dc/model/change_record.ts";
import { codeKey } from "#dc/model/code.ts";
import { resourceKey } from "#dc/model/resource_key.ts";
import type {
  Cable,
  Device,
  DeviceBody,
  FabricLink,
  PortRef,
  ResourceByKind,
  ResourceKind,
} from "#dc/model/resources.ts";
import type { DcWriter, DeadLetter, FeedDelivery, RememberedRequest, Stored } from "#dc/ports.ts";
import type { Dialect } from "./dialect.ts";
import { LookedUp } from "./looked_up.ts";
import { entryRows, OLD_PARTS, PARTS } from "./part_rows.ts";
import { ROW_TABLES, RowBuffer } from "./row_buffer.ts";
import { columnsOf } from "./rows.ts";
import { cableEndsByDevice, storedByKey } from "./sql_many.ts";
import { countPorts } from "./sql_port_types.ts";
import { SqlReader } from "./sql_reader.ts";
import { type SqlRunner, upsertSql } from "./sql_runner.ts";

/** The writes, in one SQL for every dialect. */
export class SqlWriter extends SqlReader implements DcWriter {
  private readonly rows: RowBuffer;
  private depth = 0;
  private readonly resources = new LookedUp<Stored<ResourceByKind[ResourceKind]> | undefined>();
  /** The same, of devices alone: rules ask for one over and over. */
  private readonly known = new LookedUp<Device | undefined>();
  private readonly racks = new LookedUp<readonly DeviceBody[]>();
  private readonly feeds = new LookedUp<PortRef | undefined>();
  /** By device, the cable in each of its ports, as JSON until it is asked for: a batch of cables asks for all ports. */
  private readonly ends = new LookedUp<Map<string, Cable | string>>();
  private readonly links = new LookedUp<readonly FabricLink[]>();
  /** Resources that were looked for and are not there. */
  private readonly absent = new Set<string>();
  /** Keys of devices whose ports, or the cables in them, are not as they were. */
  private readonly plugged = new Set<string>();

  private constructor(rows: RowBuffer, dialect: Dialect) {
    super(rows, dialect);
    this.rows = rows;
  }

  /** Does all that `work` asks for, and then what is left to do once for everything that it wrote. */
  static async run<Result>(
    runner: SqlRunner,
    dialect: Dialect,
    work: (writer: DcWriter) => Promise<Result>,
  ): Promise<Result> {
    const rows = new RowBuffer(runner);
    const writer = new SqlWriter(rows, dialect);
    const result = await work(writer);
    await rows.flush();
    await countPorts(runner, dialect, writer.plugged);
    return result;
  }

  async lookAhead(kind: ResourceKind, resources: readonly ResourceByKind[ResourceKind][]): Promise<void> {
    await this.lookUp(kind, resources.map(resourceKey));
    const ends = resources.flatMap((one) => ("code" in one ? [] : [one.a, one.b]));
    const devices = ends.map(({ deviceCode }) => codeKey(deviceCode));
    await this.lookUp("device", devices);
    if (kind !== "cable") return;
    const unknown = this.ends.unknown(devices);
    const found = await cableEndsByDevice(this.runner, this.dialect, unknown);
    for (const key of unknown) this.ends.set(key, Promise.resolve(found.get(key) ?? new Map()));
  }

  private async lookUp(kind: ResourceKind, keys: readonly string[]): Promise<void> {
    const unknown = this.resources
      .unknown(keys.map((key) => `${kind} ${key}`))
      .map((name) => name.slice(kind.length + 1));
    const found = await storedByKey(this.runner, this.dialect, kind, unknown);
    for (const key of unknown) {
      const stored = found.get(key);
      this.resources.set(`${kind} ${key}`, Promise.resolve(stored));
      if (stored === undefined) this.absent.add(`${kind} ${key}`);
    }
  }

  override device(code: string): Promise<Device | undefined> {
    const key = codeKey(code);
    return this.known.get(key, async () => (await this.stored("device", key))?.resource);
  }

  override async stored<Kind extends ResourceKind>(
    kind: Kind,
    key: string,
  ): Promise<Stored<ResourceByKind[Kind]> | undefined> {
    const name = `${kind} ${key}`;
    const found = await this.resources.get(name, () => super.stored(kind, key));
    if (found === undefined) this.absent.add(name);
    return found as Stored<ResourceByKind[Kind]> | undefined;
  }

  override devicesInRack(rackCode: string): Promise<readonly DeviceBody[]> {
    return this.racks.get(codeKey(rackCode), () => super.devicesInRack(rackCode));
  }

  override async cableAt({ deviceCode, portName }: PortRef): Promise<Cable | undefined> {
    const device = codeKey(deviceCode);
    const cable = (await this.ends.get(device, () => this.endsOf(device))).get(portName);
    return typeof cable === "string" ? JSON.parse(cable) : cable;
  }

  private async endsOf(deviceKey: string): Promise<Map<string, Cable | string>> {
    return (await cableEndsByDevice(this.runner, this.dialect, [deviceKey])).get(deviceKey) ?? new Map();
  }

  override fabricLinksOf(deviceCode: string): Promise<readonly FabricLink[]> {
    return this.links.get(codeKey(deviceCode), () => super.fabricLinksOf(deviceCode));
  }

  override feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    return this.feeds.get(codeKey(feedId), () => super.feedDeclarer(feedId));
  }

  async put<Kind extends ResourceKind>(kind: Kind, stored: Stored<ResourceByKind[Kind]>): Promise<void> {
    const columns = columnsOf(kind, stored);
    const { resource } = stored;
    const key = resourceKey(resource);
    const isNew = this.absent.delete(`${kind} ${key}`);
    await this.noteWritten(kind, key, stored, isNew);
    const row = ROW_TABLES[kind].map((name) => columns[name] ?? null);
    if (isNew) this.rows.add(kind, row);
    else {
      await this.runner.run(upsertSql(kind, ROW_TABLES[kind], ["key"]), row);
      for (const statement of OLD_PARTS[kind]) await this.runner.run(statement, [key]);
    }
    for (const [table, part] of PARTS[kind](key, resource)) this.rows.add(table, part);
    await this.rows.settle();
  }

  async remove(kind: ResourceKind, key: string): Promise<void> {
    this.resources.drop(`${kind} ${key}`);
    if (kind === "device") {
      this.known.drop(key);
      this.racks.clear();
      this.feeds.clear();
    }
    if (kind === "fabric_link") this.links.clear();
    if (kind === "cable") {
      this.ends.clear();
      for (const end of key.split("~")) this.plugged.add(end.slice(0, end.indexOf("/")));
    }
    await this.runner.run(`DELETE FROM ${kind} WHERE key = ?`, [key]);
  }

  async append(records: readonly ChangeRecord[]): Promise<void> {
    for (const record of records) {
      for (const [table, row] of entryRows(record)) this.rows.add(table, row);
      await this.rows.settle();
    }
  }

  async raiseRevision(): Promise<number> {
    const next = (await this.revision()) + 1;
    await this.setSetting("revision", String(next));
    return next;
  }

  async setSetting(name: string, value: string): Promise<void> {
    await this.runner.run(upsertSql("setting", ["name", "value"], ["name"]), [name, value]);
  }

  async remember({ principal, requestId, method, fingerprint, reply, createdAt }: RememberedRequest): Promise<void> {
    const columns = ["principal", "request_id", "method", "fingerprint", "reply", "created_at"];
    await this.runner.run(upsertSql("remembered_request", columns, ["principal", "request_id"]), [
      principal,
      requestId,
      method,
      fingerprint,
      reply,
      createdAt,
    ]);
  }

  async forget(before: string): Promise<void> {
    await this.runner.run("DELETE FROM remembered_request WHERE created_at < ?", [before]);
  }

  async keepDelivery({ table, rowKey, mark, seq, receivedAt }: FeedDelivery): Promise<void> {
    await this.runner.run(
      "INSERT INTO feed_delivery (source_table, row_key, mark, seq, received_at) VALUES (?, ?, ?, ?, ?)",
      [table, rowKey, mark, seq, receivedAt],
    );
  }

  async keepDeadLetter({ id, receivedAt, feed, reason, body }: DeadLetter): Promise<void> {
    await this.runner.run("INSERT INTO dead_letter (id, received_at, feed, reason, body) VALUES (?, ?, ?, ?, ?)", [
      id,
      receivedAt,
      feed,
      reason,
      body,
    ]);
  }

  async dropDeadLetter(id: string): Promise<void> {
    await this.runner.run("DELETE FROM dead_letter WHERE id = ?", [id]);
  }

  async savepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    this.depth += 1;
    const name = `level_${this.depth}`;
    await this.runner.run(`SAVEPOINT ${name}`);
    try {
      const result = await work();
      await this.runner.run(`RELEASE SAVEPOINT ${name}`);
      return result;
    } catch (error) {
      this.rows.drop();
      this.resources.clear();
      this.known.clear();
      this.racks.clear();
      this.feeds.clear();
      this.ends.clear();
      this.links.clear();
      this.absent.clear();
      await this.runner.run(`ROLLBACK TO SAVEPOINT ${name}`);
      await this.runner.run(`RELEASE SAVEPOINT ${name}`);
      throw error;
    } finally {
      this.depth -= 1;
    }
  }

  /** Keeps what was looked up true to what is written. */
  private async noteWritten(
    kind: ResourceKind,
    key: string,
    stored: Stored<ResourceByKind[ResourceKind]>,
    isNew: boolean,
  ): Promise<void> {
    this.resources.set(`${kind} ${key}`, Promise.resolve(stored));
    // The kinds are told apart by the word, which the compiler cannot follow.
    if (kind === "cable") await this.notePlugged(stored.resource as Cable);
    if (kind === "fabric_link") this.noteLinked(stored.resource as FabricLink, isNew);
    if (kind !== "device") return;
    const device = stored.resource as Device;
    const { ports = [], ...body } = device;
    this.known.set(key, Promise.resolve(device));
    if (!isNew || ports.length > 0) this.plugged.add(key);
    if (!isNew || ports.some(({ powerOut }) => powerOut?.feedId !== undefined)) this.feeds.clear();
    const rack = codeKey(body.rackCode ?? "");
    const known = this.racks.known(rack);
    // Which rack a device leaves is not known here, and looking it up costs as much as the lists.
    if (!isNew) this.racks.clear();
    else if (known !== undefined)
      this.racks.set(
        rack,
        known.then((devices) => withOne(devices, body)),
      );
  }

  private noteLinked(link: FabricLink, isNew: boolean): void {
    if (!isNew) this.links.clear();
    for (const device of new Set([codeKey(link.a.deviceCode), codeKey(link.b.deviceCode)])) {
      const known = this.links.known(device);
      if (known !== undefined)
        this.links.set(
          device,
          known.then((links) => withOne(links, link)),
        );
    }
  }

  private async notePlugged(cable: Cable): Promise<void> {
    for (const { deviceCode, portName } of [cable.a, cable.b]) {
      const device = codeKey(deviceCode);
      this.plugged.add(device);
      const known = this.ends.known(device);
      if (known !== undefined) (await known).set(portName, cable);
    }
  }
}

/** Resources in the order of their keys, with one more in its place. */
function withOne<One extends DeviceBody | FabricLink>(list: readonly One[], one: One): readonly One[] {
  const key = resourceKey(one);
  const at = list.findLastIndex((other) => resourceKey(other) < key) + 1;
  return list.toSpliced(at, 0, one);
}

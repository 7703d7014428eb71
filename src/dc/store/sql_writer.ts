import { canonicalJson } from "#dc/model/canonical_json.ts";
import type { ChangeRecord } from "#dc/model/change_record.ts";
import { codeKey } from "#dc/model/code.ts";
import { refKey, resourceKey } from "#dc/model/resource_key.ts";
import type {
  Cable,
  Crac,
  Device,
  DeviceBody,
  FabricLink,
  Port,
  PortRef,
  ResourceByKind,
  ResourceKind,
} from "#dc/model/resources.ts";
import type { DcWriter, DeadLetter, FeedDelivery, RememberedRequest, Stored } from "#dc/ports.ts";
import type { Dialect } from "./dialect.ts";
import { LookedUp } from "./looked_up.ts";
import { columnsOf } from "./rows.ts";
import { countPorts } from "./sql_port_types.ts";
import { SqlReader } from "./sql_reader.ts";
import { insertSql, type SqlRunner, type SqlValue, text, upsertSql } from "./sql_runner.ts";

/** Rows of one insert. Ours: a few statements, each prepared once, serve devices of any size. */
const MOST_ROWS = 16;
const PORT_COLUMNS = ["device_key", "name", "place", "kind", "type", "marked", "feed_key", "source_key", "body"];

/** The writes, in one SQL for every dialect. */
export class SqlWriter extends SqlReader implements DcWriter {
  private depth = 0;
  private readonly resources = new LookedUp<Stored<ResourceByKind[ResourceKind]> | undefined>();
  private readonly racks = new LookedUp<readonly DeviceBody[]>();
  private readonly feeds = new LookedUp<PortRef | undefined>();
  /** By device, the cable in each of its ports, as JSON until it is asked for: a batch of cables asks for all ports. */
  private readonly ends = new LookedUp<Map<string, Cable | string>>();
  /** Resources that were looked for and are not there. */
  private readonly absent = new Set<string>();
  /** Keys of devices whose ports, or the cables in them, are not as they were. */
  private readonly plugged = new Set<string>();

  /** Does all that `work` asks for, and then what is left to do once for everything that it wrote. */
  static async run<Result>(
    runner: SqlRunner,
    dialect: Dialect,
    work: (writer: DcWriter) => Promise<Result>,
  ): Promise<Result> {
    const writer = new SqlWriter(runner, dialect);
    const result = await work(writer);
    await countPorts(runner, dialect, writer.plugged);
    return result;
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
    const rows = await this.runner.all(
      `SELECT cable_end.port_name, cable.body FROM cable_end JOIN cable ON cable.key = cable_end.cable_key
        WHERE cable_end.device_key = ?`,
      [deviceKey],
    );
    return new Map(rows.map((row) => [text(row, "port_name"), text(row, "body")]));
  }

  override feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    return this.feeds.get(codeKey(feedId), () => super.feedDeclarer(feedId));
  }

  async put<Kind extends ResourceKind>(kind: Kind, stored: Stored<ResourceByKind[Kind]>): Promise<void> {
    const columns = columnsOf(kind, stored);
    const { resource } = stored;
    const key = resourceKey(resource);
    const isNew = this.absent.delete(`${kind} ${key}`);
    this.noteWritten(kind, key, stored, isNew);
    await this.runner.run(upsertSql(kind, Object.keys(columns), ["key"]), Object.values(columns));
    // The kinds are told apart by the table, which the compiler cannot follow.
    if (kind === "device") await this.putDeviceParts(key, resource as Device, isNew);
    else if (kind === "crac") await this.putInputs(key, resource as Crac);
    else if (kind === "cable") await this.putCableEnds(key, resource as Cable);
    else if (kind === "fabric_link") await this.putLinkEnds(key, resource as FabricLink);
  }

  async remove(kind: ResourceKind, key: string): Promise<void> {
    this.resources.drop(`${kind} ${key}`);
    if (kind === "device") {
      this.racks.clear();
      this.feeds.clear();
    }
    if (kind === "cable") {
      this.ends.clear();
      for (const end of key.split("~")) this.plugged.add(end.slice(0, end.indexOf("/")));
    }
    await this.runner.run(`DELETE FROM ${kind} WHERE key = ?`, [key]);
  }

  async append(record: ChangeRecord): Promise<void> {
    const { seq, occurredAt, actor, action, request, entity, related, hash } = record;
    await this.runner.run(
      `INSERT INTO change_log (seq, occurred_at, principal, action, request_id, door, body, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [seq, occurredAt, actor.principal, action, request.id, request.interface, canonicalJson(record), hash],
    );
    const refs = [...new Set([entity, ...related].map(refKey))];
    const values = refs.flatMap((ref): SqlValue[] => [ref, seq]);
    await this.runner.run(insertSql("change_ref", ["ref_key", "seq"], refs.length), values);
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
      this.resources.clear();
      this.racks.clear();
      this.feeds.clear();
      this.ends.clear();
      this.absent.clear();
      await this.runner.run(`ROLLBACK TO SAVEPOINT ${name}`);
      await this.runner.run(`RELEASE SAVEPOINT ${name}`);
      throw error;
    } finally {
      this.depth -= 1;
    }
  }

  /** Keeps what was looked up true to what is written. */
  private noteWritten(kind: ResourceKind, key: string, stored: Stored<ResourceByKind[ResourceKind]>, isNew: boolean) {
    this.resources.set(`${kind} ${key}`, Promise.resolve(stored));
    if (kind !== "device") return;
    const { ports = [], ...body } = stored.resource as Device;
    if (!isNew || ports.some(({ powerOut }) => powerOut?.feedId !== undefined)) this.feeds.clear();
    const rack = codeKey(body.rackCode ?? "");
    const known = this.racks.known(rack);
    // Which rack a device leaves is not known here, and looking it up costs as much as the lists.
    if (!isNew) this.racks.clear();
    else if (known !== undefined)
      this.racks.set(
        rack,
        known.then((devices) => inKeyOrder([...devices, body])),
      );
  }

  private async putDeviceParts(key: string, { ports = [], tags = [], labels = {} }: Device, isNew: boolean) {
    if (!isNew || ports.length > 0) this.plugged.add(key);
    for (const table of isNew ? [] : ["port", "device_tag", "device_label"]) {
      await this.runner.run(`DELETE FROM ${table} WHERE device_key = ?`, [key]);
    }
    for (let at = 0; at < ports.length; at += MOST_ROWS) {
      const some = ports.slice(at, at + MOST_ROWS);
      const values = some.flatMap((port, index) => portValues(key, port, at + index));
      await this.runner.run(insertSql("port", PORT_COLUMNS, some.length), values);
    }
    for (const tag of new Set(tags)) {
      await this.runner.run("INSERT INTO device_tag (device_key, tag) VALUES (?, ?)", [key, tag]);
    }
    for (const [name, value] of Object.entries(labels)) {
      await this.runner.run("INSERT INTO device_label (device_key, name, value) VALUES (?, ?, ?)", [key, name, value]);
    }
  }

  private async putInputs(key: string, { powerInputs = [] }: Crac): Promise<void> {
    await this.runner.run("DELETE FROM crac_input WHERE crac_key = ?", [key]);
    for (const [place, { sourceRef }] of powerInputs.entries()) {
      if (sourceRef === undefined) continue;
      await this.runner.run("INSERT INTO crac_input (crac_key, place, source_key) VALUES (?, ?, ?)", [
        key,
        place,
        refKey(sourceRef),
      ]);
    }
  }

  private async putCableEnds(key: string, cable: Cable): Promise<void> {
    for (const { deviceCode, portName } of [cable.a, cable.b]) {
      this.plugged.add(codeKey(deviceCode));
      await this.runner.run(
        upsertSql("cable_end", ["device_key", "port_name", "cable_key"], ["device_key", "port_name"]),
        [codeKey(deviceCode), portName, key],
      );
      (await this.ends.known(codeKey(deviceCode)))?.set(portName, cable);
    }
  }

  private async putLinkEnds(key: string, { a, b }: FabricLink): Promise<void> {
    for (const device of new Set([codeKey(a.deviceCode), codeKey(b.deviceCode)])) {
      await this.runner.run(
        `INSERT INTO fabric_link_end (device_key, link_key) VALUES (?, ?) ON CONFLICT (device_key, link_key) DO NOTHING`,
        [device, key],
      );
    }
  }
}

function portValues(deviceKey: string, port: Port, place: number): readonly SqlValue[] {
  const { feedId } = port.powerOut ?? {};
  const { sourceRef } = port.powerIn ?? {};
  return [
    deviceKey,
    port.name,
    place,
    port.kind,
    port.type ?? "",
    port.markConnected === true ? 1 : 0,
    feedId === undefined ? null : codeKey(feedId),
    sourceRef === undefined ? null : refKey(sourceRef),
    canonicalJson(port),
  ];
}

function inKeyOrder(devices: readonly DeviceBody[]): readonly DeviceBody[] {
  return devices.toSorted((a, b) => (codeKey(a.code) < codeKey(b.code) ? -1 : 1));
}

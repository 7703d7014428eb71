import { canonicalJson } from "#dc/model/canonical_json.ts";
import type { ChangeRecord } from "#dc/model/change_record.ts";
import { codeKey } from "#dc/model/code.ts";
import { refKey, resourceKey } from "#dc/model/resource_key.ts";
import type { Cable, Crac, Device, DeviceBody, FabricLink, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcWriter, RememberedRequest, Stored } from "#dc/ports.ts";
import { LookedUp } from "./looked_up.ts";
import { columnsOf } from "./rows.ts";
import { SqlReader } from "./sql_reader.ts";
import { upsertSql } from "./sql_runner.ts";

/** The writes, in one SQL for every dialect. */
export class SqlWriter extends SqlReader implements DcWriter {
  private depth = 0;
  private readonly resources = new LookedUp<Stored<ResourceByKind[ResourceKind]> | undefined>();
  private readonly racks = new LookedUp<readonly DeviceBody[]>();

  override async stored<Kind extends ResourceKind>(
    kind: Kind,
    key: string,
  ): Promise<Stored<ResourceByKind[Kind]> | undefined> {
    const found = await this.resources.get(`${kind} ${key}`, () => super.stored(kind, key));
    return found as Stored<ResourceByKind[Kind]> | undefined;
  }

  override devicesInRack(rackCode: string): Promise<readonly DeviceBody[]> {
    return this.racks.get(codeKey(rackCode), () => super.devicesInRack(rackCode));
  }

  async put<Kind extends ResourceKind>(kind: Kind, stored: Stored<ResourceByKind[Kind]>): Promise<void> {
    const columns = columnsOf(kind, stored);
    this.forgetLookUps(kind, resourceKey(stored.resource));
    await this.runner.run(upsertSql(kind, Object.keys(columns), ["key"]), Object.values(columns));
    const { resource } = stored;
    const key = resourceKey(resource);
    // The kinds are told apart by the table, which the compiler cannot follow.
    if (kind === "device") await this.putDeviceParts(key, resource as Device);
    else if (kind === "crac") await this.putInputs(key, resource as Crac);
    else if (kind === "cable") await this.putCableEnds(key, resource as Cable);
    else if (kind === "fabric_link") await this.putLinkEnds(key, resource as FabricLink);
  }

  async remove(kind: ResourceKind, key: string): Promise<void> {
    this.forgetLookUps(kind, key);
    await this.runner.run(`DELETE FROM ${kind} WHERE key = ?`, [key]);
  }

  async append(record: ChangeRecord): Promise<void> {
    const { seq, occurredAt, actor, action, request, entity, related, hash } = record;
    await this.runner.run(
      `INSERT INTO change_log (seq, occurred_at, principal, action, request_id, door, body, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [seq, occurredAt, actor.principal, action, request.id, request.interface, canonicalJson(record), hash],
    );
    for (const ref of new Set([entity, ...related].map(refKey))) {
      await this.runner.run("INSERT INTO change_ref (ref_key, seq) VALUES (?, ?)", [ref, seq]);
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
      await this.runner.run(`ROLLBACK TO SAVEPOINT ${name}`);
      await this.runner.run(`RELEASE SAVEPOINT ${name}`);
      throw error;
    } finally {
      this.depth -= 1;
    }
  }

  private forgetLookUps(kind: ResourceKind, key: string): void {
    this.resources.drop(`${kind} ${key}`);
    // Which rack a device leaves is not known here, and looking it up costs as much as the list.
    if (kind === "device") this.racks.clear();
  }

  private async putDeviceParts(key: string, { ports = [], tags = [], labels = {} }: Device): Promise<void> {
    for (const table of ["port", "device_tag", "device_label"]) {
      await this.runner.run(`DELETE FROM ${table} WHERE device_key = ?`, [key]);
    }
    for (const [place, port] of ports.entries()) {
      const { feedId } = port.powerOut ?? {};
      const { sourceRef } = port.powerIn ?? {};
      await this.runner.run(
        `INSERT INTO port (device_key, name, place, kind, type, marked, feed_key, source_key, body)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          key,
          port.name,
          place,
          port.kind,
          port.type ?? "",
          port.markConnected === true ? 1 : 0,
          feedId === undefined ? null : codeKey(feedId),
          sourceRef === undefined ? null : refKey(sourceRef),
          canonicalJson(port),
        ],
      );
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

  private async putCableEnds(key: string, { a, b }: Cable): Promise<void> {
    for (const { deviceCode, portName } of [a, b]) {
      await this.runner.run(
        upsertSql("cable_end", ["device_key", "port_name", "cable_key"], ["device_key", "port_name"]),
        [codeKey(deviceCode), portName, key],
      );
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

import { readArchiveBase } from "../../audit/archive.ts";
import { dependsOnInlets, selectDrawPorts } from "../../model/draw.ts";
import { AUDIT_ACTIONS, type AuditAction } from "../../model/enum_values.ts";
import type { ChangeRecord, Inventory, NetworkPortSummary, SourceConsumer } from "../../model/inventory.ts";
import { codeKey, toRefKey } from "../../model/ref.ts";
import type {
  Cable,
  Crac,
  Device,
  DeviceBody,
  FabricLink,
  Port,
  PortRef,
  Rack,
  ResourceByKind,
  ResourceKind,
} from "../../model/resources.ts";
import type {
  ChainHead,
  CheckedRow,
  DcReader,
  DeadLetter,
  DevicePage,
  DeviceQuery,
  HistoryQuery,
  InventoryCounts,
  LogReference,
  LogRow,
  RememberedRequest,
  ResourceKeys,
  SettingName,
  StoredCheckpoint,
  StoredDocument,
  StoredVersion,
} from "../../ports.ts";
import { findDevicesWithFreePorts, searchDevices } from "./device_search.ts";
import { checkResourceRows, countInventory, countStrayRows, readNetworkPorts, readTimesAfter } from "./row_check.ts";
import { SqlReadings } from "./sql_readings.ts";
import {
  addDevicePorts,
  addStoredMetadata,
  createWhereClause,
  getTextColumn,
  listConditionParams,
  parseResourceBody,
  readAllDevices,
  readCables,
  readDevicePage,
  readDevices,
  type SqlCondition,
  type SqlRow,
  type SqlValue,
} from "./sql_runner.ts";

const DEAD_LETTER_COLUMNS = "id, received_at, feed, reason, body";

/** Read methods for data beside the inventory: the change log, documents, requests and deliveries. */
abstract class SqlRecords extends SqlReadings {
  async document(space: string, key: string): Promise<string | undefined> {
    const row = await this.one("SELECT body FROM document WHERE space = ? AND key = ?", [space, key]);
    return row === undefined ? undefined : getTextColumn(row, "body");
  }

  async documents(space: string, after: string, limit: number): Promise<readonly StoredDocument[]> {
    const sql = "SELECT key, body FROM document WHERE space = ? AND key > ? ORDER BY key LIMIT ?";
    const rows = await this.runner.all(sql, [space, after, limit]);
    return rows.map((row) => ({ key: getTextColumn(row, "key"), body: getTextColumn(row, "body") }));
  }

  /** Returns a page of the change log, sorted by seq. Cost: one statement, indexed by entity, request or actor. */
  async history(query: HistoryQuery): Promise<readonly ChangeRecord[]> {
    const named = query.entity !== undefined;
    const seq = named ? "change_ref.seq" : "change_log.seq";
    const { actor, action, authMethod } = query;
    const pairs: readonly (readonly [string, SqlValue | undefined])[] = [
      ["change_ref.ref_key = ?", query.entity === undefined ? undefined : toRefKey(query.entity)],
      ["change_log.principal = ?", actor],
      ["change_log.action = ?", action],
      ["change_log.request_id = ?", query.requestId],
      ["change_log.door = ?", query.interface],
      ["change_log.occurred_at >= ?", query.since],
      ["change_log.occurred_at < ?", query.until],
      [`${seq} ${query.descending ? "<" : ">"} ?`, query.after],
    ];
    const signedIn =
      authMethod === undefined
        ? []
        : listAuthMethodPatterns(authMethod, action === undefined ? AUDIT_ACTIONS : [action]);
    const given = pairs.filter((pair): pair is readonly [string, SqlValue] => pair[1] !== undefined);
    const conditions = given.map(([sql]) => sql);
    if (signedIn.length > 0) conditions.push(`(${signedIn.map(() => "change_log.body LIKE ?").join(" OR ")})`);
    const from = named ? "change_ref JOIN change_log ON change_log.seq = change_ref.seq" : "change_log";
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const rows = await this.runner.all(
      `SELECT change_log.body FROM ${from} ${where} ORDER BY ${seq} ${query.descending ? "DESC" : "ASC"} LIMIT ?`,
      [...given.map(([, value]) => value), ...signedIn, query.limit],
    );
    return rows.map((row) => parseResourceBody<ChangeRecord>(row));
  }

  /** Returns one page of the change log's rows, sorted by seq. Cost: one statement on the primary key. */
  async logRows(after: number, limit: number): Promise<readonly LogRow[]> {
    const columns = "seq, occurred_at, principal, action, request_id, door, body, hash";
    const sql = `SELECT ${columns} FROM change_log WHERE seq > ? ORDER BY seq LIMIT ?`;
    return (await this.runner.all(sql, [after, limit])).map((row) => ({
      seq: Number(row["seq"]),
      occurredAt: getTextColumn(row, "occurred_at"),
      principal: getTextColumn(row, "principal"),
      action: getTextColumn(row, "action"),
      requestId: getTextColumn(row, "request_id"),
      interface: getTextColumn(row, "door"),
      hash: getTextColumn(row, "hash"),
      body: getTextColumn(row, "body"),
    }));
  }

  /** Returns one page of the references into the change log. Cost: one statement on the primary key. */
  async logReferences(after: LogReference | undefined, limit: number): Promise<readonly LogReference[]> {
    const [beyond, params] =
      after === undefined ? ["", []] : ["WHERE (ref_key, seq) > (?, ?)", [after.refKey, after.seq]];
    const sql = `SELECT ref_key, seq FROM change_ref ${beyond} ORDER BY ref_key, seq LIMIT ?`;
    const rows = await this.runner.all(sql, [...params, limit]);
    return rows.map((row) => ({ refKey: getTextColumn(row, "ref_key"), seq: Number(row["seq"]) }));
  }

  async checkpoints(): Promise<readonly StoredCheckpoint[]> {
    const rows = await this.runner.all("SELECT size, note FROM audit_checkpoint ORDER BY size", []);
    return rows.map((row) => ({ size: Number(row["size"]), note: getTextColumn(row, "note") }));
  }

  async remembered(principal: string, requestId: string): Promise<RememberedRequest | undefined> {
    const row = await this.one(
      `SELECT method, fingerprint, reply, created_at FROM remembered_request WHERE principal = ? AND request_id = ?`,
      [principal, requestId],
    );
    if (row === undefined) return undefined;
    return {
      principal,
      requestId,
      method: getTextColumn(row, "method"),
      fingerprint: getTextColumn(row, "fingerprint"),
      reply: getTextColumn(row, "reply"),
      createdAt: getTextColumn(row, "created_at"),
    };
  }

  async delivered(table: string, rowKey: string, mark: string): Promise<boolean> {
    const found = await this.one("SELECT seq FROM feed_delivery WHERE source_table = ? AND row_key = ? AND mark = ?", [
      table,
      rowKey,
      mark,
    ]);
    return found !== undefined;
  }

  async witnessed(seq: number): Promise<boolean> {
    return (await this.one("SELECT seq FROM feed_delivery WHERE seq = ? LIMIT 1", [seq])) !== undefined;
  }

  /** Returns undeliverable events, newest first. */
  async deadLetters(limit: number): Promise<readonly DeadLetter[]> {
    const order = "ORDER BY received_at DESC, id DESC LIMIT ?";
    return (await this.runner.all(`SELECT ${DEAD_LETTER_COLUMNS} FROM dead_letter ${order}`, [limit])).map(
      createDeadLetter,
    );
  }

  async deadLetter(id: string): Promise<DeadLetter | undefined> {
    const row = await this.one(`SELECT ${DEAD_LETTER_COLUMNS} FROM dead_letter WHERE id = ?`, [id]);
    return row && createDeadLetter(row);
  }

  async countDeadLetters(): Promise<number> {
    return Number((await this.one("SELECT COUNT(*) AS letters FROM dead_letter"))?.["letters"]);
  }

  protected async one(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow | undefined> {
    const [row] = await this.runner.all(sql, params);
    return row;
  }
}

function createDeadLetter(row: SqlRow): DeadLetter {
  return {
    id: getTextColumn(row, "id"),
    receivedAt: getTextColumn(row, "received_at"),
    feed: getTextColumn(row, "feed"),
    reason: getTextColumn(row, "reason"),
    body: getTextColumn(row, "body"),
  };
}

/**
 * Returns LIKE patterns of entries whose principals signed in by a method. The method has no column; it is in the
 * second field of an entry's canonical JSON.
 */
function listAuthMethodPatterns(authMethod: string, actions: readonly AuditAction[]): readonly string[] {
  return actions.map((action) => `{"action":"${action}","actor":{"authMethod":${JSON.stringify(authMethod)},%`);
}

const POWER_PORTS: readonly SqlCondition[] = [{ sql: "kind IN ('POWER_IN', 'POWER_OUT')", params: [] }];

/** Name of the setting with the sequence number and the hash of the change log's last entry. */
export const AUDIT_HEAD_SETTING = "audit_head";

/** Read methods, in the same SQL for every dialect. */
export class SqlReader extends SqlRecords implements DcReader {
  async revision(): Promise<number> {
    return Number((await this.setting("revision")) ?? 0);
  }

  async setting(name: SettingName): Promise<string | undefined> {
    const row = await this.one("SELECT value FROM setting WHERE name = ?", [name]);
    return row === undefined ? undefined : getTextColumn(row, "value");
  }

  async stored<Kind extends ResourceKind>(
    kind: Kind,
    key: string,
  ): Promise<StoredVersion<ResourceByKind[Kind]> | undefined> {
    const row = await this.one(`SELECT body, etag, create_time, update_time FROM ${kind} WHERE key = ?`, [key]);
    if (row === undefined) return undefined;
    const resource = parseResourceBody<ResourceByKind[Kind]>(row);
    if (kind !== "device") return addStoredMetadata(row, resource);
    return addStoredMetadata(
      row,
      addDevicePorts(resource as DeviceBody, await this.#readPorts(key)) as ResourceByKind[Kind],
    );
  }

  async device(code: string): Promise<Device | undefined> {
    return (await this.stored("device", codeKey(code)))?.resource;
  }

  async devices(codes: readonly string[]): Promise<readonly Device[]> {
    return readDevices(this.runner, this.dialect, codes.map(codeKey));
  }

  async powerDevices(codes: readonly string[]): Promise<readonly Device[]> {
    return readDevices(this.runner, this.dialect, codes.map(codeKey), POWER_PORTS);
  }

  networkPorts(codes: readonly string[]): Promise<ReadonlyMap<string, NetworkPortSummary>> {
    return readNetworkPorts(this.runner, this.dialect, codes.map(codeKey));
  }

  async rack(code: string): Promise<Rack | undefined> {
    return (await this.stored("rack", codeKey(code)))?.resource;
  }

  async crac(code: string): Promise<Crac | undefined> {
    return (await this.stored("crac", codeKey(code)))?.resource;
  }

  async devicesInRack(rackCode: string): Promise<readonly Device[]> {
    const sql = "SELECT body FROM device WHERE rack_key = ? ORDER BY key";
    const bodies = await this.#readBodies<DeviceBody>(sql, [codeKey(rackCode)]);
    const codes = bodies.filter(dependsOnInlets).map(({ code }) => code);
    const found = codes.length === 0 ? [] : await this.powerDevices(codes);
    const withInlets = new Map(found.map((device) => [device.code, selectDrawPorts(device)]));
    return bodies.map((body) => withInlets.get(body.code) ?? body);
  }

  async childrenOf(deviceCode: string): Promise<readonly DeviceBody[]> {
    return this.#readBodies("SELECT body FROM device WHERE parent_key = ? ORDER BY key", [codeKey(deviceCode)]);
  }

  async cableAt({ deviceCode, portName }: PortRef): Promise<Cable | undefined> {
    const [cable] = await this.#readBodies<Cable>(
      `SELECT cable.body FROM cable_end JOIN cable ON cable.key = cable_end.cable_key
        WHERE cable_end.device_key = ? AND cable_end.port_name = ?`,
      [codeKey(deviceCode), portName],
    );
    return cable;
  }

  async cablesOf(deviceCode: string): Promise<readonly Cable[]> {
    return (await this.storedCablesOf(deviceCode)).map(({ resource }) => resource);
  }

  async storedCablesOf(deviceCode: string): Promise<readonly StoredVersion<Cable>[]> {
    const rows = await this.runner.all(
      `SELECT key, body, etag, create_time, update_time FROM cable
        WHERE key IN (SELECT cable_key FROM cable_end WHERE device_key = ?) ORDER BY key`,
      [codeKey(deviceCode)],
    );
    return rows.map((row) => addStoredMetadata(row, parseResourceBody<Cable>(row)));
  }

  async cablesOfAll(deviceCodes: readonly string[]): Promise<readonly Cable[]> {
    return readCables(this.runner, this.dialect, deviceCodes.map(codeKey));
  }

  async powerCablesOf(deviceCodes: readonly string[]): Promise<readonly Cable[]> {
    return readCables(this.runner, this.dialect, deviceCodes.map(codeKey), POWER_PORTS);
  }

  async fabricLinksOf(deviceCode: string): Promise<readonly FabricLink[]> {
    return this.#readBodies(
      `SELECT fabric_link.key, fabric_link.body FROM fabric_link_end
        JOIN fabric_link ON fabric_link.key = fabric_link_end.link_key
        WHERE fabric_link_end.device_key = ? ORDER BY fabric_link.key`,
      [codeKey(deviceCode)],
    );
  }

  async feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    const row = await this.one(
      `SELECT device.code, port.name FROM port JOIN device ON device.key = port.device_key WHERE port.feed_key = ?`,
      [codeKey(feedId)],
    );
    return row === undefined
      ? undefined
      : { deviceCode: getTextColumn(row, "code"), portName: getTextColumn(row, "name") };
  }

  async consumersOf(sourceRefs: readonly string[]): Promise<readonly SourceConsumer[]> {
    const keys = JSON.stringify(sourceRefs.map(toRefKey));
    const devices = await this.runner.all(
      `SELECT device.code, port.name FROM port JOIN device ON device.key = port.device_key
        WHERE ${this.dialect.formatInList("port.source_key")} ORDER BY device.key, port.place`,
      [keys],
    );
    const cracs = await this.runner.all(
      `SELECT crac.code, crac_input.place FROM crac_input JOIN crac ON crac.key = crac_input.crac_key
        WHERE ${this.dialect.formatInList("crac_input.source_key")} ORDER BY crac.key, crac_input.place`,
      [keys],
    );
    return [
      ...devices.map((row) => ({
        kind: "device" as const,
        code: getTextColumn(row, "code"),
        inlet: getTextColumn(row, "name"),
      })),
      ...cracs.map((row) => ({
        kind: "crac" as const,
        code: getTextColumn(row, "code"),
        inlet: getTextColumn(row, "place"),
      })),
    ];
  }

  async assetTagHolder(kind: "device" | "rack", assetTag: string): Promise<string | undefined> {
    const row = await this.one(`SELECT code FROM ${kind} WHERE asset_tag = ? ORDER BY key LIMIT 1`, [assetTag]);
    return row === undefined ? undefined : getTextColumn(row, "code");
  }

  async racksOnFloor(siteId: string, floorNumber: number): Promise<readonly Rack[]> {
    const place = [codeKey(siteId), floorNumber];
    return this.#readBodies("SELECT body FROM rack WHERE site = ? AND floor = ? ORDER BY key", place);
  }

  async cracsOnFloor(siteId: string, floorNumber: number): Promise<readonly Crac[]> {
    const place = [codeKey(siteId), floorNumber];
    return this.#readBodies("SELECT body FROM crac WHERE site = ? AND floor = ? ORDER BY key", place);
  }

  async searchDevices(query: DeviceQuery): Promise<DevicePage> {
    return searchDevices(this.runner, this.dialect, query);
  }

  async devicesWithFreePorts(): Promise<ReadonlySet<string>> {
    return findDevicesWithFreePorts(this.runner);
  }

  async chainHead(): Promise<ChainHead> {
    const [seq = "0", hash = ""] = (await this.setting(AUDIT_HEAD_SETTING))?.split(" ") ?? [];
    return { seq: Number(seq), hash };
  }

  async checkRows(kind: ResourceKind, after: string, limit: number): Promise<readonly CheckedRow[]> {
    return checkResourceRows(this.runner, { kind, after, limit });
  }

  async strayRows(): Promise<ReadonlyMap<string, number>> {
    return countStrayRows(this.runner);
  }

  async timesAfter(moment: number): Promise<ReadonlyMap<string, number>> {
    return readTimesAfter(this.runner, moment);
  }

  async changedSince(seq: number, limit: number): Promise<readonly string[] | undefined> {
    const base = await readArchiveBase(this);
    if (base === undefined || base.seq > seq) return undefined;
    const entity = this.dialect.formatJsonText("body", "entity");
    const rows = await this.runner.all(`SELECT DISTINCT ${entity} AS entity FROM change_log WHERE seq > ? LIMIT ?`, [
      seq,
      limit,
    ]);
    return rows.map((row) => getTextColumn(row, "entity"));
  }

  async inventoryCounts(): Promise<InventoryCounts> {
    return countInventory(this.runner);
  }

  async page<Kind extends ResourceKind>(
    kind: Kind,
    after: string,
    limit: number,
  ): Promise<readonly ResourceByKind[Kind][]> {
    if (kind === "device") return (await readDevicePage(this.runner, after, limit)) as readonly ResourceByKind[Kind][];
    return this.#readBodies(`SELECT key, body FROM ${kind} WHERE key > ? ORDER BY key LIMIT ?`, [after, limit]);
  }

  async inventory(): Promise<Inventory> {
    return this.#readInventory({ ports: [], cables: [] });
  }

  async powerInventory(among?: ResourceKeys): Promise<Inventory> {
    const ends = `SELECT cable_end.cable_key FROM cable_end JOIN port ON port.device_key = cable_end.device_key
      AND port.name = cable_end.port_name WHERE port.kind = 'POWER_IN'`;
    const ports = POWER_PORTS;
    if (among === undefined) return this.#readInventory({ ports, cables: [{ sql: `key IN (${ends})`, params: [] }] });
    const touching = `(${this.dialect.formatInList("cable.key")}
      OR cable.key IN (SELECT cable_key FROM cable_end WHERE ${this.dialect.formatInList("cable_end.device_key")}))`;
    const params = [JSON.stringify(among.cable), JSON.stringify(among.device)];
    // Tests each touching cable, because a join would read all power cables.
    const power = `EXISTS (${ends} AND cable_end.cable_key = cable.key)`;
    return this.#readInventory({ ports, cables: [{ sql: `${touching} AND ${power}`, params }] }, among);
  }

  async #readInventory(
    conditions: { readonly ports: readonly SqlCondition[]; readonly cables: readonly SqlCondition[] },
    among?: Omit<ResourceKeys, "cable">,
  ): Promise<Inventory> {
    const keyed = (column: string, keys: readonly string[] | undefined): readonly SqlCondition[] =>
      keys === undefined ? [] : [{ sql: this.dialect.formatInList(column), params: [JSON.stringify(keys)] }];
    const table = <Resource>(name: string, given: readonly SqlCondition[]): Promise<readonly Resource[]> =>
      this.#readBodies(`SELECT body FROM ${name} ${createWhereClause(given)} ORDER BY key`, listConditionParams(given));
    return {
      racks: await table("rack", keyed("key", among?.rack)),
      devices:
        among === undefined
          ? await readAllDevices(this.runner, conditions.ports)
          : await readDevices(this.runner, this.dialect, among.device, conditions.ports),
      cracs: await table("crac", keyed("key", among?.crac)),
      cables: await table("cable", conditions.cables),
      fabricLinks: await table("fabric_link", keyed("key", among?.fabric_link)),
    };
  }

  async #readPorts(deviceKey: string): Promise<readonly Port[]> {
    return this.#readBodies("SELECT body FROM port WHERE device_key = ? ORDER BY place", [deviceKey]);
  }

  async #readBodies<Resource>(sql: string, params: readonly SqlValue[] = []): Promise<readonly Resource[]> {
    return (await this.runner.all(sql, params)).map((row) => parseResourceBody<Resource>(row));
  }
}

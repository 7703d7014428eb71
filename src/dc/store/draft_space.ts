import type { PortKind } from "../model/enum_values.ts";
import type { Inventory, NetworkPortSummary, SourceConsumer } from "../model/inventory.ts";
import { codeKey, compareByCodePoints, getResourceKey } from "../model/ref.ts";
import type {
  Cable,
  Crac,
  Device,
  DeviceBody,
  FabricLink,
  PortRef,
  Rack,
  ResourceByKind,
  ResourceKind,
} from "../model/resources.ts";
import type {
  DcWriter,
  DevicePage,
  DeviceQuery,
  InventoryCounts,
  ResourceKeys,
  StoredDocument,
  StoredVersion,
} from "../ports.ts";
import { migrateSchema } from "./migrations.ts";
import { SqlReader } from "./sql/sql_reader.ts";
import { type Dialect, getTextColumn, SQLITE, type SqlRunner } from "./sql/sql_runner.ts";
import { SqlWriter } from "./sql/sql_writer.ts";
import { SqliteRunner } from "./sqlite/sqlite_connection.ts";
import { TransactionCache } from "./transaction_cache.ts";

/** Page cache of a draft's database in KiB. It is small, because all pages are in memory. */
const CACHE_KIB = 64;

/** Runs drafts: transactions on a snapshot that store their writes in a database in memory, which is discarded. */
export class DraftRunner {
  /** Empty databases with a schema, for later drafts. */
  readonly #idleDatabases: SqliteRunner[] = [];

  /** Runs work as a draft. @param runner a connection within a transaction, which reads one snapshot */
  async run<Result>(runner: SqlRunner, dialect: Dialect, work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    const memory = this.#idleDatabases.pop() ?? (await createEmptyDatabase());
    await memory.run("BEGIN");
    try {
      return await SqlWriter.run(runner, dialect, (below) =>
        SqlWriter.run(memory, SQLITE, (above) => work(new DraftWriter(runner, dialect, { below, above }))),
      );
    } finally {
      await memory.run("ROLLBACK");
      this.#idleDatabases.push(memory);
    }
  }

  close(): void {
    for (const memory of this.#idleDatabases.splice(0)) memory.close();
  }
}

async function createEmptyDatabase(): Promise<SqliteRunner> {
  const memory = new SqliteRunner({ address: ":memory:", cacheKib: CACHE_KIB });
  await migrateSchema(memory, SQLITE);
  return memory;
}

/**
 * Methods that a draft does not support. Reads that no write requires return data of the snapshot until the first
 * change, and throw after it. Methods that follow a commit always throw, because calling them is a defect.
 */
abstract class DraftLimits extends SqlReader {
  protected abstract get isChanged(): boolean;

  override async networkPorts(codes: readonly string[]): Promise<ReadonlyMap<string, NetworkPortSummary>> {
    this.#requireUnchanged("networkPorts");
    return super.networkPorts(codes);
  }

  override async searchDevices(query: DeviceQuery): Promise<DevicePage> {
    this.#requireUnchanged("searchDevices");
    return super.searchDevices(query);
  }

  override async devicesWithFreePorts(): Promise<ReadonlySet<string>> {
    this.#requireUnchanged("devicesWithFreePorts");
    return super.devicesWithFreePorts();
  }

  override async inventory(): Promise<Inventory> {
    this.#requireUnchanged("inventory");
    return super.inventory();
  }

  override async page<Kind extends ResourceKind>(
    kind: Kind,
    after: string,
    limit: number,
  ): Promise<readonly ResourceByKind[Kind][]> {
    this.#requireUnchanged("page");
    return super.page(kind, after, limit);
  }

  override async inventoryCounts(): Promise<InventoryCounts> {
    this.#requireUnchanged("inventoryCounts");
    return super.inventoryCounts();
  }

  append = () => rejectStoreCall();
  keepCheckpoint = () => rejectStoreCall();
  dropLog = () => rejectStoreCall();
  raiseRevision = () => rejectStoreCall();
  remember = () => rejectStoreCall();
  forget = () => rejectStoreCall();
  setSetting = () => rejectStoreCall();
  keepDelivery = () => rejectStoreCall();
  keepDeadLetter = () => rejectStoreCall();
  dropDeadLetter = () => rejectStoreCall();
  keepReadings = () => rejectStoreCall();
  dropReadings = () => rejectStoreCall();

  #requireUnchanged(read: string): void {
    if (this.isChanged) throw createUnsupportedReadError(read);
  }
}

/** Creates the error for a call of the method `read`, which a draft does not support after a change. */
function createUnsupportedReadError(method: string): Error {
  return new Error(`A draft cannot answer ${method} once it has changed something`);
}

function rejectStoreCall(): never {
  throw new Error("A draft is never stored");
}

const DOCUMENT_KIND = "document";

interface DraftLayers {
  /** Writer on the snapshot, used only for reads, which it caches. */
  readonly below: DcWriter;
  /** Writer on an empty database for the draft's changes. */
  readonly above: SqlWriter;
}

/**
 * A transaction on a snapshot whose changes are kept in a separate database and never stored. It takes no writer lock.
 * It supports the reads that writes use. Other reads throw after the first change.
 */
class DraftWriter extends DraftLimits implements DcWriter {
  readonly #below: DcWriter;
  readonly #above: SqlWriter;
  readonly #hiddenKeys = new HiddenKeys();
  readonly #cache = new TransactionCache();
  /** Kinds of which the draft wrote a resource. */
  readonly #writtenKinds = new Set<ResourceKind>();

  /** Creates a draft without changes. @param runner connection of the snapshot */
  constructor(runner: SqlRunner, dialect: Dialect, { below, above }: DraftLayers) {
    super(runner, dialect);
    this.#below = below;
    this.#above = above;
  }

  protected override get isChanged(): boolean {
    return this.#hiddenKeys.count > 0;
  }

  preloadResources(kind: ResourceKind, resources: readonly ResourceByKind[ResourceKind][]): Promise<void> {
    return this.#below.preloadResources(kind, resources);
  }

  put<Kind extends ResourceKind>(
    kind: Kind,
    stored: StoredVersion<ResourceByKind[Kind]>,
    before?: ResourceByKind[Kind],
  ): Promise<void> {
    const key = getResourceKey(stored.resource);
    this.#cache.recordWrite(kind, stored, this.#cache.isAbsent(kind, key), before);
    this.#writtenKinds.add(kind);
    const isFirst = this.#hiddenKeys.add(kind, key);
    return this.#above.put(kind, stored, undefined, isFirst);
  }

  remove(kind: ResourceKind, key: string): Promise<void> {
    this.#cache.recordRemoval(kind, key);
    this.#hiddenKeys.add(kind, key);
    return this.#above.remove(kind, key);
  }

  putDocument(space: string, key: string, body: string): Promise<void> {
    this.#hiddenKeys.add(DOCUMENT_KIND, `${space} ${key}`);
    return this.#above.putDocument(space, key, body);
  }

  dropDocument(space: string, key: string): Promise<void> {
    this.#hiddenKeys.add(DOCUMENT_KIND, `${space} ${key}`);
    return this.#above.dropDocument(space, key);
  }

  async savepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    const { count } = this.#hiddenKeys;
    try {
      return await this.#above.savepoint(work);
    } catch (error) {
      this.#cache.clear();
      this.#hiddenKeys.keepFirst(count);
      throw error;
    }
  }

  override stored<Kind extends ResourceKind>(
    kind: Kind,
    key: string,
  ): Promise<StoredVersion<ResourceByKind[Kind]> | undefined> {
    return this.#cache.getResource(kind, key, () => this.#chooseLayer(kind, key).stored(kind, key));
  }

  override devices(codes: readonly string[]): Promise<readonly Device[]> {
    return this.#readDevicesByLayer(codes, (layer, some) => layer.devices(some));
  }

  override powerDevices(codes: readonly string[]): Promise<readonly Device[]> {
    return this.#readDevicesByLayer(codes, (layer, some) => layer.powerDevices(some));
  }

  override devicesInRack(rackCode: string): Promise<readonly Device[]> {
    // Merging the layers again for each of a thousand devices in one rack would take the time of their writes.
    const read = () => this.#readMerged("device", (layer: DcWriter) => layer.devicesInRack(rackCode));
    return this.#cache.getRackDevices(codeKey(rackCode), read);
  }

  override childrenOf(deviceCode: string): Promise<readonly DeviceBody[]> {
    const read = () => this.#readMerged("device", (layer: DcWriter) => layer.childrenOf(deviceCode));
    return this.#cache.getChildren(codeKey(deviceCode), read);
  }

  override racksOnFloor(siteId: string, floorNumber: number): Promise<readonly Rack[]> {
    return this.#readMerged("rack", (layer) => layer.racksOnFloor(siteId, floorNumber));
  }

  override cracsOnFloor(siteId: string, floorNumber: number): Promise<readonly Crac[]> {
    return this.#readMerged("crac", (layer) => layer.cracsOnFloor(siteId, floorNumber));
  }

  override fabricLinksOf(deviceCode: string): Promise<readonly FabricLink[]> {
    return this.#readMerged("fabric_link", (layer) => layer.fabricLinksOf(deviceCode));
  }

  override cablesOfAll(deviceCodes: readonly string[]): Promise<readonly Cable[]> {
    return this.#readMerged("cable", (layer) => layer.cablesOfAll(deviceCodes));
  }

  override storedCablesOf(deviceCode: string): Promise<readonly StoredVersion<Cable>[]> {
    const layered = (layer: DcWriter) => layer.storedCablesOf(deviceCode);
    return this.#readLayers("cable", ({ resource }) => getResourceKey(resource), layered);
  }

  override async powerCablesOf(deviceCodes: readonly string[]): Promise<readonly Cable[]> {
    const among = new Set(deviceCodes.map(codeKey));
    const cables = await this.cablesOfAll(deviceCodes);
    const isPower = await this.#createPowerPortTest(deviceCodes);
    return cables.filter(({ a, b }) => [a, b].some((end) => among.has(codeKey(end.deviceCode)) && isPower(end)));
  }

  override async cableAt(end: PortRef): Promise<Cable | undefined> {
    const cable = await this.#below.cableAt(end);
    if (cable !== undefined && !this.#hiddenKeys.has("cable", getResourceKey(cable))) return cable;
    return this.#above.cableAt(end);
  }

  override async feedDeclarer(feedId: string): Promise<PortRef | undefined> {
    const port = await this.#below.feedDeclarer(feedId);
    if (port !== undefined && !this.#hiddenKeys.has("device", codeKey(port.deviceCode))) return port;
    return this.#above.feedDeclarer(feedId);
  }

  override async consumersOf(sourceRefs: readonly string[]): Promise<readonly SourceConsumer[]> {
    const layers = [await this.#below.consumersOf(sourceRefs), await this.#above.consumersOf(sourceRefs)];
    return (["device", "crac"] as const).flatMap((kind) => {
      const [below = [], above = []] = layers.map((list) => list.filter((one) => one.kind === kind));
      return this.#hiddenKeys.mergeVisible(kind, ({ code }) => codeKey(code), [below, above]);
    });
  }

  override async assetTagHolder(kind: "device" | "rack", assetTag: string): Promise<string | undefined> {
    const rows = await this.runner.all(`SELECT code FROM ${kind} WHERE asset_tag = ? ORDER BY key`, [assetTag]);
    const visible = rows
      .map((row) => getTextColumn(row, "code"))
      .find((code) => !this.#hiddenKeys.has(kind, codeKey(code)));
    const holders = [visible, await this.#above.assetTagHolder(kind, assetTag)].filter((code) => code !== undefined);
    return holders.sort((a, b) => compareByCodePoints(codeKey(a), codeKey(b)))[0];
  }

  override async document(space: string, key: string): Promise<string | undefined> {
    return (this.#hiddenKeys.has(DOCUMENT_KIND, `${space} ${key}`) ? this.#above : this.#below).document(space, key);
  }

  override async documents(space: string, after: string, limit: number): Promise<readonly StoredDocument[]> {
    const most = limit + this.#hiddenKeys.count;
    const layers = [await this.#below.documents(space, after, most), await this.#above.documents(space, after, most)];
    const named = layers.map((list) => list.map(({ key, body }) => ({ key, body, name: `${space} ${key}` })));
    const [below = [], above = []] = named;
    const merged = this.#hiddenKeys.mergeVisible(DOCUMENT_KIND, ({ name }) => name, [below, above]);
    return merged.slice(0, limit).map(({ key, body }) => ({ key, body }));
  }

  /** Returns the power inventory. @throws Error after a change if `among` is undefined */
  override async powerInventory(among?: ResourceKeys): Promise<Inventory> {
    if (this.#hiddenKeys.count === 0) return super.powerInventory(among);
    if (among === undefined) throw createUnsupportedReadError("powerInventory");
    const every = <Kind extends ResourceKind>(kind: Kind, keys: readonly string[]) => this.#readExisting(kind, keys);
    const touching = [...(await every("cable", among.cable)), ...(await this.cablesOfAll(among.device))];
    const cables = [...new Map(touching.map((cable) => [getResourceKey(cable), cable])).values()];
    const isPower = await this.#createPowerPortTest(
      cables.flatMap(({ a, b }) => [a.deviceCode, b.deviceCode]),
      "POWER_IN",
    );
    return {
      racks: await every("rack", among.rack),
      devices: await this.powerDevices(among.device),
      cracs: await every("crac", among.crac),
      cables: cables
        .filter(({ a, b }) => isPower(a) || isPower(b))
        .sort((a, b) => compareByCodePoints(getResourceKey(a), getResourceKey(b))),
      fabricLinks: await every("fabric_link", among.fabric_link),
    };
  }

  #chooseLayer(kind: ResourceKind, key: string): DcWriter {
    return this.#hiddenKeys.has(kind, key) ? this.#above : this.#below;
  }

  #readMerged<One extends Rack | DeviceBody | Crac | Cable | FabricLink>(
    kind: ResourceKind,
    ask: (layer: DcWriter) => Promise<readonly One[]>,
  ): Promise<readonly One[]> {
    return this.#readLayers(kind, getResourceKey as (one: One) => string, ask);
  }

  async #readLayers<One>(
    kind: ResourceKind,
    keyOf: (one: One) => string,
    ask: (layer: DcWriter) => Promise<readonly One[]>,
  ): Promise<readonly One[]> {
    const below = await ask(this.#below);
    const above = this.#writtenKinds.has(kind) ? await ask(this.#above) : [];
    return this.#hiddenKeys.count === 0 ? below : this.#hiddenKeys.mergeVisible(kind, keyOf, [below, above]);
  }

  /** Reads the devices with the given codes from the layer that has each of them. */
  async #readDevicesByLayer(
    codes: readonly string[],
    ask: (layer: DcWriter, some: readonly string[]) => Promise<readonly Device[]>,
  ): Promise<readonly Device[]> {
    const { hidden = [], visible = [] } = Object.groupBy(codes, (code) =>
      this.#hiddenKeys.has("device", codeKey(code)) ? "hidden" : "visible",
    );
    const below = visible.length === 0 ? [] : await ask(this.#below, visible);
    return hidden.length === 0
      ? below
      : this.#hiddenKeys.mergeVisible("device", getResourceKey, [below, await ask(this.#above, hidden)]);
  }

  /** Returns the existing resources, sorted by key. */
  async #readExisting<Kind extends ResourceKind>(
    kind: Kind,
    keys: readonly string[],
  ): Promise<readonly ResourceByKind[Kind][]> {
    const found = await Promise.all([...new Set(keys)].sort(compareByCodePoints).map((key) => this.stored(kind, key)));
    return found.flatMap((stored) => (stored === undefined ? [] : [stored.resource]));
  }

  /** Creates a test whether a cable end is a power port of these devices, of the given kind if `kind` is defined. */
  async #createPowerPortTest(codes: readonly string[], kind?: PortKind): Promise<(end: PortRef) => boolean> {
    const devices = await this.powerDevices([...new Set(codes.map(codeKey))]);
    const names = devices.flatMap(({ code, ports = [] }) =>
      ports.filter((port) => kind === undefined || port.kind === kind).map(({ name }) => `${codeKey(code)}/${name}`),
    );
    const known = new Set(names);
    return ({ deviceCode, portName }) => known.has(`${codeKey(deviceCode)}/${portName}`);
  }
}

/** Keys that a draft wrote or removed, which hide the snapshot's entries. */
class HiddenKeys {
  readonly #names = new Set<string>();

  /** Number of keys, to which `keepFirst` can return later. */
  get count(): number {
    return this.#names.size;
  }

  /** Adds a key. @returns whether it was not there */
  add(kind: string, key: string): boolean {
    const { size } = this.#names;
    return this.#names.add(`${kind} ${key}`).size > size;
  }

  has(kind: string, key: string): boolean {
    return this.#names.has(`${kind} ${key}`);
  }

  keepFirst(count: number): void {
    for (const name of [...this.#names].slice(count)) this.#names.delete(name);
  }

  /** Merges the snapshot's visible entries with the entries of the draft, sorted by key. */
  mergeVisible<One>(
    kind: string,
    keyOf: (one: One) => string,
    [below, above]: readonly [below: readonly One[], above: readonly One[]],
  ): readonly One[] {
    const visible = below.filter((one) => !this.has(kind, keyOf(one)));
    if (above.length === 0) return visible;
    return [...visible, ...above].sort((a, b) => compareByCodePoints(keyOf(a), keyOf(b)));
  }
}

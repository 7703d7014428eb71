import { selectDrawPorts } from "#dc/model/draw.ts";
import { codeKey, getResourceKey } from "#dc/model/ref.ts";
import type {
  Cable,
  Device,
  DeviceBody,
  FabricLink,
  PortRef,
  ResourceByKind,
  ResourceKind,
} from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";

type StoredResource = StoredVersion<ResourceByKind[ResourceKind]>;
/** Cables by port name; a cable stays JSON text until it is read, because a batch loads the ends of many devices. */
type CableEnds = Map<string, Cable | string>;

/**
 * Caches the reads that rules repeat within one write transaction. Independent of SQL: each read method receives the
 * function that loads the value. `written`, `removed` and `clear` keep cached values equal to a fresh read of the
 * transaction; the owner calls them with every change and after every rolled-back savepoint.
 */
export class TransactionCache {
  readonly #resources = new BoundedCache<StoredResource | undefined>();
  readonly #rackDevices = new BoundedCache<readonly Device[]>();
  /** Devices inside of another device, such as the blades of a chassis, by the key of that device. */
  readonly #children = new BoundedCache<readonly DeviceBody[]>();
  readonly #feedDeclarers = new BoundedCache<PortRef | undefined>();
  readonly #cableEnds = new BoundedCache<CableEnds>();
  readonly #links = new BoundedCache<readonly FabricLink[]>();
  /** Resources that a read found to be missing, as `kind key`. Their first write is an insert. */
  readonly #absentKeys = new Set<string>();

  async getResource<Kind extends ResourceKind>(
    kind: Kind,
    key: string,
    load: () => Promise<StoredVersion<ResourceByKind[Kind]> | undefined>,
  ): Promise<StoredVersion<ResourceByKind[Kind]> | undefined> {
    const name = `${kind} ${key}`;
    const found = await this.#resources.get(name, load);
    if (found === undefined) this.#absentKeys.add(name);
    return found as StoredVersion<ResourceByKind[Kind]> | undefined;
  }

  /** Returns the keys whose resource is not cached, each once. */
  findMissingResources(kind: ResourceKind, keys: readonly string[]): readonly string[] {
    return this.#resources.findMissing(keys.map((key) => `${kind} ${key}`)).map((name) => name.slice(kind.length + 1));
  }

  /** Adds the result of a read of many resources; undefined for a resource that does not exist. */
  addResource(kind: ResourceKind, key: string, stored: StoredResource | undefined): void {
    this.#resources.set(`${kind} ${key}`, stored);
    if (stored === undefined) this.#absentKeys.add(`${kind} ${key}`);
  }

  getRackDevices(rackKey: string, load: () => Promise<readonly Device[]>): Promise<readonly Device[]> {
    return this.#rackDevices.get(rackKey, load);
  }

  getChildren(parentKey: string, load: () => Promise<readonly DeviceBody[]>): Promise<readonly DeviceBody[]> {
    return this.#children.get(parentKey, load);
  }

  getFeedDeclarer(feedKey: string, load: () => Promise<PortRef | undefined>): Promise<PortRef | undefined> {
    return this.#feedDeclarers.get(feedKey, load);
  }

  getFabricLinks(deviceKey: string, load: () => Promise<readonly FabricLink[]>): Promise<readonly FabricLink[]> {
    return this.#links.get(deviceKey, load);
  }

  async getCable(deviceKey: string, portName: string, load: () => Promise<CableEnds>): Promise<Cable | undefined> {
    const cable = (await this.#cableEnds.get(deviceKey, load)).get(portName);
    return typeof cable === "string" ? JSON.parse(cable) : cable;
  }

  /** Returns the devices whose cable ends are not cached, each once. */
  findMissingCableEnds(deviceKeys: readonly string[]): readonly string[] {
    return this.#cableEnds.findMissing(deviceKeys);
  }

  addCableEnds(deviceKey: string, ends: CableEnds): void {
    this.#cableEnds.set(deviceKey, ends);
  }

  /** Whether this transaction has read that the resource is missing, and has not written it since. */
  isAbsent(kind: ResourceKind, key: string): boolean {
    return this.#absentKeys.has(`${kind} ${key}`);
  }

  /**
   * Stores a written resource.
   * @param isNew whether the resource did not exist before
   * @param before the version that it replaces, if the caller has read it
   */
  recordWrite(kind: ResourceKind, stored: StoredResource, isNew: boolean, before?: ResourceByKind[ResourceKind]): void {
    const { resource } = stored;
    const key = getResourceKey(resource);
    this.#absentKeys.delete(`${kind} ${key}`);
    this.#resources.set(`${kind} ${key}`, stored);
    // `kind` names the type of the resource, which the compiler cannot follow.
    if (kind === "device") this.#recordDevice(resource as Device, isNew, before as Device | undefined);
    if (kind === "cable") this.#recordCable(resource as Cable);
    if (kind === "fabric_link") this.#recordLink(resource as FabricLink, isNew);
  }

  /** Updates the cache after a removal. Drops complete lists, because it is unknown which lists had the resource. */
  recordRemoval(kind: ResourceKind, key: string): void {
    this.#resources.delete(`${kind} ${key}`);
    if (kind === "device") {
      this.#rackDevices.clear();
      this.#children.clear();
      this.#feedDeclarers.clear();
    }
    if (kind === "cable") this.#cableEnds.clear();
    if (kind === "fabric_link") this.#links.clear();
  }

  /** Drops all entries, after writes were rolled back. */
  clear(): void {
    this.#resources.clear();
    this.#rackDevices.clear();
    this.#children.clear();
    this.#feedDeclarers.clear();
    this.#cableEnds.clear();
    this.#links.clear();
    this.#absentKeys.clear();
  }

  #recordDevice(device: Device, isNew: boolean, before: Device | undefined): void {
    if (!(isNew || before) || [before, device].some(declaresFeed)) this.#feedDeclarers.clear();
    const { ports: _, ...body } = device;
    const earlier = isNew ? undefined : before;
    for (const [lists, one, getListKey] of [
      [this.#rackDevices, selectDrawPorts(device), getRackKey],
      [this.#children, body, getParentKey],
    ] as const) {
      if (!isNew && before === undefined) lists.clear();
      const [from, to] = [earlier && getListKey(earlier), getListKey(device)];
      if (from === to) lists.update(to, (list) => list.map((other) => (other.code === earlier?.code ? one : other)));
      else {
        if (from !== undefined) lists.update(from, (list) => list.filter(({ code }) => code !== earlier?.code));
        lists.update(to, (list) => insertSortedResource(list, one));
      }
    }
  }

  #recordLink(link: FabricLink, isNew: boolean): void {
    const devices = new Set([codeKey(link.a.deviceCode), codeKey(link.b.deviceCode)]);
    if (isNew) for (const device of devices) this.#links.update(device, (links) => insertSortedResource(links, link));
    else this.#links.clear();
  }

  #recordCable(cable: Cable): void {
    for (const { deviceCode, portName } of [cable.a, cable.b])
      this.#cableEnds.update(codeKey(deviceCode), (ends) => ends.set(portName, cable));
  }
}

function getRackKey({ rackCode = "" }: Device): string {
  return codeKey(rackCode);
}

function getParentKey({ parentDeviceCode = "" }: Device): string {
  return codeKey(parentDeviceCode);
}

function declaresFeed(device: Device | undefined): boolean {
  return device?.ports?.some(({ powerOut }) => powerOut?.feedId !== undefined) === true;
}

/** Inserts a resource into a list ordered by key. */
function insertSortedResource<One extends Device | FabricLink>(list: readonly One[], one: One): readonly One[] {
  const key = getResourceKey(one);
  const at = list.findLastIndex((other) => getResourceKey(other) < key) + 1;
  return list.toSpliced(at, 0, one);
}

/** Maximum number of entries. Measured: covers the racks and panels that a batch of a thousand devices reads. */
const MAX_CACHE_ENTRIES = 5000;

/** A map of pending or finished reads. A full map drops all entries, so that its memory is bounded. */
class BoundedCache<Value> {
  readonly #entries = new Map<string, Promise<Value>>();

  /** Returns the cached read, or starts `load` and caches it. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= MAX_CACHE_ENTRIES) this.#entries.clear();
    const loading = load();
    this.#entries.set(key, loading);
    return loading;
  }

  /** Returns the keys that are not cached, each once. Drops everything if there is no space for all of them. */
  findMissing(keys: readonly string[]): readonly string[] {
    const wanted = new Set(keys);
    if (this.#entries.size + wanted.size > MAX_CACHE_ENTRIES) this.#entries.clear();
    return [...wanted].filter((key) => !this.#entries.has(key));
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, Promise.resolve(value));
  }

  /** Replaces a cached value by the result of `change`; does nothing if the key is not cached. */
  update(key: string, change: (value: Value) => Value): void {
    const known = this.#entries.get(key);
    if (known !== undefined) this.#entries.set(key, known.then(change));
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}

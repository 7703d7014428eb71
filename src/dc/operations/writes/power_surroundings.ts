import { carriesPower, listOutlets, listSupplyKeys } from "#dc/analysis/power/power_node_table.ts";
import type { Inventory, SiteReader } from "#dc/model/inventory.ts";
import { listEnabledInlets } from "#dc/model/power_walk.ts";
import { isDeviceInBay } from "#dc/model/rack_space.ts";
import { codeKey, compareText, getResourceKey, parseRef, toPortKey, toRefKey } from "#dc/model/ref.ts";
import type { Cable, Crac, Device } from "#dc/model/resources.ts";

/** Thrown when a traversal has used up its budget of devices. */
class BudgetExceededError extends Error {}

/**
 * The part of an inventory around some power equipment, read level by level, for writes that cannot wait for the whole
 * graph. Each device is read once, regardless of the number of its supplies. Keys are those of device codes.
 */
export class PowerSurroundings {
  readonly #site: SiteReader;
  /** Number of devices that may still be read downstream. */
  #budgetLeft: number;
  readonly #devices = new Map<string, Device>();
  readonly #cracs = new Map<string, Crac>();
  readonly #cables = new Map<string, Cable>();
  /** Key of the device at a power cable's other end, by port key; undefined if the cable carries no power. */
  readonly #farEnds = new Map<string, string | undefined>();
  /** Devices whose cables have been read. */
  readonly #cabledKeys = new Set<string>();
  /** Keys of the devices directly downstream of a device. */
  readonly #consumers = new Map<string, readonly string[]>();
  readonly #feedDeclarers = new Map<string, string | undefined>();

  /** @param budget number of devices that may be read downstream */
  constructor(site: SiteReader, budget: number) {
    this.#site = site;
    this.#budgetLeft = budget;
  }

  /** Returns the given devices, and the cooling units and cables that were read, sorted by key. */
  buildInventory(devices: readonly string[]): Inventory {
    const sorted = <Resource>(found: ReadonlyMap<string, Resource>) =>
      [...found].sort(([a], [b]) => compareText(a, b)).map(([, resource]) => resource);
    return {
      racks: [],
      devices: devices.toSorted(compareText).flatMap((key) => this.#devices.get(key) ?? []),
      cracs: sorted(this.#cracs),
      cables: sorted(this.#cables),
      fabricLinks: [],
    };
  }

  findDevice(key: string): Device | undefined {
    return this.#devices.get(key);
  }

  /**
   * Reads everything upstream of devices, and of the cooling units that were found downstream.
   *
   * @returns keys of the devices and of all devices upstream, nearest first
   */
  async readUpstream(keys: Iterable<string>): Promise<readonly string[]> {
    const inputs = [...this.#cracs.values()].flatMap(({ powerInputs = [] }) => powerInputs);
    const sources = await this.#findSourceOwners(inputs.flatMap(({ sourceRef = [] }) => sourceRef));
    const seen = new Set([...keys, ...sources]);
    for (let level = [...seen]; level.length > 0; ) {
      await this.#readDevices(level);
      await this.#readDevices(level.flatMap((key) => this.#findChassisKey(key) ?? []));
      await this.#readCables(level);
      const next = new Set(await this.#findSourceOwners(level.flatMap((key) => this.#listSourceRefs(key)))).difference(
        seen,
      );
      for (const key of next) seen.add(key);
      level = [...next];
    }
    return [...seen].filter((key) => this.#devices.has(key));
  }

  /** Reads everything downstream of a device. @returns the keys, or undefined if the budget is used up */
  async readDownstream(start: string): Promise<ReadonlySet<string> | undefined> {
    const seen = new Set([start]);
    try {
      for (let level = [start]; level.length > 0; ) {
        const unknown = level.filter((key) => !this.#consumers.has(key));
        if (unknown.length > 0) await this.#readConsumers(unknown);
        const next = new Set(level.flatMap((key) => this.#consumers.get(key) ?? []).filter((key) => !seen.has(key)));
        for (const key of next) seen.add(key);
        level = [...next];
      }
      return seen;
    } catch (error) {
      if (error instanceof BudgetExceededError) return undefined;
      throw error;
    }
  }

  /** Finds the direct consumers of each of these devices. @throws BudgetExceededError */
  async #readConsumers(keys: readonly string[]): Promise<void> {
    if (this.#budgetLeft < 0) throw new BudgetExceededError();
    await this.#readCables(keys);
    const found = new Map(keys.map((key): [string, Set<string>] => [key, new Set()]));
    const owners = new Map<string, string>();
    for (const key of keys) {
      const device = this.#devices.get(key);
      if (device === undefined) continue;
      for (const ref of listSupplyKeys(device)) owners.set(ref, key);
      found.set(key, new Set([...this.#listCabledConsumers(device), ...(await this.#readBlades(device))]));
    }
    const consumers = await this.#site.consumersOf([...owners.keys()]);
    const wanted = consumers.filter(({ kind }) => kind === "device").map(({ code }) => codeKey(code));
    await this.#readWithinBudget([...wanted, ...[...found.values()].flatMap((children) => [...children])]);
    for (const { kind, code, inlet } of consumers) {
      if (kind === "crac") await this.#readCrac(code);
      const port = this.#devices.get(codeKey(code))?.ports?.find(({ name }) => name === inlet);
      const owner = owners.get(toRefKey(port?.powerIn?.sourceRef ?? ""));
      if (owner !== undefined) found.get(owner)?.add(codeKey(code));
    }
    for (const [key, children] of found)
      this.#consumers.set(
        key,
        [...children].filter((child) => this.#devices.has(child)),
      );
  }

  /** Returns the keys of devices at the other end of a device's outlets. */
  #listCabledConsumers(device: Device): readonly string[] {
    return listOutlets(device).flatMap(
      ({ name }) => this.#farEnds.get(toPortKey({ deviceCode: device.code, portName: name })) ?? [],
    );
  }

  /** Returns the keys of the blades that a chassis supplies. */
  async #readBlades({ kind, code }: Device): Promise<readonly string[]> {
    if (kind !== "CHASSIS") return [];
    return (await this.#site.childrenOf(code)).filter(isDeviceInBay).map((blade) => codeKey(blade.code));
  }

  /** Returns the references of the direct supplies of a device, including its chassis. */
  #listSourceRefs(key: string): readonly string[] {
    const device = this.#devices.get(key);
    if (device === undefined) return [];
    const bay = this.#findChassisKey(key);
    if (bay !== undefined) return this.#devices.get(bay)?.kind === "CHASSIS" ? [`device:${bay}`] : [];
    return listEnabledInlets(device).flatMap(({ name, powerIn }) => {
      const port = toPortKey({ deviceCode: device.code, portName: name });
      const far = this.#farEnds.get(port);
      if (far === undefined) return this.#farEnds.has(port) ? [] : (powerIn?.sourceRef ?? []);
      return powerIn?.sourceRef ?? `device:${far}`;
    });
  }

  /** Returns the key of the chassis that holds a blade without inlets. */
  #findChassisKey(key: string): string | undefined {
    const device = this.#devices.get(key);
    if (device === undefined || !isDeviceInBay(device) || listEnabledInlets(device).length > 0) return undefined;
    return codeKey(device.parentDeviceCode ?? "");
  }

  /** Returns the keys of the devices that own the given sources. Omits feeds that no outlet declares. */
  async #findSourceOwners(sources: readonly string[]): Promise<readonly string[]> {
    const owners: string[] = [];
    for (const source of sources) {
      const ref = parseRef(source);
      if (ref?.kind === "device") owners.push(codeKey(ref.code));
      if (ref?.kind === "port") owners.push(codeKey(ref.end.deviceCode));
      if (ref?.kind !== "feed") continue;
      const key = toRefKey(source);
      if (!this.#feedDeclarers.has(key)) {
        const declarer = await this.#site.feedDeclarer(ref.code);
        this.#feedDeclarers.set(key, declarer && codeKey(declarer.deviceCode));
      }
      const owner = this.#feedDeclarers.get(key);
      if (owner !== undefined) owners.push(owner);
    }
    return owners;
  }

  /** Reads devices downstream and charges them to the budget. @throws BudgetExceededError */
  async #readWithinBudget(keys: readonly string[]): Promise<void> {
    this.#budgetLeft -= new Set(keys.filter((key) => !this.#devices.has(key))).size;
    if (this.#budgetLeft < 0) throw new BudgetExceededError();
    await this.#readDevices(keys);
  }

  async #readDevices(keys: readonly string[]): Promise<void> {
    const wanted = [...new Set(keys)].filter((key) => !this.#devices.has(key));
    if (wanted.length === 0) return;
    for (const device of await this.#site.powerDevices(wanted)) {
      const key = codeKey(device.code);
      this.#devices.set(key, device);
      for (const { powerOut } of listOutlets(device)) {
        if (powerOut?.feedId !== undefined) this.#feedDeclarers.set(toRefKey(`feed:${powerOut.feedId}`), key);
      }
    }
  }

  async #readCrac(code: string): Promise<void> {
    if (this.#cracs.has(codeKey(code))) return;
    const crac = await this.#site.crac(code);
    if (crac !== undefined) this.#cracs.set(codeKey(code), crac);
  }

  /** Reads the cables between power ports of devices. */
  async #readCables(keys: readonly string[]): Promise<void> {
    const wanted = keys.filter((key) => !this.#cabledKeys.has(key) && this.#devices.has(key));
    if (wanted.length === 0) return;
    for (const key of wanted) this.#cabledKeys.add(key);
    for (const cable of await this.#site.powerCablesOf(wanted)) {
      const [a, b] = [toPortKey(cable.a), toPortKey(cable.b)];
      this.#cables.set(getResourceKey(cable), cable);
      this.#farEnds.set(a, carriesPower(cable) ? codeKey(cable.b.deviceCode) : undefined);
      this.#farEnds.set(b, carriesPower(cable) ? codeKey(cable.a.deviceCode) : undefined);
    }
  }
}

import type { Impact, ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { FailureSeverity, LoadBasis } from "../../model/enum_values.ts";
import { codeKey } from "../../model/ref.ts";
import type { FabricLink } from "../../model/resources.ts";
import { canCarryTraffic, type FindDeviceByKey, type LinkDevices, rankTiers } from "../fabric/fabric_tiers.ts";
import { isSameItemList } from "../persistent.ts";
import type { TrippedSource } from "../power/blast_radius.ts";
import type { Overloaded } from "../power/failure_state.ts";
import { computeLostDrawW } from "../power/load_lanes.ts";
import {
  findDeviceNode,
  getCoolingCapacityKw,
  isPowerEquipmentNode,
  type PowerGraph,
  selectItDevices,
} from "../power/power_nodes.ts";
import { hasUnknownDraw } from "../power/unknown_draws.ts";
import type { Topology } from "../topology.ts";
import { type FailureEffects, findRackKey, formatZoneKey, selectCountedEffects } from "./charge.ts";
import { type Failure, listFailingNodes } from "./elements.ts";

/** All or some effects of a failure, or the union of several losses. Each node, rack, zone and link occurs once. */
export interface Loss {
  /** Nodes of devices and cooling units that go offline, failed cooling units included. */
  readonly offline: ReadonlySet<number>;
  /** Nodes of `offline` that go offline without any trip. */
  readonly direct: ReadonlySet<number>;
  /** Nodes of devices and cooling units that stay on with less supply. */
  readonly degraded: ReadonlySet<number>;
  /** Keys of racks. */
  readonly racksDark: ReadonlySet<string>;
  readonly racksPartial: ReadonlySet<string>;
  readonly racksProtected: ReadonlySet<string>;
  readonly racksDarkByTrip: ReadonlySet<string>;
  /** Tripped elements by node. */
  readonly trips: ReadonlyMap<number, TrippedSource>;
  readonly overloads: ReadonlyMap<number, Overloaded>;
  /** Cooling shortages by medium and area. */
  readonly zones: ReadonlyMap<string, ZoneShortage>;
  /** Numbers of the fabric links that go down. */
  readonly links: ReadonlySet<number>;
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: ReadonlySet<number>;
  /** Nodes of devices that stay on without a data path. */
  readonly isolated: ReadonlySet<number>;
}

/** Watts from which the loss of one IT device counts as severe as the loss of several devices. */
const LARGE_DRAW_W = 1000;

/** Whether only one IT device goes offline and draws little, which is not severe even if it was alone in its rack. */
function isOneSmallDevice(graph: PowerGraph, it: readonly number[], basis: LoadBasis): boolean {
  const [only] = it;
  if (only === undefined || it.length > 1) return false;
  return computeLostDrawW(graph, only, { isGone: (index) => index === only, basis }) < LARGE_DRAW_W;
}

/** Returns the severity of a loss; undefined if nothing is lost. Source: docs/rehearsal.md#causes. */
export function rateLoss(graph: PowerGraph, loss: Loss, basis: LoadBasis): FailureSeverity | undefined {
  const { racksDark, racksPartial, racksDarkByTrip, trips, cutOff, isolated, zones, overloads } = loss;
  const it = selectItDevices(graph, loss.offline);
  if (racksDark.size > 0 && !isOneSmallDevice(graph, it, basis)) return racksDarkByTrip.size > 0 ? "CRITICAL" : "HIGH";
  const isShort = zones.size > 0 && [...zones.values()].some(({ short }) => short);
  const wouldTrip =
    trips.size > 0 || (overloads.size > 0 && [...overloads.values()].some(({ severity }) => severity === "WOULD_TRIP"));
  const off = it.length + isolated.size;
  if (off > 1 || isShort || cutOff.size > 0 || wouldTrip) return "MEDIUM";
  // A rack whose PDUs are off is partly dark if no consumer has a recorded supply, although no device is known off.
  if (off === 1 || overloads.size > 0 || racksPartial.size > 0) return "LOW";
  const isWeaker =
    loss.degraded.size + selectCoolingNodes(graph, loss.offline).length + zones.size + loss.links.size > 0;
  return isWeaker ? "INFO" : undefined;
}

export function selectCoolingNodes({ nodes }: PowerGraph, indexes: Iterable<number>): readonly number[] {
  return [...indexes].filter((index) => nodes[index]?.kind === "CRAC");
}

/** Shortest battery times in seconds during a failure, at rated load and at the actual load. */
type BatteryTimes = Pick<Impact, "minRideThroughS" | "minRideThroughAtLoadS">;

export function selectMinBatteryTimes(impacts: readonly BatteryTimes[]): BatteryTimes {
  const least = (times: readonly number[]) => times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const ratedS = least(impacts.flatMap(({ minRideThroughS }) => minRideThroughS ?? []));
  const atLoadS = least(impacts.flatMap(({ minRideThroughAtLoadS }) => minRideThroughAtLoadS ?? []));
  return {
    ...(Number.isFinite(ratedS) && { minRideThroughS: ratedS }),
    ...(Number.isFinite(atLoadS) && { minRideThroughAtLoadS: atLoadS }),
  };
}

/** Counts a loss in the same way as a blast radius. @param times shortest battery times of the failures */
export function countLoss(
  topology: Topology,
  loss: Loss,
  { basis, times }: { readonly basis: LoadBasis; readonly times: BatteryTimes },
): Impact {
  const { power } = topology;
  const it = selectItDevices(power, loss.offline);
  const cracs = selectCoolingNodes(power, loss.offline);
  const isGone = (index: number) => loss.offline.has(index);
  const devices = loss.offline.size - cracs.length;
  const racks = [...loss.racksDark, ...loss.racksPartial, ...loss.racksProtected];
  return {
    racksDark: loss.racksDark.size,
    racksPartial: loss.racksPartial.size,
    racksProtected: loss.racksProtected.size,
    devicesOffline: devices,
    itDevicesOffline: it.length,
    powerDevicesOffline: devices - it.length,
    cracsOffline: cracs.length,
    devicesDegraded: loss.degraded.size - selectCoolingNodes(power, loss.degraded).length,
    devicesUndocumented: racks.reduce((sum, key) => sum + topology.rackSupply(key).undocumented.length, 0),
    itLoadLostW: it.reduce((sum, index) => sum + computeLostDrawW(power, index, { isGone, basis }), 0),
    itDevicesWithoutDraw: it.filter((index) => hasUnknownDraw(power.nodes[index])).length,
    coolingLostKw: cracs.reduce((sum, index) => sum + getCoolingCapacityKw(power.nodes[index]), 0),
    ...times,
  };
}

/** Adds the impacts of two losses that have nothing in common. */
export function addImpacts(a: Impact, b: Impact): Impact {
  return {
    racksDark: a.racksDark + b.racksDark,
    racksPartial: a.racksPartial + b.racksPartial,
    racksProtected: a.racksProtected + b.racksProtected,
    devicesOffline: a.devicesOffline + b.devicesOffline,
    itDevicesOffline: a.itDevicesOffline + b.itDevicesOffline,
    powerDevicesOffline: a.powerDevicesOffline + b.powerDevicesOffline,
    cracsOffline: a.cracsOffline + b.cracsOffline,
    devicesDegraded: a.devicesDegraded + b.devicesDegraded,
    devicesUndocumented: a.devicesUndocumented + b.devicesUndocumented,
    itLoadLostW: a.itLoadLostW + b.itLoadLostW,
    itDevicesWithoutDraw: a.itDevicesWithoutDraw + b.itDevicesWithoutDraw,
    coolingLostKw: a.coolingLostKw + b.coolingLostKw,
    ...selectMinBatteryTimes([a, b]),
  };
}

/** Collects a failure's charged loss. A dark rack counts with all its contents, even if they are charged elsewhere. */
export function collectChargedLoss(graph: PowerGraph, failure: Failure, own: FailureEffects): Loss {
  const dark = createReadonlySet(own.racksDark);
  const off = own.offline.slice();
  for (const index of failure.offline) {
    if (isPowerEquipmentNode(graph, index) || (dark.size > 0 && dark.has(findRackKey(graph, index) ?? "")))
      off.push(index);
  }
  const offline = createReadonlySet(off);
  return {
    offline,
    direct: offline.size === 0 ? EMPTY_SET : new Set(failure.direct.filter((index) => offline.has(index))),
    degraded: createReadonlySet(own.degraded),
    racksDark: dark,
    racksPartial: createReadonlySet(own.racksPartial),
    racksProtected: createReadonlySet(failure.racksProtected),
    racksDarkByTrip: createReadonlySet(failure.racksDarkByTrip.filter((key) => dark.has(key))),
    // If a trip makes a rack dark, the trip is charged to the failure as well.
    trips: mapItemsByNode(dark.size > 0 ? failure.trips : own.trips),
    overloads: mapItemsByNode(own.overloads),
    zones: own.zones.length === 0 ? EMPTY_MAP : new Map(own.zones.map((zone) => [formatZoneKey(zone), zone])),
    links: createReadonlySet(own.links),
    cutOff: createReadonlySet(own.cutOff),
    isolated: createReadonlySet(own.isolated),
  };
}

/** Returns the severity of a whole failure; undefined if nothing is lost. */
export function rateFailure(graph: PowerGraph, failure: Failure, basis: LoadBasis): FailureSeverity | undefined {
  return rateLoss(graph, collectChargedLoss(graph, failure, selectCountedEffects(graph, failure)), basis);
}

// Most losses have few effects, so they share empty sets and maps.
const EMPTY_SET: ReadonlySet<never> = new Set<never>();
const EMPTY_MAP: ReadonlyMap<never, never> = new Map<never, never>();

function createReadonlySet<Item>(items: readonly Item[]): ReadonlySet<Item> {
  return items.length === 0 ? EMPTY_SET : new Set(items);
}

/**
 * Whether a failure includes a whole loss. Trips and overloads count only if nothing else is lost, because otherwise
 * they are causes of the loss. Cost: a comparison of counts for most failures that include only a part of the loss.
 */
export function includesWholeLoss(failure: Failure, loss: Loss): boolean {
  const { offline, degraded, racksDark, racksPartial, trips, overloads, zones, links, cutOff, isolated } = loss;
  const failing = failure.elements.reduce((sum, one) => sum + (one.members?.nodes.length ?? 1), 0);
  if (racksDark.size > failure.racksDark.length || links.size > failure.links.length) return false;
  if (degraded.size > failure.degraded.length + failure.offline.length + failing) return false;
  // Rejects most failures without a set of all their nodes.
  if (countItemsOf(offline, failure.offline) + failing < offline.size) return false;
  const isGone = createMembershipTest(() => [...failure.offline, ...failure.elements.flatMap(listFailingNodes)]);
  const isDark = createMembershipTest(() => failure.racksDark);
  const isPartial = createMembershipTest(() => failure.racksPartial);
  const isDegraded = createMembershipTest(() => failure.degraded);
  const isDown = createMembershipTest(() => failure.links);
  const isShort = (zone: ZoneShortage) =>
    failure.zones.some((one) => formatZoneKey(one) === formatZoneKey(zone) && (one.short || !zone.short));
  const losses = offline.size + racksPartial.size + racksDark.size + degraded.size + zones.size + links.size;
  if (losses + cutOff.size + isolated.size === 0) {
    const loaded = new Set([...failure.trips, ...failure.overloads].map(({ index }) => index));
    return [...trips.keys(), ...overloads.keys()].every((index) => loaded.has(index));
  }
  return (
    racksDark.values().every(isDark) &&
    zones.values().every(isShort) &&
    offline.values().every(isGone) &&
    racksPartial.values().every((key) => isPartial(key) || isDark(key)) &&
    degraded.values().every((index) => isDegraded(index) || isGone(index)) &&
    links.values().every(isDown) &&
    cutOff.values().every((index) => failure.cutOff.includes(index) || isGone(index)) &&
    isolated.values().every((index) => failure.isolated.includes(index) || isGone(index))
  );
}

function countItemsOf<Item>(items: ReadonlySet<Item>, list: readonly Item[]): number {
  return list.reduce((count, item) => count + Number(items.has(item)), 0);
}

/** Returns a test whether a list has an item. The list is read at the first call. */
function createMembershipTest<Item>(list: () => readonly Item[]): (item: Item) => boolean {
  let items: ReadonlySet<Item> | undefined;
  return (item) => {
    items ??= new Set(list());
    return items.has(item);
  };
}

/** Returns the union of losses: each device, rack, zone and link once, with the worse of two states. */
export function uniteLosses(losses: readonly Loss[]): Loss {
  const [only, ...more] = losses;
  if (only !== undefined && more.length === 0) return only;
  const offline = uniteLossSets(losses, (loss) => loss.offline);
  const racksDark = uniteLossSets(losses, (loss) => loss.racksDark);
  const racksPartial = uniteLossSets(losses, (loss) => loss.racksPartial, racksDark);
  return {
    offline,
    direct: uniteLossSets(losses, (loss) => loss.direct),
    degraded: uniteLossSets(losses, (loss) => loss.degraded, offline),
    racksDark,
    racksPartial,
    racksProtected: uniteLossSets(losses, (loss) => loss.racksProtected, racksDark, racksPartial),
    racksDarkByTrip: uniteLossSets(losses, (loss) => loss.racksDarkByTrip),
    trips: mergeWorseItems(
      losses,
      (loss) => loss.trips,
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    overloads: mergeWorseItems(
      losses,
      (loss) => loss.overloads,
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    zones: mergeWorseItems(
      losses,
      (loss) => loss.zones,
      (a, b) => b.capacityKw - b.heatKw - (a.capacityKw - a.heatKw),
    ),
    links: uniteLossSets(losses, (loss) => loss.links),
    cutOff: uniteLossSets(losses, (loss) => loss.cutOff),
    isolated: uniteLossSets(losses, (loss) => loss.isolated, offline),
  };
}

function mapItemsByNode<Item extends { readonly index: number }>(items: readonly Item[]): ReadonlyMap<number, Item> {
  return items.length === 0 ? EMPTY_MAP : new Map(items.map((item) => [item.index, item]));
}

/** Unites one field of losses, without the items that are in other sets. */
function uniteLossSets<Item>(
  losses: readonly Loss[],
  part: (loss: Loss) => ReadonlySet<Item>,
  ...others: readonly ReadonlySet<Item>[]
): ReadonlySet<Item> {
  const left = others.filter(({ size }) => size > 0);
  const found = new Set<Item>();
  for (const loss of losses) {
    for (const item of part(loss)) if (left.length === 0 || !left.some((other) => other.has(item))) found.add(item);
  }
  return found;
}

/** Merges one map of losses and keeps the worse item of each key. @param compare positive if the first item is worse */
function mergeWorseItems<Key, Item>(
  losses: readonly Loss[],
  part: (loss: Loss) => ReadonlyMap<Key, Item>,
  compare: (a: Item, b: Item) => number,
): ReadonlyMap<Key, Item> {
  const found = new Map<Key, Item>();
  for (const loss of losses) {
    for (const [key, item] of part(loss)) {
      const known = found.get(key);
      if (known === undefined || compare(item, known) > 0) found.set(key, item);
    }
  }
  return found;
}

/** Effects of offline devices on fabrics. */
export interface FabricLoss {
  /** Numbers of the links that go down. */
  readonly links: readonly number[];
  /** Nodes of switches that stay on and lose their last working uplink. */
  readonly cutOff: readonly number[];
}

/** Load of the uplinks of a switch in percent of their capacity. */
export interface UplinkLoad {
  readonly node: number;
  readonly loadPct: number;
  readonly loadBeforePct: number;
  /** Number of uplinks that still work. */
  readonly uplinks: number;
}

interface WorkingLink {
  readonly link: FabricLink;
  readonly mbps: number;
  /** Nodes of the two ends; -1 for a device that is not in the inventory. */
  readonly endNodes: readonly [number, number];
  /** Node of the end in the lower tier; -1 for a link within a tier. */
  readonly lowerNode: number;
}

const NO_LINKS: readonly number[] = [];
/** Latest fabrics by the function that finds their switches. */
const latestByLookup = new WeakMap<FindDeviceByKey, FabricLossFinder>();
const NO_FABRIC_LOSS: FabricLoss = { links: [], cutOff: [] };

/** Working links of all fabrics by the nodes of their ends, and the effect of losing nodes or links. */
export class FabricLossFinder {
  readonly #links: readonly WorkingLink[];
  readonly #linksByNode = new Map<number, number[]>();
  /** Numbers of each node's links to a higher tier. */
  readonly #uplinksByNode = new Map<number, number[]>();
  readonly #fabricLinks: readonly FabricLink[];
  /** Nodes by the codes at the ends of links. */
  readonly #nodesByCode = new Map<string, number>();
  readonly #darkNodes = new Set<number>();
  readonly #blocked: LinkDevices["blocked"];
  /** Nodes of switches without a working uplink before any failure. Planned links are no uplinks yet. */
  readonly cutOffBefore: ReadonlySet<number>;

  /**
   * Returns the fabrics of a topology. The latest ones are used again while links, switches and their nodes are the same.
   * @param devices its function is compared by identity: it must return the same devices, with their network ports
   */
  static of(topology: Topology, devices: LinkDevices): FabricLossFinder {
    const known = latestByLookup.get(devices.deviceOf);
    if (known?.isSameFabric(topology, devices) === true) return known;
    const found = new FabricLossFinder(topology, devices);
    latestByLookup.set(devices.deviceOf, found);
    return found;
  }

  /** Reads the working fabric links: none at a switch without power, or that cannot carry traffic. */
  private constructor({ inventory, power, live }: Topology, devices: LinkDevices) {
    const tiers = rankTiers(inventory.fabricLinks, devices.deviceOf);
    this.#blocked = devices.blocked;
    this.#fabricLinks = inventory.fabricLinks;
    const nodeOf = (code: string): number => {
      return this.#nodesByCode.getOrInsertComputed(code, () => findDeviceNode(power, codeKey(code)));
    };
    const lowerNodes = new Set<number>();
    this.#links = inventory.fabricLinks.flatMap((link): WorkingLink[] => {
      const ends = [nodeOf(link.a.deviceCode), nodeOf(link.b.deviceCode)] as const;
      const dark = ends.filter((node) => live[node] === 0);
      for (const node of dark) this.#darkNodes.add(node);
      const [a = 0, b = 0] = [link.a, link.b].map(({ deviceCode }) => tiers.get(codeKey(deviceCode)));
      const lowerNode = a === b ? -1 : a < b ? ends[0] : ends[1];
      if (link.status !== "PLANNED") lowerNodes.add(lowerNode);
      if (dark.length > 0 || !canCarryTraffic(link, devices)) return [];
      return [{ link, mbps: link.capacityMbps ?? 0, endNodes: ends, lowerNode }];
    });
    for (const [at, { endNodes, lowerNode }] of this.#links.entries()) {
      for (const node of new Set(endNodes)) if (node >= 0) this.#linksByNode.getOrInsert(node, []).push(at);
      if (lowerNode >= 0) this.#uplinksByNode.getOrInsert(lowerNode, []).push(at);
    }
    lowerNodes.delete(-1);
    this.cutOffBefore = lowerNodes.difference(this.#uplinksByNode);
  }

  /** Returns the total capacity of links in megabits per second. */
  sumMbps(links: Iterable<number>): number {
    let sum = 0;
    for (const at of links) sum += this.#links[at]?.mbps ?? 0;
    return sum;
  }

  /** Returns nodes of the switches that lose uplinks if some nodes and links fail. */
  listLowerEnds(off: Iterable<number>, cut: readonly number[] = []): readonly number[] {
    const found = new Set(cut.map((at) => this.#links[at]?.lowerNode ?? -1));
    for (const node of off) for (const at of this.#listNodeLinks(node)) found.add(this.#links[at]?.lowerNode ?? -1);
    found.delete(-1);
    return [...found];
  }

  /** Returns numbers of the working links that a predicate selects. */
  listLinkNumbers(isChosen: (link: FabricLink) => boolean): readonly number[] {
    return this.#links.flatMap(({ link }, at) => (isChosen(link) ? [at] : []));
  }

  /** Returns numbers of a node's working links that satisfy a predicate. */
  listNodeLinkNumbers(node: number, isChosen: (link: FabricLink) => boolean): readonly number[] {
    return this.#listNodeLinks(node).filter((at) => isChosen((this.#links[at] as WorkingLink).link));
  }

  /**
   * Returns the load of remaining uplinks, which take over the traffic of all uplinks of their switch, for switches
   * that lose some uplinks and keep others.
   * @param down numbers of the links that go down
   * @param isGone whether a node no longer works
   */
  computeUplinkLoads(down: readonly number[], isGone: (node: number) => boolean): readonly UplinkLoad[] {
    const lost = new Set(down);
    const lower = new Set(down.map((at) => this.#links[at]?.lowerNode ?? -1));
    lower.delete(-1);
    return [...lower].flatMap((node): UplinkLoad[] => {
      const all = (this.#uplinksByNode.get(node) ?? []).flatMap((at) => {
        const link = this.#links[at];
        return link === undefined ? [] : [{ ...link, at }];
      });
      const left = all.filter(({ at }) => !lost.has(at));
      const capacity = sumLinkMbps(left);
      if (isGone(node) || capacity === 0) return [];
      const load = all.reduce((sum, { link }) => sum + Math.max(link.aToBMbps ?? 0, link.bToAMbps ?? 0), 0);
      const before = sumLinkMbps(all);
      return [{ node, loadPct: (load * 100) / capacity, loadBeforePct: (load * 100) / before, uplinks: left.length }];
    });
  }

  /** Whether links, nodes of switches and blocked links are the same in a topology with the same switches. */
  isSameFabric({ inventory, power, live }: Topology, { blocked }: LinkDevices): boolean {
    if (inventory.fabricLinks !== this.#fabricLinks) return false;
    if (!isSameItemList([...(blocked?.keys() ?? [])], [...(this.#blocked?.keys() ?? [])])) return false;
    return [...this.#nodesByCode].every(
      ([code, node]) =>
        findDeviceNode(power, codeKey(code)) === node && (live[node] === 0) === this.#darkNodes.has(node),
    );
  }

  #listNodeLinks(node: number): readonly number[] {
    return this.#linksByNode.get(node) ?? NO_LINKS;
  }

  listLinks(numbers: readonly number[]): readonly FabricLink[] {
    return numbers.flatMap((at) => this.#links[at]?.link ?? []);
  }

  /**
   * Returns the effects of nodes and links that no longer work.
   * @param off nodes that no longer work
   * @param cut numbers of links that go down regardless of their ends
   */
  computeFabricLoss(off: readonly number[], cut: readonly number[] = []): FabricLoss {
    const down = new Set(cut);
    for (const node of off) for (const at of this.#listNodeLinks(node)) down.add(at);
    if (down.size === 0) return NO_FABRIC_LOSS;
    const gone = new Set(off);
    const lower = new Set<number>();
    for (const at of down) lower.add(this.#links[at]?.lowerNode ?? -1);
    lower.delete(-1);
    const cutOff = [...lower].filter(
      (node) => !gone.has(node) && (this.#uplinksByNode.get(node) ?? []).every((at) => down.has(at)),
    );
    return { links: [...down], cutOff };
  }
}

function sumLinkMbps(links: readonly WorkingLink[]): number {
  return links.reduce((sum, link) => sum + link.mbps, 0);
}

import type { FailureSeverity, LoadBasis } from "#dc/model/enum_values.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { isPowerEquipmentNode } from "../power/power_nodes.ts";
import { type FailureEffects, findRackKey, formatZoneKey, selectCountedEffects } from "./charge.ts";
import { type Loss, rateLoss } from "./loss.ts";
import { type Failure, listFailingNodes } from "./outcome.ts";

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
      losses.map((loss) => loss.trips),
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    overloads: mergeWorseItems(
      losses.map((loss) => loss.overloads),
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    zones: mergeWorseItems(
      losses.map((loss) => loss.zones),
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

/** Merges maps and keeps the worse item of each key. @param compare positive if the first item is worse */
function mergeWorseItems<Key, Item>(
  maps: readonly ReadonlyMap<Key, Item>[],
  compare: (a: Item, b: Item) => number,
): ReadonlyMap<Key, Item> {
  const found = new Map<Key, Item>();
  for (const map of maps) {
    for (const [key, item] of map) {
      const known = found.get(key);
      if (known === undefined || compare(item, known) > 0) found.set(key, item);
    }
  }
  return found;
}

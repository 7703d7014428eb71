import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { type FailureEffects, findRackKey, isSupply, toZoneKey } from "./charge.ts";
import type { Loss } from "./loss.ts";
import { type Failure, listFailingNodes } from "./outcome.ts";

/** Collects a failure's charged loss. A dark rack counts with all its contents: single failures in it are separate. */
export function collectOwnLoss(graph: PowerGraph, failure: Failure, own: FailureEffects): Loss {
  const dark = toSet(own.racksDark);
  const off = own.offline.slice();
  for (const index of failure.offline) {
    if (isSupply(graph, index) || (dark.size > 0 && dark.has(findRackKey(graph, index) ?? ""))) off.push(index);
  }
  const offline = toSet(off);
  return {
    offline,
    direct: offline.size === 0 ? NOTHING : new Set(failure.direct.filter((index) => offline.has(index))),
    degraded: toSet(own.degraded),
    racksDark: dark,
    racksPartial: toSet(own.racksPartial),
    racksProtected: toSet(failure.racksProtected),
    racksDarkByTrip: toSet(failure.racksDarkByTrip.filter((key) => dark.has(key))),
    // If a trip makes a rack dark, the trip is charged to the failure as well.
    trips: mapByNode(dark.size > 0 ? failure.trips : own.trips),
    overloads: mapByNode(own.overloads),
    zones: own.zones.length === 0 ? NO_ITEMS : new Map(own.zones.map((zone) => [`${zone.medium} ${zone.ref}`, zone])),
    links: toSet(own.links),
    cutOff: toSet(own.cutOff),
    isolated: toSet(own.isolated),
  };
}

// Most failures lose one thing, so they share empty sets and maps.
const NOTHING: ReadonlySet<never> = new Set<never>();
const NO_ITEMS: ReadonlyMap<never, never> = new Map<never, never>();

function toSet<Item>(items: readonly Item[]): ReadonlySet<Item> {
  return items.length === 0 ? NOTHING : new Set(items);
}

/**
 * Whether a failure has a loss completely. Trips and overloads count only if nothing else is lost, because otherwise
 * they are causes of the loss. Cost: a comparison of counts for most failures that have only a part.
 */
export function includesLoss(failure: Failure, loss: Loss): boolean {
  const { offline, degraded, racksDark, racksPartial, trips, overloads, zones, links, cutOff, isolated } = loss;
  const all = failure.offline.length + failure.elements.reduce((sum, one) => sum + (one.members?.nodes.length ?? 1), 0);
  if (racksDark.size > failure.racksDark.length || links.size > failure.links.length) return false;
  if (offline.size > all || degraded.size > failure.degraded.length + all) return false;
  const off = toSet([...failure.offline, ...failure.elements.flatMap(listFailingNodes)]);
  const dark = toSet(failure.racksDark);
  const partial = toSet(failure.racksPartial);
  const weaker = toSet(failure.degraded);
  const down = toSet(failure.links);
  const isGone = (index: number) => off.has(index);
  const isShort = (zone: ZoneShortage) =>
    failure.zones.some((one) => toZoneKey(one) === toZoneKey(zone) && (one.short || !zone.short));
  const losses = offline.size + racksPartial.size + racksDark.size + degraded.size + zones.size + links.size;
  if (losses + cutOff.size + isolated.size === 0) {
    const loaded = new Set([...failure.trips, ...failure.overloads].map(({ index }) => index));
    return hasItem([...trips.keys(), ...overloads.keys()], (index) => loaded.has(index));
  }
  return (
    hasItem(offline, isGone) &&
    hasItem(racksDark, (key) => dark.has(key)) &&
    hasItem(racksPartial, (key) => partial.has(key) || dark.has(key)) &&
    hasItem(degraded, (index) => weaker.has(index) || isGone(index)) &&
    hasItem(zones.values(), isShort) &&
    hasItem(links, (link) => down.has(link)) &&
    hasItem(cutOff, (index) => failure.cutOff.includes(index) || isGone(index)) &&
    hasItem(isolated, (index) => failure.isolated.includes(index) || isGone(index))
  );
}

function hasItem<Item>(items: Iterable<Item>, is: (item: Item) => boolean): boolean {
  for (const item of items) if (!is(item)) return false;
  return true;
}

/** Returns the union of losses: each device, rack, zone and link once, with the worse of two states. */
export function uniteLosses(losses: readonly Loss[]): Loss {
  const [only, ...more] = losses;
  if (only !== undefined && more.length === 0) return only;
  const offline = uniteSets(losses, (loss) => loss.offline);
  const racksDark = uniteSets(losses, (loss) => loss.racksDark);
  const racksPartial = uniteSets(losses, (loss) => loss.racksPartial, racksDark);
  return {
    offline,
    direct: uniteSets(losses, (loss) => loss.direct),
    degraded: uniteSets(losses, (loss) => loss.degraded, offline),
    racksDark,
    racksPartial,
    racksProtected: uniteSets(losses, (loss) => loss.racksProtected, racksDark, racksPartial),
    racksDarkByTrip: uniteSets(losses, (loss) => loss.racksDarkByTrip),
    trips: mergeMaps(
      losses.map((loss) => loss.trips),
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    overloads: mergeMaps(
      losses.map((loss) => loss.overloads),
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    zones: mergeMaps(
      losses.map((loss) => loss.zones),
      (a, b) => b.capacityKw - b.heatKw - (a.capacityKw - a.heatKw),
    ),
    links: uniteSets(losses, (loss) => loss.links),
    cutOff: uniteSets(losses, (loss) => loss.cutOff),
    isolated: uniteSets(losses, (loss) => loss.isolated, offline),
  };
}

function mapByNode<Item extends { readonly index: number }>(items: readonly Item[]): ReadonlyMap<number, Item> {
  return items.length === 0 ? NO_ITEMS : new Map(items.map((item) => [item.index, item]));
}

/** Unites one field of losses, without the items that are in other sets. */
function uniteSets<Item>(
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
function mergeMaps<Key, Item>(
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

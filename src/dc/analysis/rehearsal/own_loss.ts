import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { type Effects, isSupply, rackKeyOf, zoneKey } from "./charge.ts";
import type { Loss } from "./loss.ts";
import { type Failure, nodesOf } from "./outcome.ts";

/**
 * Collects the loss charged to a failure. A rack that goes dark counts with all its contents, because failures of its
 * single devices are separate.
 */
export function ownLoss(graph: PowerGraph, failure: Failure, own: Effects): Loss {
  const dark = setFrom(own.racksDark);
  const off = own.offline.slice();
  for (const index of failure.offline) {
    if (isSupply(graph, index) || (dark.size > 0 && dark.has(rackKeyOf(graph, index) ?? ""))) off.push(index);
  }
  const offline = setFrom(off);
  return {
    offline,
    direct: offline.size === 0 ? NOTHING : new Set(failure.direct.filter((index) => offline.has(index))),
    degraded: setFrom(own.degraded),
    racksDark: dark,
    racksPartial: setFrom(own.racksPartial),
    racksProtected: setFrom(failure.racksProtected),
    racksDarkByTrip: setFrom(failure.racksDarkByTrip.filter((key) => dark.has(key))),
    // If a trip darkens a rack, the failure is charged with the trip as well.
    trips: byNode(dark.size > 0 ? failure.trips : own.trips),
    overloads: byNode(own.overloads),
    zones: own.zones.length === 0 ? NO_ITEMS : new Map(own.zones.map((zone) => [`${zone.medium} ${zone.ref}`, zone])),
    links: setFrom(own.links),
    cutOff: setFrom(own.cutOff),
    isolated: setFrom(own.isolated),
  };
}

// Most failures lose one thing, and share the sets and maps of the others.
const NOTHING: ReadonlySet<never> = new Set<never>();
const NO_ITEMS: ReadonlyMap<never, never> = new Map<never, never>();

function setFrom<Item>(items: readonly Item[]): ReadonlySet<Item> {
  return items.length === 0 ? NOTHING : new Set(items);
}

/**
 * Whether a failure has all of a loss, and not a part of it. Trips and overloads are ways to a loss: they count if nothing
 * else is lost. Cost: that of a comparison of counts for most failures that have only a part.
 */
export function includesLoss(failure: Failure, loss: Loss): boolean {
  const { offline, degraded, racksDark, racksPartial, trips, overloads, zones, links, cutOff, isolated } = loss;
  const all = failure.offline.length + failure.elements.reduce((sum, one) => sum + (one.members?.nodes.length ?? 1), 0);
  if (racksDark.size > failure.racksDark.length || links.size > failure.links.length) return false;
  if (offline.size > all || degraded.size > failure.degraded.length + all) return false;
  const off = setFrom([...failure.offline, ...failure.elements.flatMap(nodesOf)]);
  const dark = setFrom(failure.racksDark);
  const partial = setFrom(failure.racksPartial);
  const weaker = setFrom(failure.degraded);
  const down = setFrom(failure.links);
  const isGone = (index: number) => off.has(index);
  const isShort = (zone: ZoneShortage) =>
    failure.zones.some((one) => zoneKey(one) === zoneKey(zone) && (one.short || !zone.short));
  const losses = offline.size + racksPartial.size + racksDark.size + degraded.size + zones.size + links.size;
  if (losses + cutOff.size + isolated.size === 0) {
    const loaded = new Set([...failure.trips, ...failure.overloads].map(({ index }) => index));
    return someItem([...trips.keys(), ...overloads.keys()], (index) => loaded.has(index));
  }
  return (
    someItem(offline, isGone) &&
    someItem(racksDark, (key) => dark.has(key)) &&
    someItem(racksPartial, (key) => partial.has(key) || dark.has(key)) &&
    someItem(degraded, (index) => weaker.has(index) || isGone(index)) &&
    someItem(zones.values(), isShort) &&
    someItem(links, (link) => down.has(link)) &&
    someItem(cutOff, (index) => failure.cutOff.includes(index) || isGone(index)) &&
    someItem(isolated, (index) => failure.isolated.includes(index) || isGone(index))
  );
}

function someItem<Item>(items: Iterable<Item>, is: (item: Item) => boolean): boolean {
  for (const item of items) if (!is(item)) return false;
  return true;
}

/** The union of losses: each device, rack, zone and link once, and the worse of two states. */
export function unionOf(losses: readonly Loss[]): Loss {
  const [only, ...more] = losses;
  if (only !== undefined && more.length === 0) return only;
  const offline = setOf(losses, (loss) => loss.offline);
  const racksDark = setOf(losses, (loss) => loss.racksDark);
  const racksPartial = setOf(losses, (loss) => loss.racksPartial, racksDark);
  return {
    offline,
    direct: setOf(losses, (loss) => loss.direct),
    degraded: setOf(losses, (loss) => loss.degraded, offline),
    racksDark,
    racksPartial,
    racksProtected: setOf(losses, (loss) => loss.racksProtected, racksDark, racksPartial),
    racksDarkByTrip: setOf(losses, (loss) => loss.racksDarkByTrip),
    trips: mapOf(
      losses.map((loss) => loss.trips),
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    overloads: mapOf(
      losses.map((loss) => loss.overloads),
      (a, b) => a.utilizationPct - b.utilizationPct,
    ),
    zones: mapOf(
      losses.map((loss) => loss.zones),
      (a, b) => b.capacityKw - b.heatKw - (a.capacityKw - a.heatKw),
    ),
    links: setOf(losses, (loss) => loss.links),
    cutOff: setOf(losses, (loss) => loss.cutOff),
    isolated: setOf(losses, (loss) => loss.isolated, offline),
  };
}

function byNode<Item extends { readonly index: number }>(items: readonly Item[]): ReadonlyMap<number, Item> {
  return items.length === 0 ? NO_ITEMS : new Map(items.map((item) => [item.index, item]));
}

/** The parts of losses that are not in others. */
function setOf<Item>(
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

/** @param compare positive if the first one is worse */
function mapOf<Key, Item>(
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

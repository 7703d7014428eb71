import type { PowerGraph } from "../power/power_graph.ts";
import { type Effects, effectsOf, isSupply, rackKeyOf } from "./charge.ts";
import { type Loss, severityOf } from "./loss.ts";
import type { Failure, FailureSeverity } from "./outcome.ts";

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
  };
}

// Most failures lose one thing, and share the sets and maps of the others.
const NOTHING: ReadonlySet<never> = new Set<never>();
const NO_ITEMS: ReadonlyMap<never, never> = new Map<never, never>();

function setFrom<Item>(items: readonly Item[]): ReadonlySet<Item> {
  return items.length === 0 ? NOTHING : new Set(items);
}

/** The severity of a whole failure, whatever smaller ones do of it. */
export function severityOfFailure(graph: PowerGraph, failure: Failure): FailureSeverity | undefined {
  return severityOf(graph, ownLoss(graph, failure, effectsOf(graph, failure)));
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

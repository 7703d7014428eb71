import type { PowerGraph } from "../power_graph.ts";
import { type Charged, effectsOf, isSupply, rackKeyOf } from "./charge.ts";
import { type Loss, severityOf } from "./loss.ts";
import type { Failure, FailureSeverity } from "./outcome.ts";

/**
 * Collects what is charged to a failure. A rack that goes dark counts with everything in it, since the failures of its
 * single devices are another matter.
 */
export function ownLoss(graph: PowerGraph, { failure, own }: Charged): Loss {
  const dark = new Set(failure.racksDark.filter((key) => own.has(`dark ${key}`)));
  const direct = new Set(failure.direct);
  const isOwn = (index: number) => own.has(`off ${index}`) || dark.has(rackKeyOf(graph, index) ?? "");
  const failed = failure.elements.flatMap(({ index }) => (graph.nodes[index]?.kind === "CRAC" ? [index] : []));
  const offline = new Set([...failed, ...failure.offline].filter((index) => isOwn(index) || isSupply(graph, index)));
  return {
    offline,
    direct: new Set([...offline].filter((index) => direct.has(index))),
    degraded: new Set(failure.degraded.filter((index) => own.has(`weak ${index}`))),
    racksDark: dark,
    racksPartial: new Set(failure.racksPartial.filter((key) => own.has(`partial ${key}`))),
    racksProtected: new Set(failure.racksProtected),
    racksDarkByTrip: new Set(failure.racksDarkByTrip.filter((key) => dark.has(key))),
    trips: byNode(failure.trips.filter(({ index }) => own.has(`trip ${index}`) || dark.size > 0)),
    overloads: byNode(failure.overloads.filter(({ index }) => own.has(`over ${index}`))),
    zones: new Map(
      failure.zones
        .filter(({ ref, medium, short }) => own.has(`${short ? "short" : "reserve"} ${medium} ${ref}`))
        .map((zone) => [`${zone.medium} ${zone.ref}`, zone]),
    ),
    links: new Set(failure.links.filter((at) => own.has(`link ${at}`))),
    cutOff: new Set(failure.cutOff.filter((index) => own.has(`cut ${index}`))),
  };
}

/** The severity of a whole failure, whatever smaller ones do of it. */
export function severityOfFailure(graph: PowerGraph, failure: Failure): FailureSeverity | undefined {
  const own = new Set(effectsOf(graph, failure));
  return severityOf(graph, ownLoss(graph, { failure, own, smaller: new Set() }));
}

/** The union of losses: each device, rack, zone and link once, and the worse of two states. */
export function unionOf(losses: readonly Loss[]): Loss {
  const [only, ...more] = losses;
  if (only !== undefined && more.length === 0) return only;
  const offline = setOf(losses, (loss) => loss.offline);
  const racksDark = setOf(losses, (loss) => loss.racksDark);
  const racksPartial = without(
    setOf(losses, (loss) => loss.racksPartial),
    racksDark,
  );
  const racksProtected = setOf(losses, (loss) => loss.racksProtected);
  return {
    offline,
    direct: setOf(losses, (loss) => loss.direct),
    degraded: without(
      setOf(losses, (loss) => loss.degraded),
      offline,
    ),
    racksDark,
    racksPartial,
    racksProtected: without(without(racksProtected, racksDark), racksPartial),
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
  return new Map(items.map((item) => [item.index, item]));
}

function setOf<Item>(losses: readonly Loss[], part: (loss: Loss) => ReadonlySet<Item>): ReadonlySet<Item> {
  const found = new Set<Item>();
  for (const loss of losses) for (const item of part(loss)) found.add(item);
  return found;
}

function without<Item>(items: ReadonlySet<Item>, others: ReadonlySet<Item>): ReadonlySet<Item> {
  return new Set([...items].filter((item) => !others.has(item)));
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

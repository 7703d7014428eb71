import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Overloaded } from "../power/failure_state.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { isPowerEquipmentNode } from "../power/power_nodes.ts";
import { type FailureEffects, formatZoneKey, getNodeIndex, identity } from "./charge.ts";
import type { Failure } from "./outcome.ts";

/** Effects of a single failure, by keys. */
interface KnownEffects {
  readonly racksDark: ReadonlySet<string>;
  readonly racksPartial: ReadonlySet<string>;
  readonly trips: ReadonlySet<number>;
  readonly overloads: ReadonlySet<string>;
  readonly zones: ReadonlySet<string>;
  readonly links: ReadonlySet<number>;
  readonly cutOff: ReadonlySet<number>;
  readonly isolated: ReadonlySet<number>;
}

/** Finds effects of pairs of failures beyond those of single failures. `begin` sets the first failure of pairs. */
export class PairEffects {
  readonly #graph: PowerGraph;
  /** Number of the latest first failure that turns a node off, by node; `#offByOther` has those of second failures. */
  readonly #offByOne: Uint32Array;
  readonly #offByOther: Uint32Array;
  readonly #effectsByFailure = new Map<Failure, KnownEffects>();
  #firstFailure: Failure | undefined;
  #firstNumber = 0;
  #pairNumber = 0;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#offByOne = new Uint32Array(graph.nodes.length);
    this.#offByOther = new Uint32Array(graph.nodes.length);
  }

  /** Sets the first failure of the next pairs. */
  setFirstFailure(one: Failure): void {
    this.#firstFailure = one;
    this.#firstNumber += 1;
    markOffNodes(this.#offByOne, one, this.#firstNumber);
  }

  /** Returns a pair's effects that neither failure has alone, without degraded supply; undefined without any. */
  computeJointEffects(pair: Failure, second: Failure): FailureEffects | undefined {
    const [one, other] = [this.#loadKnownEffects(this.#firstFailure ?? second), this.#loadKnownEffects(second)];
    const found: FailureEffects = {
      offline: this.#listJointlyOffline(pair, second),
      degraded: [],
      racksDark: excludeKnownItems(pair.racksDark, identity, [one.racksDark, other.racksDark]),
      racksPartial: excludeKnownItems(pair.racksPartial, identity, [
        one.racksPartial,
        one.racksDark,
        other.racksPartial,
        other.racksDark,
      ]),
      trips: excludeKnownItems(pair.trips, getNodeIndex, [one.trips, other.trips]),
      overloads: excludeKnownItems(pair.overloads, formatOverloadKey, [one.overloads, other.overloads]),
      zones: excludeKnownItems(pair.zones, formatShortageKey, [one.zones, other.zones]),
      links: excludeKnownItems(pair.links, identity, [one.links, other.links]),
      cutOff: excludeKnownItems(pair.cutOff, identity, [one.cutOff, other.cutOff]),
      isolated: excludeKnownItems(pair.isolated, identity, [one.isolated, other.isolated]),
    };
    for (const part in found) if (found[part as keyof FailureEffects].length > 0) return found;
    return undefined;
  }

  /** Returns devices and cooling units that only the pair turns off. Most pairs have none, so the check ends early. */
  #listJointlyOffline(pair: Failure, second: Failure): readonly number[] {
    const isLeft = (index: number) => this.#offByOne[index] !== this.#firstNumber;
    if (!pair.offline.some(isLeft)) return [];
    this.#pairNumber += 1;
    markOffNodes(this.#offByOther, second, this.#pairNumber);
    return pair.offline.filter(
      (index) =>
        isLeft(index) && this.#offByOther[index] !== this.#pairNumber && !isPowerEquipmentNode(this.#graph, index),
    );
  }

  #loadKnownEffects(failure: Failure): KnownEffects {
    return this.#effectsByFailure.getOrInsertComputed(failure, () => collectKnownEffects(failure));
  }
}

/** Marks the nodes that a failure turns off, and its failed elements. */
function markOffNodes(marks: Uint32Array, { offline, elements }: Failure, number: number): void {
  for (const index of offline) marks[index] = number;
  for (const { index } of elements) marks[index] = number;
}

function collectKnownEffects({
  racksDark,
  racksPartial,
  trips,
  overloads,
  zones,
  links,
  cutOff,
  isolated,
}: Failure): KnownEffects {
  return {
    racksDark: new Set(racksDark),
    racksPartial: new Set(racksPartial),
    trips: new Set(trips.map(getNodeIndex)),
    overloads: new Set(listOverloadKeys(overloads, trips)),
    zones: new Set(zones.flatMap(listShortageKeys)),
    links: new Set(links),
    cutOff: new Set(cutOff),
    isolated: new Set(isolated),
  };
}

/** Returns the items whose keys are in none of the known sets. */
function excludeKnownItems<Item, Key>(
  items: readonly Item[],
  getKey: (item: Item) => Key,
  known: readonly ReadonlySet<Key>[],
): readonly Item[] {
  if (items.length === 0) return items;
  return items.filter((item) => {
    const key = getKey(item);
    return !known.some((keys) => keys.has(key));
  });
}

/** Returns a key of an overload with its severity: one that would trip is worse than one above a derated limit. */
function formatOverloadKey({ index, severity }: Pick<Overloaded, "index" | "severity">): string {
  return `${index} ${severity}`;
}

function listOverloadKeys(overloads: Failure["overloads"], trips: Failure["trips"]): readonly string[] {
  const over = [...overloads, ...trips].map(({ index }) => formatOverloadKey({ index, severity: "OVER_DERATED" }));
  const tripping = [...overloads.filter(({ severity }) => severity === "WOULD_TRIP"), ...trips];
  return [...over, ...tripping.map(({ index }) => formatOverloadKey({ index, severity: "WOULD_TRIP" }))];
}

/** Returns a key of a shortage. It includes whether heat is uncovered, because that is worse than a missing reserve. */
function formatShortageKey(zone: Pick<ZoneShortage, "medium" | "ref" | "short">): string {
  return `${formatZoneKey(zone)} ${zone.short}`;
}

function listShortageKeys(zone: ZoneShortage): readonly string[] {
  return [formatShortageKey({ ...zone, short: false }), ...(zone.short ? [formatShortageKey(zone)] : [])];
}

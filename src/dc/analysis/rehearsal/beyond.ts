import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Overloaded } from "../power/failure_state.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { type Effects, identity, isSupply, nodeOf, zoneKey } from "./charge.ts";
import type { Failure } from "./outcome.ts";

/** What a failure does apart from others, by keys. */
interface Known {
  readonly racksDark: ReadonlySet<string>;
  readonly racksPartial: ReadonlySet<string>;
  readonly trips: ReadonlySet<number>;
  readonly overloads: ReadonlySet<string>;
  readonly zones: ReadonlySet<string>;
  readonly links: ReadonlySet<number>;
  readonly cutOff: ReadonlySet<number>;
}

/** Compares pairs of failures with both failures apart. All pairs of one failure follow each other. */
export class PairLosses {
  readonly #graph: PowerGraph;
  /** Number of the last first failure of pairs that turns a node off, by node; the same of the last pair's second one. */
  readonly #offByOne: Uint32Array;
  readonly #offByOther: Uint32Array;
  readonly #known = new Map<Failure, Known>();
  #one: Failure | undefined;
  #number = 0;
  #pairs = 0;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#offByOne = new Uint32Array(graph.nodes.length);
    this.#offByOther = new Uint32Array(graph.nodes.length);
  }

  /** Sets the first failure of the next pairs. */
  begin(one: Failure): void {
    this.#one = one;
    this.#number += 1;
    mark(this.#offByOne, one, this.#number);
  }

  /** What a pair does that neither failure does apart, less supply left out; undefined for nothing. */
  beyond(pair: Failure, second: Failure): Effects | undefined {
    const [one, other] = [this.#knownOf(this.#one ?? second), this.#knownOf(second)];
    const found: Effects = {
      offline: this.#offline(pair, second),
      degraded: [],
      racksDark: itemsWithout(pair.racksDark, identity, [one.racksDark, other.racksDark]),
      racksPartial: itemsWithout(pair.racksPartial, identity, [
        one.racksPartial,
        one.racksDark,
        other.racksPartial,
        other.racksDark,
      ]),
      trips: itemsWithout(pair.trips, nodeOf, [one.trips, other.trips]),
      overloads: itemsWithout(pair.overloads, overloadKey, [one.overloads, other.overloads]),
      zones: itemsWithout(pair.zones, shortageKey, [one.zones, other.zones]),
      links: itemsWithout(pair.links, identity, [one.links, other.links]),
      cutOff: itemsWithout(pair.cutOff, identity, [one.cutOff, other.cutOff]),
      // Pairs are of elements whose data paths are not followed.
      isolated: [],
    };
    for (const part in found) if (found[part as keyof Effects].length > 0) return found;
    return undefined;
  }

  /** The devices and cooling units that only the pair turns off. Most pairs turn off what their failures do. */
  #offline(pair: Failure, second: Failure): readonly number[] {
    const isLeft = (index: number) => this.#offByOne[index] !== this.#number;
    if (!pair.offline.some(isLeft)) return [];
    this.#pairs += 1;
    mark(this.#offByOther, second, this.#pairs);
    return pair.offline.filter(
      (index) => isLeft(index) && this.#offByOther[index] !== this.#pairs && !isSupply(this.#graph, index),
    );
  }

  #knownOf(failure: Failure): Known {
    const known = this.#known.get(failure) ?? knownOf(failure);
    this.#known.set(failure, known);
    return known;
  }
}

/** Marks the nodes that a failure turns off, and those that fail. */
function mark(marks: Uint32Array, { offline, elements }: Failure, number: number): void {
  for (const index of offline) marks[index] = number;
  for (const { index } of elements) marks[index] = number;
}

function knownOf({ racksDark, racksPartial, trips, overloads, zones, links, cutOff }: Failure): Known {
  return {
    racksDark: new Set(racksDark),
    racksPartial: new Set(racksPartial),
    trips: new Set(trips.map(nodeOf)),
    overloads: new Set(knownOverloads(overloads, trips)),
    zones: new Set(zones.flatMap(knownShortages)),
    links: new Set(links),
    cutOff: new Set(cutOff),
  };
}

/** The items whose keys are not known. */
function itemsWithout<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  known: readonly ReadonlySet<Key>[],
): readonly Item[] {
  if (items.length === 0) return items;
  return items.filter((item) => {
    const key = keyOf(item);
    return !known.some((keys) => keys.has(key));
  });
}

/** An overload that would trip is worse than one above a derated limit. */
function overloadKey({ index, severity }: Pick<Overloaded, "index" | "severity">): string {
  return `${index} ${severity}`;
}

function knownOverloads(overloads: Failure["overloads"], trips: Failure["trips"]): readonly string[] {
  const over = [...overloads, ...trips].map(({ index }) => overloadKey({ index, severity: "OVER_DERATED" }));
  const tripping = [...overloads.filter(({ severity }) => severity === "WOULD_TRIP"), ...trips];
  return [...over, ...tripping.map(({ index }) => overloadKey({ index, severity: "WOULD_TRIP" }))];
}

/** An area that falls short is worse than one without its reserve. */
function shortageKey(zone: Pick<ZoneShortage, "medium" | "ref" | "short">): string {
  return `${zoneKey(zone)} ${zone.short}`;
}

function knownShortages(zone: ZoneShortage): readonly string[] {
  return [shortageKey({ ...zone, short: false }), ...(zone.short ? [shortageKey(zone)] : [])];
}

import type { PowerGraph } from "../power/power_graph.ts";
import { type Effects, effectsOf, zoneKey } from "./charge.ts";
import type { Failure, Overloaded } from "./outcome.ts";
import type { ZoneShortage } from "./zone_shortage.ts";

/** Compares pairs of failures with both failures apart. All pairs of one failure follow each other. */
export class PairLosses {
  readonly #graph: PowerGraph;
  /** Number of the last first failure of pairs that turns a node off, by node. */
  readonly #offBy: Uint32Array;
  #one: Failure | undefined;
  #number = 0;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#offBy = new Uint32Array(graph.nodes.length);
  }

  /** Sets the first failure of the next pairs. */
  begin(one: Failure): void {
    this.#one = one;
    this.#number += 1;
    for (const index of effectsOf(this.#graph, one).offline) this.#offBy[index] = this.#number;
  }

  /** What a pair does that neither failure does apart, less supply left out; undefined for nothing. */
  beyond(pair: Failure, second: Failure): Effects | undefined {
    const apart = this.#one === undefined ? [second] : [this.#one, second];
    const all = effectsOf(this.#graph, pair);
    const more = all.offline.filter((index) => this.#offBy[index] !== this.#number);
    const found: Effects = {
      offline: without(more, itself, () => effectsOf(this.#graph, second).offline),
      degraded: [],
      racksDark: without(all.racksDark, itself, () => apart.flatMap(({ racksDark }) => racksDark)),
      racksPartial: without(all.racksPartial, itself, () =>
        apart.flatMap(({ racksPartial, racksDark }) => [...racksPartial, ...racksDark]),
      ),
      trips: without(all.trips, nodeOf, () => apart.flatMap(({ trips }) => trips.map(nodeOf))),
      overloads: without(all.overloads, overloadKey, () => apart.flatMap(knownOverloads)),
      zones: without(all.zones, shortageKey, () => apart.flatMap(({ zones }) => zones.flatMap(knownShortages))),
      links: without(all.links, itself, () => apart.flatMap(({ links }) => links)),
      cutOff: without(all.cutOff, itself, () => apart.flatMap(({ cutOff }) => cutOff)),
    };
    return Object.values(found).every(({ length }) => length === 0) ? undefined : found;
  }
}

/** The items whose keys are not known; most lists are empty, and need no keys. */
function without<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  known: () => readonly Key[],
): readonly Item[] {
  if (items.length === 0) return items;
  const keys = new Set(known());
  return items.filter((item) => !keys.has(keyOf(item)));
}

function itself<Item>(item: Item): Item {
  return item;
}

function nodeOf({ index }: { readonly index: number }): number {
  return index;
}

/** An overload that would trip is worse than one above a derated limit. */
function overloadKey({ index, severity }: Pick<Overloaded, "index" | "severity">): string {
  return `${index} ${severity}`;
}

function knownOverloads({ overloads, trips }: Failure): readonly string[] {
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

import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { type Failure, nodesOf } from "./outcome.ts";
import { NamedOwners, NodeOwners, type Owners } from "./owners.ts";

// One failure has many single effects: a device goes offline, a rack goes dark, a source trips. Each is charged to the
// smallest failures that cause it. A failure is smaller than another one whose elements include its own.

/**
 * The single effects of a failure, or a part of them. `offline` excludes power equipment, whose loss is that of its
 * consumers, and includes failing cooling units.
 */
export type Effects = Pick<
  Failure,
  | "offline"
  | "degraded"
  | "racksDark"
  | "racksPartial"
  | "trips"
  | "overloads"
  | "zones"
  | "links"
  | "cutOff"
  | "isolated"
>;

/** A failure, and those of its effects that no smaller failure has. */
export interface Charged {
  readonly failure: Failure;
  /** Undefined if smaller failures do everything. */
  readonly own: Effects | undefined;
  /** What was to be charged: everything that it does, or what a pair does beyond both failures apart. */
  readonly all: Effects;
  /** The smaller failures with the other effects. */
  readonly smaller: readonly Failure[];
  /** With a pair, the single failures below it that have some of its effects alone. */
  readonly nearer: readonly Failure[];
}

/** Two failures at once, and what they do beyond both apart. */
export interface WorsePair {
  readonly failure: Failure;
  readonly beyond: Effects;
}

/** Everything that a failure does. */
export function effectsOf(graph: PowerGraph, failure: Failure): Effects {
  const { degraded, racksDark, racksPartial, trips, overloads, zones, links, cutOff, isolated } = failure;
  const offline: number[] = [];
  for (const { index } of failure.elements) if (graph.nodes[index]?.kind === "CRAC") offline.push(index);
  for (const index of failure.offline) if (!isSupply(graph, index)) offline.push(index);
  return { offline, degraded, racksDark, racksPartial, trips, overloads, zones, links, cutOff, isolated };
}

/** Whether a node is power equipment. */
export function isSupply({ nodes }: PowerGraph, index: number): boolean {
  const node = nodes[index];
  return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
}

/** Charges effects to failures. Failures of different islands of supply have no common effects. */
export class Ledger {
  readonly #graph: PowerGraph;
  readonly #entered: Failure[] = [];
  /** Nodes of the first and the last element of each; -1 for none. */
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  /** The nodes of places by the numbers of their failures, those left out that are off before. */
  readonly #members = new Map<number, readonly number[]>();
  /** Number of the last failure that turns a node off before anything trips, by node. */
  readonly #marks: Uint32Array;
  readonly #offline: NodeOwners;
  readonly #degraded: NodeOwners;
  readonly #trips: NodeOwners;
  readonly #overloads: NodeOwners;
  readonly #racksDark = new NamedOwners<string>();
  readonly #racksPartial = new NamedOwners<string>();
  readonly #short = new NamedOwners<string>();
  readonly #reserve = new NamedOwners<string>();
  readonly #links = new NamedOwners<number>();
  readonly #cutOff = new NamedOwners<number>();
  readonly #isolated = new NamedOwners<number>();
  #smaller = new Set<number>();
  #nearer = new Set<number>();
  /** Single failures that are entered before pairs. */
  #singles = 0;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    const { length } = graph.nodes;
    this.#marks = new Uint32Array(length);
    this.#offline = new NodeOwners(length);
    this.#degraded = new NodeOwners(length);
    this.#trips = new NodeOwners(length);
    this.#overloads = new NodeOwners(length);
  }

  /**
   * Charges every effect to the smallest failures that have it, in the order of the failures: all of a site, or those
   * of one of its islands. Cost: the effects of the failures and the nodes that each turns off.
   */
  *charge(failures: readonly Failure[]): Steps<readonly Charged[]> {
    return yield* this.#chargeAll(failures, (at) => effectsOf(this.#graph, failures[at] as Failure));
  }

  /**
   * Charges what pairs of failures do beyond both apart to the smallest pairs, after all single failures. A single failure
   * below a pair takes nothing from it, since both failures of the pair spare it; it is a nearer cause.
   */
  *chargePairs(pairs: readonly WorsePair[]): Steps<readonly Charged[]> {
    this.#singles = this.#entered.length;
    const failures = pairs.map(({ failure }) => failure);
    return yield* this.#chargeAll(failures, (at) => (pairs[at] as WorsePair).beyond);
  }

  *#chargeAll(failures: readonly Failure[], effects: (at: number) => Effects): Steps<readonly Charged[]> {
    const sizeOf = (at: number) => failures[at]?.direct.length ?? 0;
    // A failure includes more nodes than each smaller one.
    const bySize = [...failures.keys()].sort((a, b) => sizeOf(a) - sizeOf(b));
    yield;
    const charged = new Array<Charged>(failures.length);
    for (const at of bySize) {
      const failure = failures[at];
      if (failure !== undefined) charged[at] = this.#enter(failure, effects(at));
      yield;
    }
    return charged;
  }

  #enter(failure: Failure, all: Effects): Charged {
    this.#entered.push(failure);
    const number = this.#entered.length;
    for (const index of failure.direct) this.#marks[index] = number;
    this.#noteSources(failure, number);
    this.#smaller = new Set();
    this.#nearer = new Set();
    // A device that a smaller failure turns off is not charged to a larger one as degraded, and so on.
    const own: Effects = {
      offline: this.#keepNodes(all.offline, this.#offline),
      degraded: this.#keepNodes(all.degraded, this.#degraded, this.#offline),
      racksDark: this.#keep(all.racksDark, identity, [this.#racksDark]),
      racksPartial: this.#keep(all.racksPartial, identity, [this.#racksPartial, this.#racksDark]),
      trips: this.#keep(all.trips, nodeOf, [this.#trips]),
      overloads: this.#keep(all.overloads, nodeOf, [this.#overloads, this.#trips]),
      zones: this.#keepZones(all.zones),
      links: this.#keep(all.links, identity, [this.#links]),
      cutOff: this.#keep(all.cutOff, identity, [this.#cutOff]),
      isolated: this.#keep(all.isolated, identity, [this.#isolated]),
    };
    const isEmpty = Object.values(own).every(({ length }) => length === 0);
    return {
      failure,
      own: isEmpty ? undefined : isWhole(own, all) ? all : own,
      all,
      smaller: this.#named(this.#smaller),
      nearer: this.#named(this.#nearer),
    };
  }

  #noteSources({ elements }: Failure, number: number): void {
    let [first, last] = [elements[0]?.index ?? -1, elements.at(-1)?.index ?? -1];
    if (elements[0]?.members !== undefined) {
      const own = elements.flatMap(nodesOf).filter((index) => this.#marks[index] === number);
      this.#members.set(number, own);
      [first, last] = [own[0] ?? -1, own.at(-1) ?? -1];
    }
    this.#first.push(first);
    this.#last.push(last);
  }

  #named(numbers: ReadonlySet<number>): readonly Failure[] {
    return numbers.size === 0 ? NONE : [...numbers].flatMap((one) => this.#entered[one - 1] ?? []);
  }

  /** The nodes that no smaller failure is charged with; these are charged to the failure that is being entered. */
  #keepNodes(nodes: readonly number[], same: NodeOwners, worse?: NodeOwners): readonly number[] {
    if (nodes.length === 0) return nodes;
    const found: number[] = [];
    for (const index of nodes) {
      const isOwned = same.has(index) && this.#isTaken(same.of(index));
      const isWorse = worse?.has(index) === true && this.#isTaken(worse.of(index));
      if (isOwned || isWorse) continue;
      same.add(index, this.#entered.length);
      found.push(index);
    }
    return found;
  }

  #keepZones(zones: readonly ZoneShortage[]): readonly ZoneShortage[] {
    if (zones.length === 0) return zones;
    return [
      ...this.#keep(zones.filter(isShort), zoneKey, [this.#short]),
      ...this.#keep(zones.filter(isReserve), zoneKey, [this.#reserve, this.#short]),
    ];
  }

  /** The same for anything else. */
  #keep<Item, Key>(
    items: readonly Item[],
    keyOf: (item: Item) => Key,
    [same, ...worse]: readonly [Owners<Key>, ...Owners<Key>[]],
  ): readonly Item[] {
    if (items.length === 0) return items;
    return items.filter((item) => {
      const key = keyOf(item);
      let isOwned = this.#isTaken(same.of(key));
      for (const owners of worse) if (this.#isTaken(owners.of(key))) isOwned = true;
      if (!isOwned) same.add(key, this.#entered.length);
      return !isOwned;
    });
  }

  /** Whether the failure that is being entered includes earlier ones, which are noted. */
  #isTaken(owners: readonly number[]): boolean {
    const now = this.#entered.length;
    let found = false;
    for (let place = 0; place < owners.length; place += 1) {
      const number = owners[place] as number;
      if (number === now || this.#marks[this.#first[number - 1] as number] !== now) continue;
      if (this.#marks[this.#last[number - 1] as number] !== now) continue;
      if (this.#members.size > 0 && this.#members.get(number)?.every((index) => this.#marks[index] === now) === false)
        continue;
      if (number <= this.#singles) {
        this.#nearer.add(number);
        continue;
      }
      this.#smaller.add(number);
      found = true;
    }
    return found;
  }
}

const NONE: readonly Failure[] = [];

function isWhole(own: Effects, all: Effects): boolean {
  for (const part in all) if (own[part as keyof Effects].length !== all[part as keyof Effects].length) return false;
  return true;
}

export function identity<Item>(item: Item): Item {
  return item;
}

export function nodeOf({ index }: { readonly index: number }): number {
  return index;
}

function isReserve({ short }: ZoneShortage): boolean {
  return !short;
}

function isShort({ short }: ZoneShortage): boolean {
  return short;
}

export function zoneKey({ medium, ref }: Pick<ZoneShortage, "medium" | "ref">): string {
  return `${medium} ${ref}`;
}

/** Key of the rack that a node is located in. */
export function rackKeyOf({ nodes }: PowerGraph, index: number): string | undefined {
  const node = nodes[index];
  const code = node?.kind === "DEVICE" ? node.device.rackCode : node?.kind === "CRAC" ? node.crac.rackCode : undefined;
  return code === undefined ? undefined : codeKey(code);
}

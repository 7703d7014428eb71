import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { codeKey } from "../../model/ref.ts";
import { getNodeOwner, isPowerEquipmentNode, type PowerGraph } from "../power/power_nodes.ts";
import { type Failure, listFailingNodes } from "./elements.ts";

// Each single effect of a failure, such as a dark rack, is charged to the smallest failures that cause it.
// A failure is smaller than another one that turns off its elements.

/**
 * All or some single effects of a failure. `offline` excludes power equipment, whose loss is counted at its consumers,
 * and includes failed cooling units.
 */
export type FailureEffects = Pick<
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

/** A failure with the effects that no smaller failure has. */
export interface ChargedFailure {
  readonly failure: Failure;
  /** Effects charged to this failure; undefined if smaller failures cause all effects. */
  readonly own: FailureEffects | undefined;
  /** Effects to charge: all effects of the failure, or for a pair its effects beyond both single failures. */
  readonly all: FailureEffects;
  /** Smaller failures that cause the effects that are not charged to this failure. */
  readonly smallerFailures: readonly Failure[];
  /** For a pair, smaller single failures that cause some of its effects alone. */
  readonly nearerFailures: readonly Failure[];
}

/** Two failures at once, and the effects that neither failure has alone. */
export interface WorsePair {
  readonly failure: Failure;
  readonly jointEffects: FailureEffects;
}

/** Returns all effects of a failure except the loss of power equipment. */
export function selectCountedEffects(graph: PowerGraph, failure: Failure): FailureEffects {
  const { degraded, racksDark, racksPartial, trips, overloads, zones, links, cutOff, isolated } = failure;
  const offline: number[] = [];
  for (const { index } of failure.elements) if (graph.nodes[index]?.kind === "CRAC") offline.push(index);
  for (const index of failure.offline) if (!isPowerEquipmentNode(graph, index)) offline.push(index);
  return { offline, degraded, racksDark, racksPartial, trips, overloads, zones, links, cutOff, isolated };
}

/** Charges effects to failures. Failures in different islands of supply have no common effects. */
export class EffectLedger {
  readonly #graph: PowerGraph;
  readonly #failures: Failure[] = [];
  /** Node of the first element of each failure; `#last` has the node of its last element. -1 for none. */
  readonly #firstNodes: number[] = [];
  readonly #lastNodes: number[] = [];
  /** Nodes of locations by the number of their failure, without nodes that were off before. */
  readonly #members = new Map<number, readonly number[]>();
  /** By node, the number of the latest failure that turns it off before anything trips. */
  readonly #marks: Uint32Array;
  readonly #offline: EffectOwners<number> = new Map();
  readonly #degraded: EffectOwners<number> = new Map();
  readonly #trips: EffectOwners<number> = new Map();
  readonly #overloads: EffectOwners<number> = new Map();
  readonly #racksDark: EffectOwners<string> = new Map();
  readonly #racksPartial: EffectOwners<string> = new Map();
  readonly #short: EffectOwners<string> = new Map();
  readonly #reserve: EffectOwners<string> = new Map();
  readonly #links: EffectOwners<number> = new Map();
  readonly #cutOff: EffectOwners<number> = new Map();
  readonly #isolated: EffectOwners<number> = new Map();
  #smaller = new Set<number>();
  #nearer = new Set<number>();
  /** Number of single failures that were entered before pairs. */
  #singleCount = 0;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#marks = new Uint32Array(graph.nodes.length);
  }

  /**
   * Charges every effect to the smallest failures that have it. The result has the order of the failures, which are all
   * failures of a site or of one island of supply. Cost: the effects of the failures and the nodes that each failure
   * turns off.
   */
  *chargeFailures(failures: readonly Failure[]): Steps<readonly ChargedFailure[]> {
    return yield* this.#chargeBySize(failures, (at) => selectCountedEffects(this.#graph, failures[at] as Failure));
  }

  /**
   * Charges the effects of pairs beyond both single failures to the smallest pairs. Must follow the charging of single
   * failures. A single failure below a pair does not own effects of the pair, because neither failure of the pair has
   * them; it is reported as a nearer cause.
   */
  *chargePairs(pairs: readonly WorsePair[]): Steps<readonly ChargedFailure[]> {
    this.#singleCount = this.#failures.length;
    const failures = pairs.map(({ failure }) => failure);
    return yield* this.#chargeBySize(failures, (at) => (pairs[at] as WorsePair).jointEffects);
  }

  *#chargeBySize(
    failures: readonly Failure[],
    effects: (at: number) => FailureEffects,
  ): Steps<readonly ChargedFailure[]> {
    const sizeOf = (at: number) => failures[at]?.direct.length ?? 0;
    // A failure turns off more nodes than each smaller failure that it includes.
    const bySize = [...failures.keys()].sort((a, b) => sizeOf(a) - sizeOf(b));
    yield;
    const charged = new Array<ChargedFailure>(failures.length);
    for (const at of bySize) {
      const failure = failures[at];
      if (failure !== undefined) charged[at] = this.#chargeFailure(failure, effects(at));
      yield;
    }
    return charged;
  }

  #chargeFailure(failure: Failure, all: FailureEffects): ChargedFailure {
    this.#failures.push(failure);
    const number = this.#failures.length;
    for (const index of failure.direct) this.#marks[index] = number;
    this.#recordSources(failure, number);
    this.#smaller = new Set();
    this.#nearer = new Set();
    // A device that a smaller failure turns off is not charged to a larger one as degraded; likewise racks and zones.
    const own: FailureEffects = {
      offline: this.#chargeItems(all.offline, identity, [this.#offline]),
      degraded: this.#chargeItems(all.degraded, identity, [this.#degraded, this.#offline]),
      racksDark: this.#chargeItems(all.racksDark, identity, [this.#racksDark]),
      racksPartial: this.#chargeItems(all.racksPartial, identity, [this.#racksPartial, this.#racksDark]),
      trips: this.#chargeItems(all.trips, getNodeIndex, [this.#trips]),
      overloads: this.#chargeItems(all.overloads, getNodeIndex, [this.#overloads, this.#trips]),
      zones: this.#chargeZones(all.zones),
      links: this.#chargeItems(all.links, identity, [this.#links]),
      cutOff: this.#chargeItems(all.cutOff, identity, [this.#cutOff]),
      isolated: this.#chargeItems(all.isolated, identity, [this.#isolated]),
    };
    const isEmpty = Object.values(own).every(({ length }) => length === 0);
    return {
      failure,
      own: isEmpty ? undefined : hasAllEffects(own, all) ? all : own,
      all,
      smallerFailures: this.#listFailures(this.#smaller),
      nearerFailures: this.#listFailures(this.#nearer),
    };
  }

  #recordSources({ elements }: Failure, number: number): void {
    let [first, last] = [elements[0]?.index ?? -1, elements.at(-1)?.index ?? -1];
    if (elements[0]?.members !== undefined) {
      const own = elements.flatMap(listFailingNodes).filter((index) => this.#marks[index] === number);
      this.#members.set(number, own);
      [first, last] = [own[0] ?? -1, own.at(-1) ?? -1];
    }
    this.#firstNodes.push(first);
    this.#lastNodes.push(last);
  }

  #listFailures(numbers: ReadonlySet<number>): readonly Failure[] {
    return numbers.size === 0 ? NO_FAILURES : [...numbers].flatMap((one) => this.#failures[one - 1] ?? []);
  }

  #chargeZones(zones: readonly ZoneShortage[]): readonly ZoneShortage[] {
    if (zones.length === 0) return zones;
    return [
      ...this.#chargeItems(
        zones.filter(({ short }) => short),
        formatZoneKey,
        [this.#short],
      ),
      ...this.#chargeItems(
        zones.filter(({ short }) => !short),
        formatZoneKey,
        [this.#reserve, this.#short],
      ),
    ];
  }

  /** Returns the items that are not charged to a smaller failure, and charges them to the current failure. */
  #chargeItems<Item, Key>(
    items: readonly Item[],
    keyOf: (item: Item) => Key,
    [same, ...worse]: readonly [EffectOwners<Key>, ...EffectOwners<Key>[]],
  ): readonly Item[] {
    if (items.length === 0) return items;
    return items.filter((item) => {
      const key = keyOf(item);
      let isOwned = this.#isOwnedBySmaller(same.get(key) ?? NO_OWNERS);
      for (const owners of worse) if (this.#isOwnedBySmaller(owners.get(key) ?? NO_OWNERS)) isOwned = true;
      if (!isOwned) same.getOrInsert(key, []).push(this.#failures.length);
      return !isOwned;
    });
  }

  /** Whether the current failure includes one of the owners. Records these owners as smaller or nearer causes. */
  #isOwnedBySmaller(owners: readonly number[]): boolean {
    const now = this.#failures.length;
    let found = false;
    for (let place = 0; place < owners.length; place += 1) {
      const number = owners[place] as number;
      if (number === now || this.#marks[this.#firstNodes[number - 1] as number] !== now) continue;
      if (this.#marks[this.#lastNodes[number - 1] as number] !== now) continue;
      if (this.#members.size > 0 && this.#members.get(number)?.every((index) => this.#marks[index] === now) === false)
        continue;
      if (number <= this.#singleCount) {
        this.#nearer.add(number);
        continue;
      }
      this.#smaller.add(number);
      found = true;
    }
    return found;
  }
}

const NO_FAILURES: readonly Failure[] = [];

function hasAllEffects(own: FailureEffects, all: FailureEffects): boolean {
  for (const part in all)
    if (own[part as keyof FailureEffects].length !== all[part as keyof FailureEffects].length) return false;
  return true;
}

export function identity<Item>(item: Item): Item {
  return item;
}

export function getNodeIndex({ index }: { readonly index: number }): number {
  return index;
}

export function formatZoneKey({ medium, ref }: Pick<ZoneShortage, "medium" | "ref">): string {
  return `${medium} ${ref}`;
}

/** Returns the key of the rack that a node is located in; undefined for none. */
export function findRackKey({ nodes }: PowerGraph, index: number): string | undefined {
  const code = getNodeOwner(nodes[index])?.rackCode;
  return code === undefined ? undefined : codeKey(code);
}

/** Numbers, from 1, of the failures to which each effect is charged, by the key of the effect. */
type EffectOwners<Key> = Map<Key, number[]>;

const NO_OWNERS: readonly number[] = [];

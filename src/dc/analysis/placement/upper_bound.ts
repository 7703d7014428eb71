import type { Limit, LimitUse } from "./limits.ts";

/** A location for devices, with an upper bound of the number of devices that fit there alone. */
export interface BoundedLocation {
  /** Number of the location's rack; locations in one rack share its units. */
  readonly rack: number;
  readonly fits: number;
  readonly uses: readonly LimitUse[];
}

interface SharedBound {
  readonly places: number[];
  /** Returns how many devices fit if each uses at least this amount. */
  readonly fits: (least: number) => number;
  least: number;
}

/**
 * Returns an upper bound of the number of devices. Limits of nested groups of locations, such as those of a tree of
 * supplies, are combined. A limit that overlaps groups partly is ignored, which makes the bound larger but never wrong.
 *
 * Cost: O(locations × uses × log).
 * @param rackFits devices that fit into the units of each rack
 */
export function computeUpperBound(places: readonly BoundedLocation[], rackFits: readonly number[]): number {
  const groups = new LocationGroups(places.map(({ fits }) => fits));
  for (const { places: members, fits, least } of listBoundsBySize(places, rackFits))
    groups.limitLocations(members, fits(least));
  return groups.sumBounds();
}

function listBoundsBySize(places: readonly BoundedLocation[], rackFits: readonly number[]): readonly SharedBound[] {
  const limits = new Map<Limit, SharedBound>();
  const racks = new Map<number, SharedBound>();
  for (const [at, { rack, uses }] of places.entries()) {
    const units = racks.getOrInsertComputed(rack, () => ({ places: [], least: 1, fits: () => rackFits[rack] ?? 0 }));
    units.places.push(at);
    for (const { limit, each, least = each } of uses) {
      const shared = limits.getOrInsertComputed(limit, () => ({
        places: [],
        least,
        fits: (most: number) => limit.countFitting(most),
      }));
      if (shared.places.at(-1) !== at) shared.places.push(at);
      shared.least = Math.min(shared.least, least);
    }
  }
  return [...racks.values(), ...limits.values()].toSorted((a, b) => a.places.length - b.places.length);
}

/** Groups of locations, each with an upper bound. Groups are merged into larger groups. */
class LocationGroups {
  readonly #parent: number[];
  readonly #size: number[];
  readonly #most: number[];

  constructor(most: readonly number[]) {
    this.#parent = most.map((_, at) => at);
    this.#size = most.map(() => 1);
    this.#most = [...most];
  }

  /** Limits a set of locations to a number of devices, if the set consists of complete groups. */
  limitLocations(places: readonly number[], most: number): void {
    const roots = [...new Set(places.map((at) => this.#findRoot(at)))];
    const members = roots.reduce((sum, root) => sum + (this.#size[root] ?? 0), 0);
    const [first] = roots;
    if (first === undefined || members !== places.length) return;
    const sum = roots.reduce((total, root) => total + (this.#most[root] ?? 0), 0);
    for (const root of roots) this.#parent[root] = first;
    this.#size[first] = members;
    this.#most[first] = Math.min(sum, most);
  }

  sumBounds(): number {
    return this.#parent.reduce((sum, parent, at) => (parent === at ? sum + (this.#most[at] ?? 0) : sum), 0);
  }

  #findRoot(at: number): number {
    let root = at;
    while (this.#parent[root] !== root) root = this.#parent[root] ?? root;
    this.#parent[at] = root;
    return root;
  }
}

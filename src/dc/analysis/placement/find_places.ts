import { codeKey } from "#dc/model/code.ts";
import type { PlacementSpread } from "#dc/model/enum_values.ts";
import { BestFirst } from "./best_first.ts";
import { type Ground, layGround, type Pauses } from "./candidates.ts";
import { fitsAll, mostByAll } from "./limits.ts";
import { type Candidate, fitsIn, noSpace, type Option, PlaceTaker, type Taken } from "./rack_candidate.ts";
import { mostThatFit } from "./upper_bound.ts";
import type { Obstacle, Wanted } from "./wanted.ts";

/** A selected position, in the order of selection. */
export interface Place {
  readonly candidate: Candidate;
  readonly option: Option;
  readonly taken: Taken;
}

/** A rack that takes no device, with every reason. */
export interface Refused {
  readonly candidate: Candidate;
  readonly obstacles: readonly Obstacle[];
}

export interface Placement {
  readonly ground: Ground;
  readonly places: readonly Place[];
  /** Whether provably no more of the requested devices fit, for any choice of positions. */
  readonly proven: boolean;
  readonly refused: readonly Refused[];
  /** Devices that racks take if no other rack takes any, by their position among the candidates; at most. */
  readonly fits: readonly number[];
  /** Why no more devices fit; empty if all have a position. */
  readonly limits: readonly Refused[];
}

/** Scores distinguish so many devices of one answer, and so much space left. */
const SCALE = 1024;

/**
 * Finds positions for equal devices, the best first: the most even spread, then the most remaining space.
 *
 * Greedy, so it may find fewer than fit; `proven` is set if that is certainly not so. Otherwise a second attempt packs
 * devices where most fit, without spreading, and the larger result is returned.
 *
 * Cost: O(devices + power edges) to examine the racks, then O(log racks × limits) for each position.
 */
export async function findPlaces(input: Parameters<typeof layGround>[0], pauses: Pauses): Promise<Placement> {
  const first = await placeOn(await layGround(input, pauses), pauses, input.wanted.spread);
  if (first.proven) return first;
  const second = await placeOn(await layGround(input, pauses), pauses, []);
  return second.places.length > first.places.length ? second : first;
}

async function placeOn(ground: Ground, pauses: Pauses, spread: readonly PlacementSpread[]): Promise<Placement> {
  const { candidates, wanted, phases, ports } = ground;
  const refused = refusals(candidates, wanted);
  const refusedRacks = new Set(refused.map(({ candidate }) => candidate));
  const open = candidates.filter((candidate) => !refusedRacks.has(candidate));
  const fits = candidates.map((candidate) => (refusedRacks.has(candidate) ? 0 : mostIn(candidate)));
  const most = boundOf(open);
  const taker = new PlaceTaker(wanted, phases, ports);
  const order = new Order(spread);
  const heap = new BestFirst(
    open.flatMap((candidate) => candidate.options.map((option) => ({ candidate, option }))),
    ({ candidate, option }) => order.score(candidate, option),
  );
  const places: Place[] = [];
  const stuck = new Map<Candidate, Obstacle[]>();
  for (let next = heap.best(); next !== undefined && places.length < wanted.count; next = heap.best()) {
    await pauses.yieldIfDue();
    const taken = taker.take(next.candidate, next.option);
    if ("reason" in taken) {
      stuck.set(next.candidate, [...(stuck.get(next.candidate) ?? []), taken]);
      heap.drop();
      continue;
    }
    order.note(next.candidate, next.option);
    places.push({ ...next, taken });
  }
  const complete = places.length >= wanted.count;
  const limits = complete ? [] : refusals(open, wanted, stuck);
  return { ground, places, proven: complete || places.length >= most, refused, fits, limits };
}

/** Order of positions: as few as possible in the same rack, row or feed, then the most remaining space. */
class Order {
  readonly #spread: readonly PlacementSpread[];
  readonly #counts = new Map<string, number>();

  constructor(spread: readonly PlacementSpread[]) {
    this.#spread = spread;
  }

  score(candidate: Candidate, option: Option): number {
    const left = fitsIn(candidate, option);
    if (left < 1) return Number.POSITIVE_INFINITY;
    let score = 0;
    for (const one of this.#spread) score = score * SCALE + (this.#counts.get(keyOf(one, candidate, option)) ?? 0);
    // Without spread a rack that was begun is filled before the next.
    const begun = this.#spread.length === 0 ? (this.#counts.get(keyOf("RACK", candidate, option)) ?? 0) : 0;
    return begun > 0 ? 0 : score * SCALE + (SCALE - 1 - Math.min(SCALE - 2, left));
  }

  note(candidate: Candidate, option: Option): void {
    for (const one of new Set<PlacementSpread>([...this.#spread, "RACK"])) {
      const key = keyOf(one, candidate, option);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }
}

function keyOf(spread: PlacementSpread, { rack }: Candidate, { feed }: Option): string {
  if (spread === "RACK") return `rack:${codeKey(rack.code)}`;
  if (spread === "FEED") return `feed:${feed}`;
  const { siteId = "", floorNumber = 0, row = "" } = rack.location ?? {};
  return codeKey(`row:${siteId}/${floorNumber}/${row}`);
}

function mostIn(candidate: Candidate): number {
  const all = candidate.options.reduce((sum, option) => sum + mostByAll(option.uses), 0);
  return Math.min(candidate.units.fits, all);
}

function boundOf(open: readonly Candidate[]): number {
  const places = open.flatMap((candidate, rack) =>
    candidate.options.map((option) => ({ rack, fits: mostByAll(option.uses), uses: option.uses })),
  );
  return mostThatFit(
    places,
    open.map(({ units }) => units.fits),
  );
}

/** Racks that take no device as things are, with all reasons, each once. */
function refusals(
  candidates: readonly Candidate[],
  wanted: Wanted,
  stuck: ReadonlyMap<Candidate, readonly Obstacle[]> = new Map(),
): readonly Refused[] {
  return candidates.flatMap((candidate) => {
    const found = [...candidate.obstacles, ...(stuck.get(candidate) ?? []), ...shortages(candidate)];
    if (candidate.units.fits < 1) found.push(noSpace(candidate, wanted));
    const once = [...new Map(found.map((one) => [`${one.reason} ${one.ref}`, one])).values()];
    return once.length === 0 ? [] : [{ candidate, obstacles: once }];
  });
}

/** Limits that are exhausted for every supply of a rack. */
function shortages({ options }: Candidate): readonly Obstacle[] {
  if (options.some(({ uses }) => fitsAll(uses) >= 1)) return [];
  return options.flatMap(({ uses }) =>
    uses
      .filter(({ limit, each, after }) => limit.fits(each, after) < 1)
      .map(({ limit, each, after }) => limit.obstacle(each, after)),
  );
}

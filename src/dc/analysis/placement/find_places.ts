import type { NetworkPortSummary } from "#dc/model/inventory.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import type { LoadBasis, PlacementSpread } from "../../model/enum_values.ts";
import { codeKey } from "../../model/ref.ts";
import { selectRacksIn } from "../places.ts";
import type { CarriedLoads } from "../power/power_failover.ts";
import type { Topology } from "../topology.ts";
import { CoolingLimits, PhaseLimits } from "./cooling_limits.ts";
import {
  countFittingDevices,
  countMaxFittingDevices,
  Limit,
  type LimitUse,
  type PlacementObstacle,
  type PlacementRequest,
  type SupplyLoadState,
  SupplyPaths,
} from "./limits.ts";
import { PlannedLoads } from "./planned_loads.ts";
import {
  type Allocation,
  createNoSpaceObstacle,
  PositionAllocator,
  type RackCandidate,
  RackUnits,
  type SupplyOption,
} from "./rack_candidate.ts";
import {
  acceptsPlug,
  createRackLimits,
  listSupplyPairs,
  type SupplyPair,
  type SupplyTap,
  TapFinder,
} from "./rack_taps.ts";
import { SwitchPorts } from "./switch_ports.ts";

/** A selected position for one device. */
export interface SelectedPlace {
  readonly candidate: RackCandidate;
  readonly option: SupplyOption;
  readonly allocation: Allocation;
}

/** A rack that accepts no device, with every reason. */
export interface RefusedRack {
  readonly candidate: RackCandidate;
  readonly obstacles: readonly PlacementObstacle[];
}

export interface Placement {
  readonly state: PlacementState;
  readonly places: readonly SelectedPlace[];
  /** Whether it is proven that no other choice of positions fits more devices of the request. */
  readonly proven: boolean;
  readonly refused: readonly RefusedRack[];
  /** Maximum number of devices in each candidate rack if all other racks stay empty, in the order of candidates. */
  readonly fits: readonly number[];
  /** Racks with the reasons why no more devices fit; empty if all devices have a position. */
  readonly limits: readonly RefusedRack[];
}

/** Base of the score digits: device counts and remaining space are distinguished up to this number. */
const SCORE_BASE = 1024;

/**
 * Finds positions for equal devices, best first: the most even spread, then the most remaining space.
 * The search is greedy, so it may find fewer positions than exist; `proven` is set if it certainly finds the most.
 * Otherwise a second attempt packs devices without spreading, and the larger result is returned.
 * Cost: O(devices + power edges) to examine the racks, then O(log racks × limits) for each position.
 */
export async function findPlaces(input: Parameters<typeof prepareCandidates>[0], pauses: Pauses): Promise<Placement> {
  const first = await placeDevices(await prepareCandidates(input, pauses), pauses, input.wanted.spread);
  if (first.proven) return first;
  const second = await placeDevices(await prepareCandidates(input, pauses), pauses, []);
  return second.places.length > first.places.length ? second : first;
}

async function placeDevices(
  ground: PlacementState,
  pauses: Pauses,
  spread: readonly PlacementSpread[],
): Promise<Placement> {
  const { candidates, request, phases, ports } = ground;
  const refused = listRefusals(candidates, request);
  const refusedRacks = new Set(refused.map(({ candidate }) => candidate));
  const open = candidates.filter((candidate) => !refusedRacks.has(candidate));
  const fits = candidates.map((candidate) => (refusedRacks.has(candidate) ? 0 : countMostInRack(candidate)));
  const most = computeMaxDeviceCount(open);
  const taker = new PositionAllocator(request, phases, ports);
  const order = new PlacementOrder(spread);
  const heap = new LazyPriorityQueue(
    open.flatMap((candidate) => candidate.options.map((option) => ({ candidate, option }))),
    ({ candidate, option }) => order.computeScore(candidate, option),
  );
  const places: SelectedPlace[] = [];
  const stuck = new Map<RackCandidate, PlacementObstacle[]>();
  for (let next = heap.findBest(); next !== undefined && places.length < request.count; next = heap.findBest()) {
    await pauses.yieldIfDue();
    const taken = taker.allocatePosition(next.candidate, next.option);
    if ("reason" in taken) {
      stuck.set(next.candidate, [...(stuck.get(next.candidate) ?? []), taken]);
      heap.removeBest();
      continue;
    }
    order.recordDevice(next.candidate, next.option);
    places.push({ ...next, allocation: taken });
  }
  const complete = places.length >= request.count;
  const limits = complete ? [] : listRefusals(open, request, stuck);
  return { state: ground, places, proven: complete || places.length >= most, refused, fits, limits };
}

/** Rates positions: as few devices as possible in the same rack, row or feed, then the most remaining space. */
class PlacementOrder {
  readonly #spread: readonly PlacementSpread[];
  readonly #counts = new Map<string, number>();

  constructor(spread: readonly PlacementSpread[]) {
    this.#spread = spread;
  }

  computeScore(candidate: RackCandidate, option: SupplyOption): number {
    // Outlets and ports are checked on allocation.
    const left = Math.min(candidate.units.fittingCount, countFittingDevices(option.uses));
    if (left < 1) return Number.POSITIVE_INFINITY;
    let score = 0;
    for (const one of this.#spread)
      score = score * SCORE_BASE + (this.#counts.get(formatSpreadKey(one, candidate, option)) ?? 0);
    // Without spread, a rack with a device is filled before the next rack.
    const begun = this.#spread.length === 0 ? (this.#counts.get(formatSpreadKey("RACK", candidate, option)) ?? 0) : 0;
    return begun > 0 ? 0 : score * SCORE_BASE + (SCORE_BASE - 1 - Math.min(SCORE_BASE - 2, left));
  }

  recordDevice(candidate: RackCandidate, option: SupplyOption): void {
    for (const one of new Set<PlacementSpread>([...this.#spread, "RACK"])) {
      const key = formatSpreadKey(one, candidate, option);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }
}

function formatSpreadKey(spread: PlacementSpread, { rack }: RackCandidate, { feedKey }: SupplyOption): string {
  if (spread === "RACK") return `rack:${codeKey(rack.code)}`;
  if (spread === "FEED") return `feed:${feedKey}`;
  const { siteId = "", floorNumber = 0, row = "" } = rack.location ?? {};
  return codeKey(`row:${siteId}/${floorNumber}/${row}`);
}

function countMostInRack(candidate: RackCandidate): number {
  const all = candidate.options.reduce((sum, option) => sum + countMaxFittingDevices(option.uses), 0);
  return Math.min(candidate.units.fittingCount, all);
}

function computeMaxDeviceCount(open: readonly RackCandidate[]): number {
  const places = open.flatMap((candidate, rack) =>
    candidate.options.map((option) => ({ rack, fits: countMaxFittingDevices(option.uses), uses: option.uses })),
  );
  return computeUpperBound(
    places,
    open.map(({ units }) => units.fittingCount),
  );
}

/** Lists racks that accept no device at present, with all reasons, each once. */
function listRefusals(
  candidates: readonly RackCandidate[],
  wanted: PlacementRequest,
  stuck: ReadonlyMap<RackCandidate, readonly PlacementObstacle[]> = new Map(),
): readonly RefusedRack[] {
  return candidates.flatMap((candidate) => {
    const found = [...candidate.obstacles, ...(stuck.get(candidate) ?? []), ...listShortages(candidate)];
    if (candidate.units.fittingCount < 1) found.push(createNoSpaceObstacle(candidate, wanted));
    const once = [...new Map(found.map((one) => [`${one.reason} ${one.ref}`, one])).values()];
    return once.length === 0 ? [] : [{ candidate, obstacles: once }];
  });
}

/** Lists limits of a rack that are exhausted for each of its supplies. */
function listShortages({ options }: RackCandidate): readonly PlacementObstacle[] {
  if (options.some(({ uses }) => countFittingDevices(uses) >= 1)) return [];
  return options.flatMap(({ uses }) =>
    uses
      .filter(({ limit, each, after }) => limit.countFitting(each, after) < 1)
      .map(({ limit, each, after }) => limit.createObstacle(each, after)),
  );
}

/** An item with its score, which can only get worse; the lowest score comes first. */
interface ScoredItem<Item> {
  readonly item: Item;
  /** Position in the input. It decides between equal scores, so that equal requests get equal replies. */
  readonly place: number;
  score: number;
}

/** A priority queue that recomputes a score only when its item reaches the top, because most items never do. */
class LazyPriorityQueue<Item> {
  readonly #heap: ScoredItem<Item>[];
  readonly #computeScore: (item: Item) => number;

  /** Creates a queue. @param score lower is better; infinite for an item that can no longer be used */
  constructor(items: readonly Item[], score: (item: Item) => number) {
    this.#computeScore = score;
    this.#heap = items
      .map((item, place) => ({ item, place, score: score(item) }))
      .filter((one) => one.score < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.score - b.score || a.place - b.place);
  }

  /** Returns the best item without removing it; undefined if the queue is empty. */
  findBest(): Item | undefined {
    for (;;) {
      const [top] = this.#heap;
      if (top === undefined) return undefined;
      const score = this.#computeScore(top.item);
      if (score === top.score) return top.item;
      if (score === Number.POSITIVE_INFINITY) this.removeBest();
      else {
        top.score = score;
        this.#sinkTop();
      }
    }
  }

  removeBest(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sinkTop();
  }

  #sinkTop(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let child = 2 * at + 1;
      const [left, right, own] = [heap[child], heap[child + 1], heap[at]];
      if (left === undefined || own === undefined) return;
      if (right !== undefined && isScoredBefore(right, left)) child += 1;
      const best = heap[child];
      if (best === undefined || !isScoredBefore(best, own)) return;
      heap[at] = best;
      heap[child] = own;
      at = child;
    }
  }
}

function isScoredBefore(a: ScoredItem<unknown>, b: ScoredItem<unknown>): boolean {
  return a.score === b.score ? a.place < b.place : a.score < b.score;
}

/** A location for devices, with an upper bound of the number of devices that fit there alone. */
interface BoundedLocation {
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
function computeUpperBound(places: readonly BoundedLocation[], rackFits: readonly number[]): number {
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

/** Pauses of a computation, in which other requests run. */
export interface Pauses {
  yieldIfDue(): Promise<void>;
  run<Result>(steps: Steps<Result>): Promise<Result>;
}

/** State of a site that placing devices reads and updates. */
interface PlacementState {
  readonly topology: Topology;
  readonly request: PlacementRequest;
  readonly state: SupplyLoadState;
  readonly phases: PhaseLimits;
  readonly ports: SwitchPorts;
  readonly candidates: readonly RackCandidate[];
}

/** Lists the racks of a scope, sorted by code. */
export function listRacksInScope({ inventory }: Topology, { scope }: Pick<PlacementRequest, "scope">): readonly Rack[] {
  return scope === undefined ? inventory.racks : selectRacksIn(inventory.racks, scope);
}

/** Prepares supply loads, paths and taps of a site for placements. Cost: O(devices + power edges), in slices. */
export async function prepareSupply(
  topology: Topology,
  wanted: PlacementRequest,
  pauses: Pauses,
): Promise<{ readonly state: SupplyLoadState; readonly paths: SupplyPaths; readonly taps: TapFinder }> {
  const planned = await pauses.run(PlannedLoads.buildInSteps(topology));
  const carried = await computeCarriedLoads(topology, "ALLOCATED", pauses);
  const also = wanted.basis === "ALLOCATED" ? undefined : await computeCarriedLoads(topology, wanted.basis, pauses);
  const state = { graph: topology.power, live: topology.live, carried, ...(also !== undefined && { also }), planned };
  const paths = new SupplyPaths(state, wanted);
  return { state, paths, taps: new TapFinder(topology, planned, paths) };
}

/** Returns the use of every supply limit by a device that is plugged into a pair of taps. */
export function listPathUses(
  pair: SupplyPair,
  paths: SupplyPaths,
  { inlets: all }: PlacementRequest,
): readonly LimitUse[] {
  const parts = pair.map(({ tap: { path, killers }, inlets }) => ({ path, killers, part: inlets.length / all.length }));
  return paths.listUses(parts);
}

/** Examines every rack of the scope for a placement. Cost: O(devices + power edges), in slices. */
async function prepareCandidates(
  input: {
    readonly topology: Topology;
    readonly wanted: PlacementRequest;
    readonly switches: ReadonlyMap<string, NetworkPortSummary>;
  },
  pauses: Pauses,
): Promise<PlacementState> {
  const { topology, wanted, switches } = input;
  const { state, paths, taps } = await prepareSupply(topology, wanted, pauses);
  await pauses.yieldIfDue();
  const cooling = new CoolingLimits(topology, wanted);
  await pauses.yieldIfDue();
  const ports = new SwitchPorts(topology, wanted.ports, switches);
  const outletUses = createOutletUses(wanted);
  const candidates: RackCandidate[] = [];
  for (const rack of listRacksInScope(topology, wanted)) {
    await pauses.yieldIfDue();
    const devices = topology.listDevicesInRack(rack.code);
    const limits = createRackLimits(rack, devices, wanted);
    const cooled = cooling.computeRackCooling(rack);
    const { pool, obstacles: unconnected } = ports.findPool(rack);
    const { pairs, obstacles: unsupplied } = listSupplyPairs(rack, await taps.findRackTaps(rack.code), wanted);
    const shared = [...limits.uses, ...cooled.uses, ...(pool?.uses ?? [])];
    candidates.push({
      rack,
      units: new RackUnits(rack, devices, wanted),
      limits,
      cooling: cooled,
      pool,
      obstacles: [...limits.obstacles, ...cooled.obstacles, ...unconnected, ...unsupplied],
      options: pairs.map((pair) => createSupplyOption(pair, { shared, paths, outletUses, wanted })),
    });
  }
  return { topology, request: wanted, state, phases: new PhaseLimits(state, wanted), ports, candidates };
}

async function computeCarriedLoads(topology: Topology, basis: LoadBasis, pauses: Pauses): Promise<CarriedLoads> {
  await pauses.run(topology.judge(basis));
  return topology.computeCarriedLoads(basis);
}

interface SupplyOptionInput {
  readonly shared: readonly LimitUse[];
  readonly paths: SupplyPaths;
  readonly outletUses: ReturnType<typeof createOutletUses>;
  readonly wanted: PlacementRequest;
}

function createSupplyOption(pair: SupplyPair, { shared, paths, outletUses, wanted }: SupplyOptionInput): SupplyOption {
  return {
    pair,
    uses: [...shared, ...outletUses(pair), ...listPathUses(pair, paths, wanted)],
    feedKey: pair.map(({ tap }) => tap.upstream).join("+"),
  };
}

/** Creates a function that returns the uses of free outlets by one device. Each tap has one limit. */
function createOutletUses({ inlets: requested }: PlacementRequest): (pair: SupplyPair) => readonly LimitUse[] {
  const limits = new Map<SupplyTap, Limit>();
  return (pair) =>
    pair.flatMap(({ tap, inlets }): readonly LimitUse[] => {
      const { outlets, device } = tap;
      if (outlets === undefined) return [];
      const limit = limits.getOrInsertComputed(tap, () => {
        const free = outlets.filter(({ port }) => requested.some(({ type }) => acceptsPlug(port, type))).length;
        const ref = `device:${device.code}`;
        return new Limit({ reason: "NO_OUTLET", ref, unit: "free outlets", capacity: free, maxUse: free, used: 0 });
      });
      return [{ limit, each: inlets.length }];
    });
}

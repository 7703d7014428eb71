import type { BlastOptions, Impact } from "../power/blast_radius.ts";
import { MAX_TRIP_STEPS } from "../power/cascade.ts";
import { COUNTS, type CompactGraph, EDGE } from "./compact_graph.ts";
import { withCooling } from "./cooling_elements.ts";
import { FailureState, type SiteState } from "./failure_state.ts";
import type { Element, Outcome, Overloaded, Tripped } from "./outcome.ts";
import { RACK, RackTally } from "./rack_tally.ts";

const NO_TRIPS: readonly Tripped[] = [];
const NO_KEYS: readonly string[] = [];

/**
 * Tries failures one after the other: applies, counts and undoes each. The result equals that of `slowFailure`; a law
 * compares them. Elements upstream or downstream of cycles of supply must be left to `slowFailure`.
 */
export class FailureSweep {
  readonly #graph: CompactGraph;
  readonly #state: FailureState;
  readonly #options: BlastOptions;
  readonly #racks: RackTally;
  /** Number of the count that met a node last: as weaker, as dark without batteries, as an IT device that is off. */
  readonly #weakIn: Uint32Array;
  readonly #darkIn: Uint32Array;
  readonly #leftIn: Uint32Array;
  readonly #goneIn: Uint32Array;
  readonly #left: Int32Array;
  #peaks: Float64Array | undefined;
  #count = 0;

  constructor(graph: CompactGraph, before: SiteState) {
    this.#graph = graph;
    this.#options = before.options;
    this.#state = new FailureState(graph, before);
    this.#racks = new RackTally(graph, before.live);
    this.#weakIn = new Uint32Array(graph.size);
    this.#darkIn = new Uint32Array(graph.size);
    this.#leftIn = new Uint32Array(graph.size);
    this.#goneIn = new Uint32Array(graph.size);
    this.#left = new Int32Array(graph.size);
  }

  /** Fails elements together, and leaves everything as it was before. */
  fail(elements: readonly Element[]): Outcome {
    this.#count += 1;
    const sources = elements.map(({ index }) => index);
    const { darkBefore, direct, overloads, trips } = this.#spread(sources);
    const { impact, offline, degraded, keys } = this.#counted(sources);
    this.#state.undo();
    const { racksDark, racksPartial, racksProtected } = keys;
    return {
      elements,
      impact: withCooling(this.#graph.graph, impact, elements),
      direct,
      offline,
      degraded,
      racksDark,
      racksPartial,
      racksProtected,
      racksDarkByTrip: darkBefore === undefined ? NO_KEYS : racksDark.filter((key) => !darkBefore.has(key)),
      trips,
      overloads,
    };
  }

  /** Fails one element and notes everything that its cascade touches. */
  footprint({ index }: Element): Footprint {
    const state = this.#state;
    this.#peaks ??= new Float64Array(this.#graph.size);
    state.peaks = this.#peaks;
    this.#spread([index]);
    const rises = new Map<number, number>();
    for (const at of state.changed) {
      const rise = this.#peaks[at] as number;
      if (rise > 0 && (this.#graph.capacityW[at] as number) > 0) rises.set(at, rise);
    }
    const made = { reached: state.reached, changed: state.changed, rises };
    state.undo();
    state.peaks = undefined;
    return made;
  }

  /** Applies a failure and, if asked, its cascade. */
  #spread(sources: readonly number[]) {
    const state = this.#state;
    let overloads = state.lose(sources);
    const direct = state.dark.slice();
    let due = this.#options.cascade ? overloads.filter(wouldTrip) : [];
    if (due.length === 0) return { direct, overloads, trips: NO_TRIPS, darkBefore: undefined };
    const darkBefore = new Set(this.#darkRacks(sources));
    const trips: Tripped[] = [];
    for (let step = 0; due.length > 0 && step < MAX_TRIP_STEPS; step += 1) {
      for (const trip of due) trips.push(tripped(trip));
      overloads = state.lose(due.map(({ index }) => index));
      due = overloads.filter(wouldTrip);
    }
    return { direct, overloads, trips, darkBefore };
  }

  #counted(sources: readonly number[]) {
    const { counts } = this.#graph;
    const { dark } = this.#state;
    const isSource = (index: number) => sources.includes(index);
    const offline = dark.filter((index) => counts[index] !== COUNTS.NOTHING && !isSource(index));
    const onBattery = this.#options.assumeBattery ? this.#onBattery() : [];
    const isCarried = onBattery.length === 0 ? undefined : new Set(onBattery);
    const weaker = this.#weaker();
    const degraded = isCarried === undefined ? weaker : weaker.filter((index) => !isCarried.has(index));
    const racks = this.#rackStates(sources, [offline, onBattery, degraded]);
    return { impact: this.#impact(offline, degraded, racks), offline, degraded, keys: racks.keys };
  }

  #impact(offline: readonly number[], degraded: readonly number[], racks: RackCounts): Impact {
    const { counts, coolingKw } = this.#graph;
    let [it, power, cracs, coolingLostKw, devicesDegraded] = [0, 0, 0, 0, 0];
    for (const index of offline) {
      if (counts[index] === COUNTS.IT) {
        it += 1;
        this.#goneIn[index] = this.#count;
      } else if (counts[index] === COUNTS.POWER) power += 1;
      else {
        cracs += 1;
        coolingLostKw += coolingKw[index] as number;
      }
    }
    for (const index of degraded) if (counts[index] !== COUNTS.CRAC) devicesDegraded += 1;
    const minRideThroughS = this.#rideThrough();
    return {
      racksDark: racks.keys.racksDark.length,
      racksPartial: racks.keys.racksPartial.length,
      racksProtected: racks.keys.racksProtected.length,
      devicesOffline: it + power,
      itDevicesOffline: it,
      powerDevicesOffline: power,
      cracsOffline: cracs,
      devicesDegraded,
      devicesUndocumented: racks.undocumented,
      itLoadLostW: it === 0 ? 0 : this.#lostDraw(offline),
      coolingLostKw,
      ...(minRideThroughS !== undefined && { minRideThroughS }),
    };
  }

  /**
   * Draw of the IT devices that go offline; a blade's draw is part of the measured draw of a chassis that goes offline
   * too.
   */
  #lostDraw(offline: readonly number[]): number {
    const { counts, drawW, inAt, from, how, measuresBlades } = this.#graph;
    let sum = 0;
    for (const index of offline) {
      if (counts[index] !== COUNTS.IT) continue;
      const first = inAt[index] as number;
      const hasInlet = first < (inAt[index + 1] as number);
      const chassis = hasInlet && ((how[first] as number) & EDGE.BAY) !== 0 ? (from[first] as number) : -1;
      if (chassis >= 0 && this.#goneIn[chassis] === this.#count && measuresBlades[chassis] === 1) continue;
      sum += drawW[index] as number;
    }
    return sum;
  }

  /** The shortest battery time of the UPSes that lost their supply and neither failed nor tripped. */
  #rideThrough(): number | undefined {
    const { runtimeS } = this.#graph;
    const { reached, liveInlets, before } = this.#state;
    let shortest: number | undefined;
    for (const index of reached) {
      const runtime = runtimeS[index] as number;
      if (runtime < 0 || liveInlets[index] !== 0 || before.live[index] !== 1 || this.#state.isRemoved(index)) continue;
      shortest = Math.min(shortest ?? runtime, runtime);
    }
    return shortest;
  }

  /** Live devices and cooling units that lost a live inlet, and those whose live inlets all depend on such. */
  #weaker(): readonly number[] {
    const { outAt, outEdge, to, counts } = this.#graph;
    const { live, reached } = this.#state;
    const found = reached.filter((index) => live[index] === 1);
    for (const index of found) this.#weakIn[index] = this.#count;
    // The array grows while it is walked, so it is the queue as well.
    for (const index of found) {
      const end = outAt[index + 1] as number;
      for (let out = outAt[index] as number; out < end; out += 1) {
        const edge = outEdge[out] as number;
        const consumer = to[edge] as number;
        if (this.#weakIn[consumer] === this.#count || live[consumer] !== 1 || !this.#weakens(edge)) continue;
        this.#weakIn[consumer] = this.#count;
        found.push(consumer);
      }
    }
    return found.filter((index) => counts[index] !== COUNTS.NOTHING);
  }

  #weakens(edge: number): boolean {
    const { how, to, inAt, from } = this.#graph;
    const bits = how[edge] as number;
    if ((bits & EDGE.GATE) !== 0) return true;
    // An outlet that is bound to an inlet is as good as the source of that one.
    if ((bits & EDGE.THROUGH) !== 0) return false;
    const consumer = to[edge] as number;
    const end = inAt[consumer + 1] as number;
    for (let at = inAt[consumer] as number; at < end; at += 1) {
      const source = from[at] as number;
      if (this.#state.live[source] === 1 && this.#weakIn[source] !== this.#count) return false;
    }
    return true;
  }

  /** The nodes that would be de-energized without batteries. */
  #onBattery(): readonly number[] {
    const { outAt, outEdge, to, need, counts } = this.#graph;
    const { live, dark, before, inletsBefore } = this.#state;
    const all = dark.filter((index) => this.#state.isRemoved(index));
    for (const index of all) this.#darkIn[index] = this.#count;
    // The array grows while it is walked, so it is the queue as well.
    for (const index of all) {
      const end = outAt[index + 1] as number;
      for (let out = outAt[index] as number; out < end; out += 1) {
        const consumer = to[outEdge[out] as number] as number;
        const known = this.#leftIn[consumer] === this.#count ? this.#left[consumer] : inletsBefore[consumer];
        const left = (known as number) - 1;
        this.#leftIn[consumer] = this.#count;
        this.#left[consumer] = left;
        if (this.#darkIn[consumer] === this.#count || before.live[consumer] !== 1 || left >= (need[consumer] as number))
          continue;
        this.#darkIn[consumer] = this.#count;
        all.push(consumer);
      }
    }
    return all.filter((index) => live[index] === 1 && counts[index] !== COUNTS.NOTHING);
  }

  #darkRacks(sources: readonly number[]): readonly string[] {
    const { counts } = this.#graph;
    const offline = this.#state.dark.filter((index) => counts[index] !== COUNTS.NOTHING && !sources.includes(index));
    return this.#rackStates(sources, [offline]).keys.racksDark;
  }

  #rackStates(sources: readonly number[], hits: readonly (readonly number[])[]): RackCounts {
    const racks = this.#racks;
    const graph = this.#graph;
    for (const index of sources) racks.fail(index, this.#state.before.live[index] === 1);
    for (const index of this.#state.dark) racks.darken(index, sources.includes(index));
    for (const list of hits) for (const index of list) racks.hit(index);
    if (racks.noted.length === 0) return NO_RACKS;
    const keys = { racksDark: [] as string[], racksPartial: [] as string[], racksProtected: [] as string[] };
    let undocumented = 0;
    for (const rack of racks.noted) {
      const state = racks.stateOf(rack);
      if (state === RACK.UNTOUCHED) continue;
      undocumented += racks.undocumented[rack] as number;
      const list =
        state === RACK.DARK ? keys.racksDark : state === RACK.PARTIAL ? keys.racksPartial : keys.racksProtected;
      list.push(graph.rackKeys[rack] ?? "");
    }
    racks.clear();
    return { keys, undocumented };
  }
}

/** Nodes that the failure of one element affects, in every step of its cascade. */
export interface Footprint {
  /** Nodes that go dark, and those that lose an inlet. */
  readonly reached: readonly number[];
  /** Nodes whose loads follow: these and everything upstream. */
  readonly changed: readonly number[];
  /** How far the loads of nodes with a capacity rise, in watts. */
  readonly rises: ReadonlyMap<number, number>;
}

interface RackCounts {
  readonly keys: Pick<Outcome, "racksDark" | "racksPartial" | "racksProtected">;
  readonly undocumented: number;
}

const NO_RACKS: RackCounts = {
  keys: { racksDark: NO_KEYS, racksPartial: NO_KEYS, racksProtected: NO_KEYS },
  undocumented: 0,
};

function wouldTrip({ severity }: Overloaded): boolean {
  return severity === "WOULD_TRIP";
}

function tripped({ index, ref, loadBeforeW, loadAfterW: loadW, capacityW, utilizationPct }: Overloaded): Tripped {
  return { index, ref, loadBeforeW, loadW, capacityW, utilizationPct };
}

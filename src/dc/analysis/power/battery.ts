import { type FailureOptions, FailureState, type SiteState } from "./failure_state.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";

/**
 * Minutes that the battery of a UPS lasts at a load: its time at rated load, scaled to the load. Batteries last longer
 * than that below their rated load. Undefined without a recorded time and capacity, and without a load.
 */
export function batteryMinutes(node: PowerNode | undefined, loadW: number): number | undefined {
  if (node?.kind !== "DEVICE" || node.device.kind !== "UPS") return undefined;
  const { runtimeS, capacityW } = node.device.power ?? {};
  if (runtimeS === undefined || capacityW === undefined || loadW <= 0) return undefined;
  return (runtimeS * capacityW) / loadW / 60;
}

const RUNTIMES = new WeakMap<PowerGraph, readonly number[]>();

/** The recorded battery times of a graph in seconds, each once, the shortest first. Found once for each graph. */
function runtimesOf(graph: PowerGraph): readonly number[] {
  const known = RUNTIMES.get(graph);
  if (known !== undefined) return known;
  const found = new Set<number>();
  for (const node of graph.nodes) {
    const runtimeS = node.kind === "DEVICE" ? (node.device.power?.runtimeS ?? 0) : 0;
    if (runtimeS > 0) found.add(runtimeS);
  }
  const sorted = [...found].sort((a, b) => a - b);
  RUNTIMES.set(graph, sorted);
  return sorted;
}

/** Which batteries carry for a time: the same options for all times in which the same ones do. @param durationS seconds */
export function batteriesFor(graph: PowerGraph, durationS: number): Pick<FailureOptions, "assumeBattery" | "batteryS"> {
  const runtimes = runtimesOf(graph);
  const least = runtimes.find((runtimeS) => runtimeS >= durationS);
  if (least === undefined) return { assumeBattery: false };
  return { assumeBattery: true, ...(least !== runtimes[0] && { batteryS: least }) };
}

/** Seconds by which sums of loads in another order change a time at most. */
const ROUNDING_S = 1e-6;

/** Finds how long batteries last at the loads that they carry once a failure has taken their supply. */
export class RideThrough {
  readonly #site: Omit<SiteState, "options">;
  readonly #options: SiteState["options"];
  /** In which all batteries carry. Made for the first failure that takes the supply of one. */
  #carried: FailureState | undefined;

  constructor({ options: { basis }, ...site }: SiteState) {
    this.#site = site;
    this.#options = { basis, assumeBattery: true };
  }

  /**
   * The shortest time in seconds before anything trips, of the UPSes with a recorded capacity that run on their batteries.
   *
   * @param ratedS the shortest time at rated load
   * @param sources nodes that fail together
   * @returns undefined without such a UPS, or without loads
   *
   * Cost: nothing if no supply is lost; otherwise that of a failure, and at first copies of arrays of all nodes.
   */
  shortestS(ratedS: number | undefined, sources: readonly number[], isCircular: boolean): number | undefined {
    if (ratedS === undefined || ratedS === 0) return ratedS;
    this.#carried ??= new FailureState({ ...this.#site, options: this.#options });
    const state = this.#carried;
    const { graph, live } = state.before;
    state.isCircular = isCircular;
    state.follow(state.spread(sources));
    let shortest: number | undefined;
    for (const index of state.reached) {
      if (state.inletsLeft(index) !== 0 || live[index] !== 1 || !state.carriesOn(index)) continue;
      const minutes = batteryMinutes(graph.nodes[index], state.loads.after.watts[index] ?? 0);
      if (minutes !== undefined)
        shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, Math.floor(minutes * 60 + ROUNDING_S));
    }
    state.undo();
    return shortest;
  }
}

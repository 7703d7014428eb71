import { type FailureOptions, FailureState, type SiteState } from "./failure_state.ts";
import { getBatteryRuntimeS, type PowerGraph, type PowerNode } from "./power_nodes.ts";

/**
 * Returns the minutes that a UPS battery lasts at a load: its recorded time at rated load, scaled to the load. This
 * underestimates the time below the rated load. Undefined without a recorded time and capacity, or without a load.
 */
export function computeBatteryMinutes(node: PowerNode | undefined, loadW: number): number | undefined {
  if (node?.kind !== "DEVICE" || node.device.kind !== "UPS") return undefined;
  const { runtimeS, capacityW } = node.device.power ?? {};
  if (runtimeS === undefined || capacityW === undefined || loadW <= 0) return undefined;
  return (runtimeS * capacityW) / loadW / 60;
}

const runtimesByGraph = new WeakMap<PowerGraph, readonly number[]>();

/** Returns a graph's distinct recorded battery times in seconds, ascending. Caches the result per graph. */
function listBatteryRuntimes(graph: PowerGraph): readonly number[] {
  return runtimesByGraph.getOrInsertComputed(graph, () => {
    const found = new Set(graph.nodes.flatMap((node) => getBatteryRuntimeS(node) || []));
    return [...found].sort((a, b) => a - b);
  });
}

/**
 * Returns failure options in which only batteries that last at least a duration keep their loads on. Durations that
 * select the same batteries get equal options.
 * @param durationS seconds
 */
export function selectBatteryOptions(
  graph: PowerGraph,
  durationS: number,
): Pick<FailureOptions, "assumeBattery" | "batteryS"> {
  const runtimes = listBatteryRuntimes(graph);
  const least = runtimes.find((runtimeS) => runtimeS >= durationS);
  if (least === undefined) return { assumeBattery: false };
  return { assumeBattery: true, ...(least !== runtimes[0] && { batteryS: least }) };
}

/** Maximum error of a time in seconds, because the order of summing loads changes their rounding. */
const TIME_ROUNDING_S = 1e-6;

/** Computes how long batteries last at the loads that they carry after a failure has cut their supply. */
export class BatteryRideThrough {
  readonly #siteBefore: Omit<SiteState, "options">;
  readonly #options: SiteState["options"];
  /** Failure state with all battery loads kept on. Created for the first failure that cuts a battery's supply. */
  #batteryState: FailureState | undefined;

  constructor({ options: { basis }, ...site }: SiteState) {
    this.#siteBefore = site;
    this.#options = { basis, assumeBattery: true };
  }

  /**
   * Returns the shortest battery time in seconds among UPSes with a recorded capacity that run on battery before
   * anything trips.
   *
   * @param ratedS the shortest time at rated load
   * @param sources nodes that fail together
   * @returns undefined without such a UPS, or without loads
   *
   * Cost: nothing if no supply is lost; otherwise that of a failure, and at first copies of arrays of all nodes.
   */
  computeShortestS(ratedS: number | undefined, sources: readonly number[], isCircular: boolean): number | undefined {
    if (ratedS === undefined || ratedS === 0) return ratedS;
    this.#batteryState ??= new FailureState({ ...this.#siteBefore, options: this.#options });
    const state = this.#batteryState;
    const { graph, live } = state.before;
    state.isCircular = isCircular;
    state.updateLoads(state.spread(sources));
    let shortest: number | undefined;
    for (const index of state.reachedNodes) {
      if (state.countLiveInlets(index) !== 0 || live[index] !== 1 || !state.isKeptByBattery(index)) continue;
      const minutes = computeBatteryMinutes(graph.nodes[index], state.loads.after.watts[index] ?? 0);
      if (minutes !== undefined)
        shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, Math.floor(minutes * 60 + TIME_ROUNDING_S));
    }
    state.restoreState();
    return shortest;
  }
}

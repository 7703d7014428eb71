import type { PowerEdge } from "../power/power_edge.ts";
import type { CarriedLoads } from "../power/power_findings.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import type { KillerList } from "../power/power_killers.ts";
import type { LiveSet } from "../power/power_live.ts";
import { computeComparableLoad } from "../power/power_overloads.ts";
import { computeInletShare } from "../power/power_share.ts";
import { Limit, type LimitUse } from "./limits.ts";
import type { PlannedLoads } from "./planned_loads.ts";
import type { PlacementRequest } from "./wanted.ts";

/** Watts that one watt drawn downstream adds, by upstream node; 0 for nodes that are only required to be live. */
export type UpstreamLoads = ReadonlyMap<number, number>;

/** Limits of one upstream element. */
interface ElementLimits {
  /** Limit of the load with all sides live. */
  readonly now: Limit;
  /** Limit of the largest load after any single failure. */
  readonly alone: Limit;
}

/** Inlets of a device that draw from one tap. */
export interface SuppliedInlets {
  readonly path: UpstreamLoads;
  /** Share of the device's inlets that draw from the tap. */
  readonly part: number;
  readonly killers: KillerList;
}

export interface SupplyLoadState {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  /** Loads now and after one failure by allocated draws, as the write rules compute them. */
  readonly carried: CarriedLoads;
  /** Loads by another requested basis. */
  readonly also?: CarriedLoads;
  readonly planned: PlannedLoads;
}

/** Computes the load that devices add upstream of a source, and the limits of the upstream elements. */
export class SupplyPaths {
  readonly #state: SupplyLoadState;
  readonly #wanted: PlacementRequest;
  readonly #limits = new Map<number, ElementLimits | undefined>();

  constructor(state: SupplyLoadState, wanted: PlacementRequest) {
    this.#state = state;
    this.#wanted = wanted;
  }

  /**
   * Returns the loads upstream of a device.
   *
   * @param through inlet by which the watts arrive, if the outlet is bound to one
   * @returns undefined if the supply has a cycle
   */
  computeUpstreamLoads(device: number, through?: string): UpstreamLoads | undefined {
    const path = new Map<number, number>();
    const steps: { readonly index: number; readonly share: number; readonly through?: string | undefined }[] = [
      { index: device, share: 1, through },
    ];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      if (this.#state.planned.circularNodes.has(step.index)) return undefined;
      path.set(step.index, (path.get(step.index) ?? 0) + step.share);
      for (const edge of this.#state.graph.inlets.listEdges(step.index)) {
        const share = edge.how === "GATE" ? 0 : step.share * this.#computePathShare(edge, step.through);
        steps.push({ index: edge.from, share, through: edge.through });
      }
    }
    return path;
  }

  #computePathShare(edge: PowerEdge, through: string | undefined): number {
    const { graph, live } = this.#state;
    const node = graph.nodes[edge.to];
    if (node?.kind === "OUTLET" || edge.how === "BAY") return 1;
    if (through !== undefined) return edge.inlet === through ? 1 : 0;
    return live[edge.from] === 1 ? computeInletShare(graph, live, graph.edges.getEdgeNumber(edge)) : 0;
  }

  /** Returns the use of every limit upstream of a device's inlets. */
  listUses(sides: readonly SuppliedInlets[]): readonly LimitUse[] {
    const parts = new Map<number, number>();
    for (const { path, part } of sides) {
      for (const [index, share] of path) parts.set(index, (parts.get(index) ?? 0) + share * part);
    }
    const isChained = sides.length > 1 && sides.every(({ path }) => this.#isChain(path));
    const found: LimitUse[] = [];
    for (const [index, part] of parts) {
      const limits = this.#findLimits(index);
      if (limits === undefined) continue;
      const draw = this.#getDeviceDraw(index);
      // An element carries the whole device after a failure that turns off all other inlets of the device.
      const least = this.#doesWorstLossMoveAll(index, sides) ? draw : draw * part;
      const losses = isChained ? listWholeDeviceLosses(index, sides) : undefined;
      const alone =
        losses === undefined ? { each: draw } : { each: draw * part, after: { losses, more: draw * (1 - part) } };
      found.push({ limit: limits.now, each: draw * part }, { limit: limits.alone, ...alone, least });
    }
    return found;
  }

  /** Whether power has only one path upstream, so that a loss moves no load to other upstream elements. */
  #isChain(path: UpstreamLoads): boolean {
    const { inlets } = this.#state.graph;
    return [...path.keys()].every((index) => inlets.listEdges(index).filter(({ how }) => how !== "GATE").length < 2);
  }

  #doesWorstLossMoveAll(index: number, sides: readonly SuppliedInlets[]): boolean {
    const lost = this.#state.carried.failover.lost[index] ?? -1;
    return lost >= 0 && sides.every(({ path, killers }) => killers.includes(lost) !== path.has(index));
  }

  /** Returns the draw of a device in the unit of an element's capacity. */
  #getDeviceDraw(index: number): number {
    const { drawW, powerFactor } = this.#wanted;
    return this.#state.graph.nodes[index]?.kind === "OUTLET" ? drawW / powerFactor : drawW;
  }

  #findLimits(index: number): ElementLimits | undefined {
    return this.#limits.getOrInsertComputed(index, () => this.#createLimits(index));
  }

  #createLimits(index: number): ElementLimits | undefined {
    const { graph, carried, also, planned } = this.#state;
    const { keep, allowExisting } = this.#wanted;
    const { ref = "", capacityW: capacity = 0, maxUtilizationPct = 0, kind } = graph.nodes[index] ?? {};
    if (capacity <= 0) return undefined;
    const unit = kind === "OUTLET" ? "VA" : "W";
    const all = also === undefined ? [carried] : [carried, also];
    const now = Math.max(...all.map(({ loads }) => computeComparableLoad(graph, index, loads)));
    const used = now + (planned.distributedLoads[index] ?? 0);
    const later = planned.sumFullDraws(index);
    const worst = Math.max(...all.map(({ failover }) => failover.loads[index] ?? 0));
    const alone = worst + (kind === "OUTLET" ? later.voltAmperes : later.watts);
    const limit = (capacity * maxUtilizationPct) / 100;
    const warns = { now: used > limit, alone: alone > capacity };
    // If the request accepts warnings, a supply that has one may be loaded up to its rating, beyond which it trips.
    const most = warns.now && allowExisting ? capacity : limit * (1 - keep);
    const mostAlone = warns.alone && allowExisting ? Number.POSITIVE_INFINITY : capacity * (1 - keep);
    return {
      now: new Limit({ reason: "SUPPLY_LIMIT", ref, unit, capacity, maxUse: most, used }),
      alone: new Limit({ reason: "SUPPLY_FAILOVER", ref, unit, capacity, maxUse: mostAlone, used: alone }),
    };
  }
}

/** Lists losses that turn off all inlets of a device except those downstream of one element, which then carries it. */
function listWholeDeviceLosses(index: number, sides: readonly SuppliedInlets[]): readonly number[] {
  const own = sides.filter(({ path }) => path.has(index));
  const others = sides.filter(({ path }) => !path.has(index));
  const [first, ...more] = others;
  return (first?.killers ?? []).filter(
    (loss) => more.every(({ killers }) => killers.includes(loss)) && !own.some(({ killers }) => killers.includes(loss)),
  );
}

import type { PhaseLeg } from "#dc/model/enum_values.ts";
import { computeLegShare } from "../power/load_lanes.ts";
import { Limit, type LimitUse } from "./limits.ts";
import type { SupplyLoadState, UpstreamLoads } from "./supply_paths.ts";
import type { PlacementRequest } from "./wanted.ts";

const PHASES = ["A", "B", "C"] as const;

/** Limits of one phase of a three-phase outlet, in volt-amperes. */
interface PhaseLimit {
  readonly now: Limit;
  readonly alone: Limit;
}

/** Limits of three-phase breakers, by phase if outlets record their phases. */
export class PhaseLimits {
  readonly #state: SupplyLoadState;
  readonly #wanted: PlacementRequest;
  readonly #limits = new Map<number, readonly PhaseLimit[]>();

  constructor(state: SupplyLoadState, wanted: PlacementRequest) {
    this.#state = state;
    this.#wanted = wanted;
  }

  /** Returns the use of the upstream phases by a device's inlet, whose share of the device's draw is `part`. */
  listUses(path: UpstreamLoads, leg: PhaseLeg | undefined, part: number): readonly LimitUse[] {
    if (this.#state.carried.loads.phasesVa === undefined) return [];
    const voltAmperes = this.#wanted.drawW / this.#wanted.powerFactor;
    const found: LimitUse[] = [];
    for (const [index, share] of path) {
      for (const [at, { now, alone }] of this.#findLimits(index).entries()) {
        // Without a leg, all phases carry the same share.
        const conducts = leg === undefined ? 1 / 3 : computeLegShare(leg, at);
        if (conducts === 0) continue;
        const each = voltAmperes * conducts;
        found.push({ limit: now, each: each * share * part }, { limit: alone, each });
      }
    }
    return found;
  }

  #findLimits(index: number): readonly PhaseLimit[] {
    return this.#limits.getOrInsertComputed(index, () => this.#createLimits(index));
  }

  #createLimits(index: number): readonly PhaseLimit[] {
    const node = this.#state.graph.nodes[index];
    if (node?.kind !== "OUTLET" || !node.isThreePhase || (node.capacityW ?? 0) <= 0) return [];
    const capacity = (node.capacityW ?? 0) / 3;
    const { keep, allowExisting } = this.#wanted;
    const { carried, also, planned } = this.#state;
    // The load that is compared with the limit is three times that of the busiest phase.
    const all = also === undefined ? [carried] : [carried, also];
    const alone =
      Math.max(...all.map(({ failover }) => failover.loads[index] ?? 0)) / 3 + planned.sumFullDraws(index).voltAmperes;
    const limit = (capacity * node.maxUtilizationPct) / 100;
    return PHASES.map((_, phase) => {
      const used =
        Math.max(...all.map(({ loads }) => loads.phasesVa?.[3 * index + phase] ?? 0)) +
        (planned.distributedLoads[index] ?? 0);
      const shared = { reason: "PHASE_LIMIT" as const, ref: node.ref, unit: "VA", capacity };
      const most = allowExisting && used > limit ? capacity : limit * (1 - keep);
      const mostAlone = allowExisting && alone > capacity ? Number.POSITIVE_INFINITY : capacity * (1 - keep);
      return {
        now: new Limit({ ...shared, maxUse: most, used }),
        alone: new Limit({ ...shared, maxUse: mostAlone, used: alone }),
      };
    });
  }
}

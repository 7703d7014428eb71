import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Crac } from "#dc/model/resources.ts";
import type { DeviceOf } from "../fabric_tiers.ts";
import type { Topology } from "../topology.ts";
import { FabricWatch } from "./fabric_loss.ts";
import type { Failure, Outcome } from "./outcome.ts";
import { ZoneWatch } from "./zone_shortage.ts";

/** Adds to an outcome what it does to cooling and fabrics. */
export class FurtherEffects {
  readonly #topology: Topology;
  readonly zones: ZoneWatch;
  readonly fabrics: FabricWatch;

  constructor(topology: Topology, deviceOf: DeviceOf, basis: LoadBasis) {
    this.#topology = topology;
    this.zones = new ZoneWatch(topology, basis);
    this.fabrics = new FabricWatch(topology, deviceOf);
  }

  of(outcome: Outcome): Failure {
    const off = [...outcome.elements.map(({ index }) => index), ...outcome.offline];
    return { ...outcome, zones: this.zones.after(this.#cracsOf(off), off), ...this.fabrics.after(off) };
  }

  /** Names of everything by which the effects of two failures may meet. */
  meetingOf({ elements, offline }: Outcome): readonly string[] {
    const off = [...elements.map(({ index }) => index), ...offline];
    return [
      ...this.zones.concernedBy(this.#cracsOf(off)).map((key) => `zone ${key}`),
      ...this.fabrics.lowerEnds(off).map((index) => `switch ${index}`),
    ];
  }

  #cracsOf(indexes: readonly number[]): readonly Crac[] {
    return indexes.flatMap((index): readonly Crac[] => {
      const node = this.#topology.power.nodes[index];
      return node?.kind === "CRAC" ? [node.crac] : [];
    });
  }
}

import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Redundancy } from "#dc/model/enum_values.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import type { PowerGraph } from "./power_graph.ts";
import { KillerSets, worstLoss } from "./power_killers.ts";
import { isConsumer } from "./power_nodes.ts";

/** UNKNOWN: the record proves neither that a demand is met nor that it is not. */
export type Provision = "MET" | "UNMET" | "UNKNOWN";

/** Difference between the supply of a device and its required redundancy. */
export interface RedundancyVerdict {
  readonly code: string;
  readonly required: Redundancy;
  /** Assuming that everything temporarily off or failed works. */
  readonly asBuilt: Provision;
  readonly now: Provision;
}

/** Judges supplies against demands, as built and now. Source: docs/contract/datacenter-analyses.md#p5. */
export class RedundancyAudit {
  readonly #graph: PowerGraph;
  readonly #asBuilt: KillerSets;
  /** As things are now. */
  readonly now: KillerSets;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#asBuilt = new KillerSets(graph, "AS_BUILT");
    this.now = new KillerSets(graph, "NOW");
  }

  /**
   * Verdicts on those of a rack's devices in service of which anything is demanded: by the device itself, else by its rack,
   * whose demand is meant for consumers.
   *
   * @param rack undefined for devices in no rack
   */
  verdicts(rack: Rack | undefined, devices: readonly Device[]): readonly RedundancyVerdict[] {
    return devices.flatMap((device): RedundancyVerdict[] => {
      const index = this.#graph.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
      const required = this.#requiredOf(rack, index);
      if (required === undefined || required === "NONE") return [];
      return [
        {
          code: device.code,
          required,
          asBuilt: this.#provision(required, index, this.#asBuilt),
          now: this.#provision(required, index, this.now),
        },
      ];
    });
  }

  #requiredOf(rack: Rack | undefined, index: number): Redundancy | undefined {
    const node = this.#graph.nodes[index];
    if (node?.kind !== "DEVICE" || node.blocked) return undefined;
    const { device, recorded, unrecorded } = node;
    // A root has no supply that could be redundant.
    if (isPowerKind(device.kind))
      return recorded + unrecorded.length === 0 ? undefined : device.power?.requiredRedundancy;
    if (!isConsumer(node)) return undefined;
    return device.power?.requiredRedundancy ?? rack?.requiredRedundancy;
  }

  /** A blade is supplied as its chassis is. */
  #provision(required: Redundancy, index: number, killers: KillerSets): Provision {
    const first = this.#graph.inlets.first(index);
    const at = first?.how === "BAY" ? first.from : index;
    const node = this.#graph.nodes[at];
    if (node?.kind !== "DEVICE" || node.recorded === 0) return "UNKNOWN";
    const inlets = killers.ofInlets(at);
    const unrecorded = node.unrecorded.length;
    const need = node.device.power?.minLiveInlets ?? 1;
    if (required === "N") return killers.safely(at) === undefined ? "UNMET" : "MET";
    // One loss takes at least one inlet, if only by its own source.
    const lost = required === "TWO_N" ? Math.max(1, worstLoss(inlets)) : 1;
    if (inlets.length - lost >= need) return "MET";
    return unrecorded > 0 && inlets.length + unrecorded - lost >= need ? "UNKNOWN" : "UNMET";
  }
}

/** Whether a verdict is that a demand is not met, for now or as built. */
export function isUnmet({ asBuilt, now }: RedundancyVerdict): boolean {
  return asBuilt === "UNMET" || (asBuilt === "MET" && now !== "MET");
}

/** Whether the record proves neither that a demand is met nor that it is not. */
export function isUnproven(verdict: RedundancyVerdict): boolean {
  return verdict.asBuilt === "UNKNOWN" && !isUnmet(verdict);
}

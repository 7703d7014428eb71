import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Redundancy } from "#dc/model/enum_values.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import type { PowerGraph } from "./power_graph.ts";
import { countWorstLostInlets, KillerSets } from "./power_killers.ts";
import { isConsumer } from "./power_nodes.ts";

/** Whether required redundancy is met. UNKNOWN: the record proves neither that it is met nor that it is unmet. */
export type RedundancyProvision = "MET" | "UNMET" | "UNKNOWN";

/** Whether the supply of a device meets its required redundancy. */
export interface RedundancyVerdict {
  readonly code: string;
  readonly required: Redundancy;
  /** Result if everything that is temporarily off or failed worked. */
  readonly asBuilt: RedundancyProvision;
  readonly now: RedundancyProvision;
}

/** Compares supplies, as built and now, with required redundancy. Source: docs/contract/datacenter-analyses.md#p5. */
export class RedundancyAudit {
  readonly #graph: PowerGraph;
  readonly #killersAsBuilt: KillerSets;
  /** Single losses that turn nodes off in the present state. */
  readonly killersNow: KillerSets;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#killersAsBuilt = new KillerSets(graph, "AS_BUILT");
    this.killersNow = new KillerSets(graph, "NOW");
  }

  /**
   * Returns verdicts on those devices in service of a rack that require redundancy. A device's own requirement precedes
   * the requirement of its rack, which applies to consumers only.
   * @param rack undefined for devices in no rack
   */
  listVerdicts(rack: Rack | undefined, devices: readonly Device[]): readonly RedundancyVerdict[] {
    return devices.flatMap((device): RedundancyVerdict[] => {
      const index = this.#graph.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
      const required = this.#findRequirement(rack, index);
      if (required === undefined || required === "NONE") return [];
      return [
        {
          code: device.code,
          required,
          asBuilt: this.#judgeProvision(required, index, this.#killersAsBuilt),
          now: this.#judgeProvision(required, index, this.killersNow),
        },
      ];
    });
  }

  #findRequirement(rack: Rack | undefined, index: number): Redundancy | undefined {
    const node = this.#graph.nodes[index];
    if (node?.kind !== "DEVICE" || node.blocked) return undefined;
    const { device, recorded, unrecorded } = node;
    // A root has no supply, so redundancy does not apply to it.
    if (isPowerKind(device.kind))
      return recorded + unrecorded.length === 0 ? undefined : device.power?.requiredRedundancy;
    if (!isConsumer(node)) return undefined;
    return device.power?.requiredRedundancy ?? rack?.requiredRedundancy;
  }

  /** Returns whether a node meets a requirement. A blade is judged by the supply of its chassis. */
  #judgeProvision(required: Redundancy, index: number, killers: KillerSets): RedundancyProvision {
    const first = this.#graph.inlets.getFirstEdge(index);
    const at = first?.how === "BAY" ? first.from : index;
    const node = this.#graph.nodes[at];
    if (node?.kind !== "DEVICE" || node.recorded === 0) return "UNKNOWN";
    const inlets = killers.listInletKillers(at);
    const unrecorded = node.unrecorded.length;
    const need = node.device.power?.minLiveInlets ?? 1;
    if (required === "N") return killers.findKillers(at) === undefined ? "UNMET" : "MET";
    // One loss always turns off at least one inlet: the loss of that inlet's source.
    const lost = required === "TWO_N" ? Math.max(1, countWorstLostInlets(inlets)) : 1;
    if (inlets.length - lost >= need) return "MET";
    return unrecorded > 0 && inlets.length + unrecorded - lost >= need ? "UNKNOWN" : "UNMET";
  }
}

/** Whether a requirement is not met now or as built. */
export function isRedundancyUnmet({ asBuilt, now }: RedundancyVerdict): boolean {
  return asBuilt === "UNMET" || (asBuilt === "MET" && now !== "MET");
}

/** Whether the record proves neither that a requirement is met nor that it is not. */
export function isRedundancyUnproven(verdict: RedundancyVerdict): boolean {
  return verdict.asBuilt === "UNKNOWN" && !isRedundancyUnmet(verdict);
}

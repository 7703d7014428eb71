import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { computeDeratedKw } from "../cooling/cooling_units.ts";
import { getOwnDrawW } from "../power/load_lanes.ts";
import type { PowerGraph, PowerNode } from "../power/power_graph.ts";
import { getNodeOwner } from "../power/power_nodes.ts";
import { hasUnknownDraw } from "../power/unknown_draws.ts";
import { findRackRole } from "../racks/rack_supply.ts";

/** Category under which an offline node is counted. */
export const COUNT_CATEGORY = { NOTHING: 0, IT: 1, POWER: 2, CRAC: 3 } as const;

/** Properties of every node of a power graph that a rehearsal counts, in typed arrays. */
export class NodeTable {
  readonly graph: PowerGraph;
  readonly size: number;
  readonly drawW: Float64Array;
  /** 1 at consumers whose draw is not recorded. */
  readonly isDrawUnknown: Uint8Array;
  readonly coolingKw: Float64Array;
  /** Battery time in seconds; -1 if none is recorded. */
  readonly runtimeS: Float64Array;
  readonly rackRoles: Uint8Array;
  readonly categories: Uint8Array;
  /** Number of the node's rack; -1 for none. */
  readonly rack: Int32Array;
  readonly rackKeys: string[] = [];

  constructor(graph: PowerGraph, basis: LoadBasis) {
    const size = graph.nodes.length;
    this.graph = graph;
    this.size = size;
    this.drawW = new Float64Array(size);
    this.isDrawUnknown = new Uint8Array(size);
    this.coolingKw = new Float64Array(size);
    this.runtimeS = new Float64Array(size).fill(-1);
    this.rackRoles = new Uint8Array(size);
    this.categories = new Uint8Array(size);
    this.rack = new Int32Array(size).fill(-1);
    const racks = new Map<string, number>();
    for (let index = 0; index < size; index += 1) this.#readNode(index, basis, racks);
  }

  #readNode(index: number, basis: LoadBasis, racks: Map<string, number>): void {
    const node = this.graph.nodes[index];
    if (node === undefined) return;
    this.drawW[index] = getOwnDrawW(this.graph, index, basis);
    if (hasUnknownDraw(node)) this.isDrawUnknown[index] = 1;
    if (node.kind === "DEVICE") this.#readDevice(index, node);
    if (node.kind === "CRAC") {
      this.categories[index] = node.crac.status === "PLANNED" ? COUNT_CATEGORY.NOTHING : COUNT_CATEGORY.CRAC;
      this.coolingKw[index] = computeDeratedKw(node.crac);
    }
    const code = getNodeOwner(node)?.rackCode;
    if (code !== undefined) this.rack[index] = this.#assignRackNumber(code, racks);
  }

  #readDevice(index: number, node: Extract<PowerNode, { kind: "DEVICE" }>): void {
    const { device } = node;
    if (!node.blocked) this.categories[index] = isPowerKind(device.kind) ? COUNT_CATEGORY.POWER : COUNT_CATEGORY.IT;
    this.rackRoles[index] = findRackRole(this.graph, index);
    this.runtimeS[index] = device.power?.runtimeS ?? -1;
  }

  #assignRackNumber(code: string, racks: Map<string, number>): number {
    const known = racks.get(code) ?? racks.get(codeKey(code));
    if (known !== undefined) return known;
    const made = this.rackKeys.length;
    this.rackKeys.push(codeKey(code));
    racks.set(codeKey(code), made);
    racks.set(code, made);
    return made;
  }
}

import { codeKey } from "#dc/model/code.ts";
import { isMeasured, isPowerKind } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { deratedKw } from "../cooling/cooling_units.ts";
import type { PowerEdge, PowerGraph, PowerNode } from "../power/power_graph.ts";
import { ownDrawW } from "../power/power_load.ts";
import { isConsumer, isUndocumented } from "../power/power_nodes.ts";
import { drawsFromOne } from "../power/power_share.ts";

/** Role of a node in the state of its rack. */
export const ROLE = { NONE: 0, JUDGED: 1, PDU: 2, UNDOCUMENTED: 3 } as const;
/** Category under which an offline node is counted. */
export const COUNTS = { NOTHING: 0, IT: 1, POWER: 2, CRAC: 3 } as const;
const GATE = 1;
const BAY = 2;
const THROUGH = 4;
export const EDGE = { GATE, BAY, THROUGH } as const;

/**
 * A power graph in typed arrays, so that hundreds of thousands of failures can be tried in a second. Inlets of node i are
 * the edges inAt[i] to inAt[i + 1] in the order of its ports; its supplies are outEdge[outAt[i]] to outEdge[outAt[i + 1]] in
 * the order of the graph, so that sums are equal to the last bit.
 */
export class CompactGraph {
  readonly graph: PowerGraph;
  readonly size: number;
  readonly inAt: Int32Array;
  readonly outAt: Int32Array;
  readonly outEdge: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Of edges: bits of `EDGE`. */
  readonly how: Uint8Array;
  /** Per edge: recorded draw of the inlet in watts, 0 if none is recorded. */
  readonly recordedW: Float64Array;
  /** Per edge with THROUGH: the device's inlet through which the outlet draws; -1 for none. */
  readonly through: Int32Array;
  readonly need: Uint8Array;
  readonly blocked: Uint8Array;
  readonly capacityW: Float64Array;
  readonly limitW: Float64Array;
  readonly drawW: Float64Array;
  readonly coolingKw: Float64Array;
  /** Battery time; -1 if none is recorded. */
  readonly runtimeS: Float64Array;
  readonly isOutlet: Uint8Array;
  /** Whether a node supplies outlets that draw through named inlets. */
  readonly binds: Uint8Array;
  readonly measuresBlades: Uint8Array;
  readonly drawsFromOne: Uint8Array;
  /** The preferred inlet of a transfer switch or UPS; -1 for none. */
  readonly preferred: Int32Array;
  readonly role: Uint8Array;
  readonly counts: Uint8Array;
  /** Number of the node's rack; -1 for none. */
  readonly rack: Int32Array;
  readonly rackKeys: string[] = [];

  constructor(graph: PowerGraph, basis: LoadBasis) {
    const { nodes, inlets } = graph;
    const size = nodes.length;
    const edges = inlets.reduce((sum, list) => sum + list.length, 0);
    this.graph = graph;
    this.size = size;
    this.inAt = new Int32Array(size + 1);
    this.outAt = new Int32Array(size + 1);
    this.outEdge = new Int32Array(edges);
    this.from = new Int32Array(edges);
    this.to = new Int32Array(edges);
    this.how = new Uint8Array(edges);
    this.recordedW = new Float64Array(edges);
    this.through = new Int32Array(edges).fill(-1);
    this.need = new Uint8Array(size);
    this.blocked = new Uint8Array(size);
    this.capacityW = new Float64Array(size);
    this.limitW = new Float64Array(size);
    this.drawW = new Float64Array(size);
    this.coolingKw = new Float64Array(size);
    this.runtimeS = new Float64Array(size).fill(-1);
    this.isOutlet = new Uint8Array(size);
    this.binds = new Uint8Array(size);
    this.measuresBlades = new Uint8Array(size);
    this.drawsFromOne = new Uint8Array(size);
    this.preferred = new Int32Array(size).fill(-1);
    this.role = new Uint8Array(size);
    this.counts = new Uint8Array(size);
    this.rack = new Int32Array(size).fill(-1);
    this.#readInlets();
    this.#readSupplies();
    const racks = new Map<string, number>();
    for (let index = 0; index < size; index += 1) this.#readNode(index, basis, racks);
  }

  #readInlets(): void {
    const { inlets } = this.graph;
    let edge = 0;
    for (let index = 0; index < this.size; index += 1) {
      this.inAt[index] = edge;
      for (const one of inlets[index] ?? []) {
        this.from[edge] = one.from;
        this.to[edge] = one.to;
        this.how[edge] = howOf(one);
        this.recordedW[edge] = one.allocatedW ?? 0;
        edge += 1;
      }
    }
    this.inAt[this.size] = edge;
  }

  /** Supplies name the same edges as the inlets at their other ends. */
  #readSupplies(): void {
    const { supplies, inlets } = this.graph;
    let at = 0;
    for (let index = 0; index < this.size; index += 1) {
      this.outAt[index] = at;
      for (const one of supplies[index] ?? []) {
        const list = inlets[one.to] ?? [];
        const place = list.length === 1 ? 0 : list.indexOf(one);
        const edge = (this.inAt[one.to] as number) + place;
        this.outEdge[at] = edge;
        at += 1;
        if (one.through === undefined) continue;
        this.binds[index] = 1;
        const inlet = (inlets[index] ?? []).findIndex(({ inlet: name }) => name === one.through);
        if (inlet >= 0) this.through[edge] = (this.inAt[index] as number) + inlet;
      }
    }
    this.outAt[this.size] = at;
  }

  #readNode(index: number, basis: LoadBasis, racks: Map<string, number>): void {
    const node = this.graph.nodes[index];
    if (node === undefined) return;
    this.need[index] = node.need;
    this.blocked[index] = node.blocked ? 1 : 0;
    this.capacityW[index] = node.capacityW ?? 0;
    this.limitW[index] = ((node.capacityW ?? 0) * node.maxUtilizationPct) / 100;
    this.drawW[index] = ownDrawW(this.graph, index, basis);
    if (node.kind === "OUTLET") this.isOutlet[index] = 1;
    if (node.kind === "DEVICE") this.#readDevice(index, node, basis);
    if (node.kind === "CRAC") {
      this.counts[index] = node.crac.status === "PLANNED" ? COUNTS.NOTHING : COUNTS.CRAC;
      this.coolingKw[index] = deratedKw(node.crac);
    }
    const code = node.kind === "DEVICE" ? node.device.rackCode : node.kind === "CRAC" ? node.crac.rackCode : undefined;
    if (code !== undefined) this.rack[index] = this.#rackNumber(code, racks);
  }

  #readDevice(index: number, node: Extract<PowerNode, { kind: "DEVICE" }>, basis: LoadBasis): void {
    const { device } = node;
    const isSupply = isPowerKind(device.kind);
    if (!node.blocked) this.counts[index] = isSupply ? COUNTS.POWER : COUNTS.IT;
    this.role[index] = this.#roleOf(index, node, isSupply);
    this.runtimeS[index] = device.power?.runtimeS ?? -1;
    this.measuresBlades[index] = isMeasured(device, basis) ? 1 : 0;
    if (!drawsFromOne(node)) return;
    this.drawsFromOne[index] = 1;
    const preferred = (this.graph.inlets[index] ?? []).findIndex(({ inlet }) => inlet === device.power?.preferredInlet);
    if (preferred >= 0) this.preferred[index] = (this.inAt[index] as number) + preferred;
  }

  #roleOf(index: number, node: PowerNode, isSupply: boolean): number {
    if (node.blocked) return ROLE.NONE;
    if (isSupply) return ROLE.PDU;
    if (!isConsumer(node)) return ROLE.NONE;
    return isUndocumented(this.graph, index) ? ROLE.UNDOCUMENTED : ROLE.JUDGED;
  }

  #rackNumber(code: string, racks: Map<string, number>): number {
    const known = racks.get(code) ?? racks.get(codeKey(code));
    if (known !== undefined) return known;
    const made = this.rackKeys.length;
    this.rackKeys.push(codeKey(code));
    racks.set(codeKey(code), made);
    racks.set(code, made);
    return made;
  }
}

function howOf({ how, through }: PowerEdge): number {
  return (how === "GATE" ? GATE : 0) | (how === "BAY" ? BAY : 0) | (through === undefined ? 0 : THROUGH);
}

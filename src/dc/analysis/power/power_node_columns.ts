import { NODE_BITS, type NodeColumns, type PowerNode } from "./power_graph.ts";
import { drawsFromOneInlet } from "./power_share.ts";

const LEAST = 64;

export class PowerNodeColumns implements NodeColumns {
  need: Uint16Array;
  kind: Uint8Array;
  limitW: Float64Array;

  /** False while the columns are shared with the earlier state. */
  #isOwn: boolean;

  constructor(from?: NodeColumns) {
    this.need = from === undefined ? new Uint16Array(LEAST) : from.need;
    this.kind = from === undefined ? new Uint8Array(LEAST) : from.kind;
    this.limitW = from === undefined ? new Float64Array(LEAST) : from.limitW;
    this.#isOwn = from === undefined;
  }

  set(index: number, node: PowerNode): void {
    const { capacityW = 0, maxUtilizationPct, need } = node;
    const kind =
      (node.kind === "OUTLET" ? NODE_BITS.OUTLET : 0) | (drawsFromOneInlet(node) ? NODE_BITS.DRAWS_FROM_ONE : 0);
    const limitW = capacityW === 0 ? Number.POSITIVE_INFINITY : (capacityW * maxUtilizationPct) / 100;
    // Columns are shared with the earlier state until a node differs.
    if (this.need[index] === need && this.kind[index] === kind && this.limitW[index] === limitW) return;
    if (index >= this.need.length) this.resize(Math.max(LEAST, 2 * index));
    else if (!this.#isOwn) this.resize(this.need.length);
    this.need[index] = need;
    this.kind[index] = kind;
    this.limitW[index] = limitW;
  }

  /** Copies the columns, with room for a number of nodes. */
  resize(nodes: number): void {
    const { need, kind, limitW } = this;
    this.#isOwn = true;
    this.need = new Uint16Array(nodes);
    this.kind = new Uint8Array(nodes);
    this.limitW = new Float64Array(nodes);
    this.need.set(need.subarray(0, nodes));
    this.kind.set(kind.subarray(0, nodes));
    this.limitW.set(limitW.subarray(0, nodes));
  }
}

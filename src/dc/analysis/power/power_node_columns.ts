import { copyToLength } from "./power_edge.ts";
import { NODE_BITS, type NodeColumns, type PowerNode } from "./power_graph.ts";
import { drawsFromOneInlet } from "./power_share.ts";

const MIN_COLUMN_NODES = 64;

export class PowerNodeColumns implements NodeColumns {
  need: Uint16Array;
  kind: Uint8Array;
  limitW: Float64Array;

  /** False while the columns are shared with the earlier state. */
  #areColumnsOwned: boolean;

  constructor(from?: NodeColumns) {
    this.need = from === undefined ? new Uint16Array(MIN_COLUMN_NODES) : from.need;
    this.kind = from === undefined ? new Uint8Array(MIN_COLUMN_NODES) : from.kind;
    this.limitW = from === undefined ? new Float64Array(MIN_COLUMN_NODES) : from.limitW;
    this.#areColumnsOwned = from === undefined;
  }

  setNode(index: number, node: PowerNode): void {
    const { capacityW = 0, maxUtilizationPct, need } = node;
    const kind =
      (node.kind === "OUTLET" ? NODE_BITS.OUTLET : 0) | (drawsFromOneInlet(node) ? NODE_BITS.DRAWS_FROM_ONE : 0);
    const limitW = capacityW === 0 ? Number.POSITIVE_INFINITY : (capacityW * maxUtilizationPct) / 100;
    // Columns are shared with the earlier state until a node differs.
    if (this.need[index] === need && this.kind[index] === kind && this.limitW[index] === limitW) return;
    if (index >= this.need.length) this.resizeColumns(Math.max(MIN_COLUMN_NODES, 2 * index));
    else if (!this.#areColumnsOwned) this.resizeColumns(this.need.length);
    this.need[index] = need;
    this.kind[index] = kind;
    this.limitW[index] = limitW;
  }

  /** Copies the columns, with room for a number of nodes. */
  resizeColumns(nodes: number): void {
    this.#areColumnsOwned = true;
    this.need = copyToLength(this.need, nodes);
    this.kind = copyToLength(this.kind, nodes);
    this.limitW = copyToLength(this.limitW, nodes);
  }
}

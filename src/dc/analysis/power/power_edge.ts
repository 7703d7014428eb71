/** An edge from a supply to a consumer. `inlet` is the consumer's inlet; empty from a device to its own outlet. */
export interface PowerEdge {
  readonly from: number;
  readonly to: number;
  /** An inlet, or the bay of a blade that its chassis supplies. */
  readonly inlet: string;
  /**
   * GATE: from the source of an inlet to an outlet that draws through the inlet and is dead without it; the watts of
   * the outlet pass through the device. BAY: from a chassis to a blade without inlets. Absent for all other edges.
   */
  readonly how?: "GATE" | "BAY";
  /** Inlet that the outlet draws through; only on the edge from a device to its outlet. */
  readonly through?: string;
  /** Index of the consumer's inlet or outlet among its ports. */
  readonly place: number;
  /** Recorded draw of the inlet in watts, which determines its share of the consumer's load. */
  readonly allocatedW?: number;
  /** Recorded label of the inlet's supply side. */
  readonly label?: string;
}

/** Bits of an edge's kind: those of `PowerEdge.how`, and THROUGH for an edge to an outlet that names an inlet. */
export const EDGE_BITS = { GATE: 1, BAY: 2, THROUGH: 4 } as const;

/** Share by which columns grow. Also the share of edges of other states at which a state copies the columns. */
export const COLUMN_SLACK_SHARE = 1 / 4;
/** Number of edges of other states that columns may hold regardless of their size. */
export const MIN_COLUMN_SLACK = 256;

/**
 * Columns of edges that successive states of a graph share: each state appends its own edges and reads only the edges
 * to which its nodes refer. A stored edge never changes.
 */
export class EdgeColumns {
  all: PowerEdge[] = [];
  from: Int32Array<ArrayBuffer>;
  to: Int32Array<ArrayBuffer>;
  how: Uint8Array<ArrayBuffer>;
  recordedW: Float64Array<ArrayBuffer>;
  /** Edge numbers grouped by source node. */
  outEdge: Int32Array<ArrayBuffer>;
  edgeCount = 0;
  outCount = 0;

  constructor(edges: number) {
    this.from = new Int32Array(edges);
    this.to = new Int32Array(edges);
    this.how = new Uint8Array(edges);
    this.recordedW = new Float64Array(edges);
    this.outEdge = new Int32Array(edges);
  }

  addEdge(edge: PowerEdge): void {
    if (this.edgeCount === this.from.length) this.#growColumns();
    this.setEdge(this.edgeCount, edge);
    this.edgeCount += 1;
  }

  setEdge(at: number, edge: PowerEdge): void {
    this.all[at] = edge;
    this.from[at] = edge.from;
    this.to[at] = edge.to;
    this.how[at] = getEdgeBits(edge);
    this.recordedW[at] = edge.allocatedW ?? 0;
  }

  addOutEdge(edge: number): void {
    if (this.outCount === this.outEdge.length) this.outEdge = growColumn(this.outEdge);
    this.outEdge[this.outCount] = edge;
    this.outCount += 1;
  }

  #growColumns(): void {
    this.from = growColumn(this.from);
    this.to = growColumn(this.to);
    this.how = growColumn(this.how);
    this.recordedW = growColumn(this.recordedW);
  }
}

/** Returns a longer copy of a column; an earlier state keeps the shorter column. */
function growColumn<Column extends TypedArray>(column: Column): Column {
  return copyToLength(column, Math.ceil(column.length * (1 + COLUMN_SLACK_SHARE)) + MIN_COLUMN_SLACK);
}

type TypedArray = Int32Array | Uint8Array | Uint16Array | Float64Array;

/** Copies a typed array to another length. A longer copy ends with zeros, a shorter one lacks the last numbers. */
export function copyToLength<Column extends TypedArray>(column: Column, length: number): Column {
  const made = Reflect.construct(column.constructor, [length]) as Column;
  made.set(column.subarray(0, length));
  return made;
}

function getEdgeBits({ how, through }: PowerEdge): number {
  return (
    (how === "GATE" ? EDGE_BITS.GATE : how === "BAY" ? EDGE_BITS.BAY : 0) |
    (through === undefined ? 0 : EDGE_BITS.THROUGH)
  );
}

/** An edge from a supply to a consumer. `inlet` is the consumer's inlet; empty from a device to its own outlet. */
export interface PowerEdge {
  readonly from: number;
  readonly to: number;
  /** An inlet, or the bay of a blade that its chassis supplies. */
  readonly inlet: string;
  /**
   * GATE: from the source of an inlet to an outlet that draws through it and is dead without it; its watts pass through
   * the device. BAY: from a chassis to a blade without inlets. Absent for everything else.
   */
  readonly how?: "GATE" | "BAY";
  /** On the edge from a device to its outlet: the inlet that the outlet draws through. */
  readonly through?: string;
  /** Index of the consumer's inlet or outlet among its ports. */
  readonly place: number;
  /** Recorded draw of the inlet, which splits the consumer's load; watts. */
  readonly allocatedW?: number;
  /** Recorded label of the inlet's supply side. */
  readonly label?: string;
}

/** Bits of an edge's kind: those of `PowerEdge.how`, and whether it leads to an outlet that names an inlet. */
export const EDGE = { GATE: 1, BAY: 2, THROUGH: 4 } as const;

/** Columns grow by this share, and may hold as many edges of other states before a state makes its own. */
export const SLACK = 1 / 4;
/** Edges of other states that columns may hold at any size. */
export const LEAST_SLACK = 256;

/**
 * Columns of edges. States of a graph that follow each other share them: each appends its own edges, and reads only those
 * to which its nodes point. An edge is never changed where it stands.
 */
export class EdgeColumns {
  all: PowerEdge[] = [];
  from: Int32Array<ArrayBuffer>;
  to: Int32Array<ArrayBuffer>;
  how: Uint8Array<ArrayBuffer>;
  recordedW: Float64Array<ArrayBuffer>;
  /** Numbers of edges, those out of one node in a row. */
  outEdge: Int32Array<ArrayBuffer>;
  edges = 0;
  outs = 0;

  constructor(edges: number) {
    this.from = new Int32Array(edges);
    this.to = new Int32Array(edges);
    this.how = new Uint8Array(edges);
    this.recordedW = new Float64Array(edges);
    this.outEdge = new Int32Array(edges);
  }

  add(edge: PowerEdge): void {
    if (this.edges === this.from.length) this.#grow();
    this.set(this.edges, edge);
    this.edges += 1;
  }

  set(at: number, edge: PowerEdge): void {
    this.all[at] = edge;
    this.from[at] = edge.from;
    this.to[at] = edge.to;
    this.how[at] = bitsOf(edge);
    this.recordedW[at] = edge.allocatedW ?? 0;
  }

  addOut(edge: number): void {
    if (this.outs === this.outEdge.length) this.outEdge = growColumn(this.outEdge);
    this.outEdge[this.outs] = edge;
    this.outs += 1;
  }

  #grow(): void {
    this.from = growColumn(this.from);
    this.to = growColumn(this.to);
    this.how = growColumn(this.how);
    this.recordedW = growColumn(this.recordedW);
  }
}

/** A longer copy; an earlier state keeps the shorter one. */
function growColumn<Column extends Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  column: Column,
): Column {
  const made = Reflect.construct(column.constructor, [Math.ceil(column.length * (1 + SLACK)) + LEAST_SLACK]) as Column;
  made.set(column);
  return made;
}

function bitsOf({ how, through }: PowerEdge): number {
  return (how === "GATE" ? EDGE.GATE : how === "BAY" ? EDGE.BAY : 0) | (through === undefined ? 0 : EDGE.THROUGH);
}

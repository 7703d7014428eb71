import { isSameItemList } from "../persistent.ts";

export interface EdgeLists {
  /** Returns the edges of a node in a new list; empty for a node without edges, and for an invalid index. */
  listEdges(index: number): readonly PowerEdge[];
  count(index: number): number;
}

export interface InletLists extends EdgeLists {
  getFirstEdge(index: number): PowerEdge | undefined;
}

const NO_EDGES: readonly PowerEdge[] = [];

/**
 * The edges of a power graph in typed arrays, which makes hundreds of thousands of failures per second possible. Inlets
 * of node i are the edges inAt[i] to inEnd[i] in the order of its ports; its supplies are outEdge[outAt[i]] to
 * outEdge[outEnd[i]]. A published state never changes: the next state copies the positions of nodes and appends the
 * edges that it changes.
 */
export class PowerEdges {
  /** Edges by number, parallel to the columns; some numbers belong to other states. */
  all: readonly PowerEdge[] = NO_EDGES;
  from = new Int32Array(0);
  to = new Int32Array(0);
  /** Kind of each edge as bits of `EDGE_BITS`. */
  how = new Uint8Array(0);
  /** Recorded draw of the inlet in watts; 0 if none is recorded. */
  recordedW = new Float64Array(0);
  outEdge = new Int32Array(0);
  inAt = new Int32Array(0);
  inEnd = new Int32Array(0);
  outAt = new Int32Array(0);
  outEnd = new Int32Array(0);
  readonly inlets: InletLists = {
    listEdges: (index) => this.listInlets(index),
    getFirstEdge: (index) => (this.inlets.count(index) === 0 ? undefined : this.all[this.inAt[index] as number]),
    count: (index) => (this.inEnd[index] ?? 0) - (this.inAt[index] ?? 0),
  };
  readonly supplies: EdgeLists = {
    listEdges: (index) => this.listSupplies(index),
    count: (index) => (this.outEnd[index] ?? 0) - (this.outAt[index] ?? 0),
  };
  #columns: EdgeColumns;
  #nodeCount: number;
  /** Number of edges in this state. */
  #edgeCount: number;
  /** All edges in the order of consumers during a full build. */
  #builtEdges: PowerEdge[] | undefined;
  /** Changed inlet lists by node, until `seal` stores them. */
  #newInlets: Map<number, PowerEdge[]> | undefined;
  #newSupplies: Map<number, PowerEdge[]> | undefined;
  /** Nodes whose list of supplies is not sorted. */
  readonly #unsortedNodes = new Set<number>();
  readonly #touched = new Set<number>();

  constructor(from?: PowerEdges) {
    this.#columns = from === undefined ? new EdgeColumns(0) : from.#columns;
    this.#nodeCount = from === undefined ? 0 : from.#nodeCount;
    this.#edgeCount = from === undefined ? 0 : from.#edgeCount;
    if (from === undefined) return;
    this.inAt = from.inAt;
    this.inEnd = from.inEnd;
    this.outAt = from.outAt;
    this.outEnd = from.outEnd;
    this.#readColumns();
  }

  /** Nodes whose edges differ from their edges in the state that this state was copied from. */
  get touchedNodes(): ReadonlySet<number> {
    return this.#touched;
  }

  /** Starts a full build. Until `built`, edges must be added in the order of consumers. */
  startBuild(): void {
    this.#builtEdges = [];
  }

  /** Ends a full build. Clears the list of changes, because all edges are new. */
  finishBuild(): void {
    const joined = this.#builtEdges ?? [];
    this.#builtEdges = undefined;
    this.#touched.clear();
    this.#columns = new EdgeColumns(joined.length);
    this.#edgeCount = joined.length;
    this.inAt = new Int32Array(this.#nodeCount);
    this.inEnd = new Int32Array(this.#nodeCount);
    this.outAt = new Int32Array(this.#nodeCount);
    this.outEnd = new Int32Array(this.#nodeCount);
    for (const { from, to } of joined) {
      this.inEnd[to] = (this.inEnd[to] as number) + 1;
      this.outEnd[from] = (this.outEnd[from] as number) + 1;
    }
    let [edge, out] = [0, 0];
    for (let index = 0; index < this.#nodeCount; index += 1) {
      const [ins, outs] = [this.inEnd[index] as number, this.outEnd[index] as number];
      this.inAt[index] = edge;
      this.inEnd[index] = edge;
      this.outAt[index] = out;
      this.outEnd[index] = out;
      edge += ins;
      out += outs;
    }
    const columns = this.#columns;
    columns.all = new Array<PowerEdge>(joined.length);
    for (const one of joined) {
      const number = this.inEnd[one.to] as number;
      const place = this.outEnd[one.from] as number;
      columns.setEdge(number, one);
      columns.outEdge[place] = number;
      this.inEnd[one.to] = number + 1;
      this.outEnd[one.from] = place + 1;
    }
    columns.edgeCount = joined.length;
    columns.outCount = joined.length;
    this.#readColumns();
  }

  /** Adds a node without edges at the end. */
  addNode(index: number): void {
    this.#nodeCount = index + 1;
    if (this.#builtEdges === undefined) this.#touched.add(index);
  }

  addEdge(edge: PowerEdge): void {
    if (this.#builtEdges !== undefined) {
      this.#builtEdges.push(edge);
      return;
    }
    this.#copySupplies(edge.from).push(edge);
    this.#copyInlets(edge.to).push(edge);
    this.#unsortedNodes.add(edge.from);
    this.#edgeCount += 1;
  }

  /** Removes the edges into a node. @returns the source nodes that now supply nothing */
  disconnectNode(index: number): readonly number[] {
    const idle: number[] = [];
    const inlets = this.#copyInlets(index);
    for (const edge of inlets) {
      const rest = this.#copySupplies(edge.from);
      rest.splice(rest.indexOf(edge), 1);
      if (rest.length === 0) idle.push(edge.from);
    }
    this.#edgeCount -= inlets.length;
    inlets.length = 0;
    return idle;
  }

  /** Moves the start of an edge to another node. */
  moveEdgeStart(edge: PowerEdge, from: number): void {
    const led = { ...edge, from };
    const before = this.#copySupplies(edge.from);
    before.splice(before.indexOf(edge), 1);
    this.#copySupplies(from).push(led);
    const inlets = this.#copyInlets(edge.to);
    inlets[inlets.indexOf(edge)] = led;
  }

  /** Ends a change. @param compare order of two nodes, which sorts supplies by consumer as a full build does */
  finishChange(compare?: (a: number, b: number) => number): void {
    const inlets = this.#newInlets ?? new Map<number, PowerEdge[]>();
    const supplies = this.#newSupplies ?? new Map<number, PowerEdge[]>();
    if (compare !== undefined) {
      for (const index of this.#unsortedNodes) {
        supplies.get(index)?.sort((a, b) => compare(a.to, b.to) || a.place - b.place);
      }
    }
    this.#unsortedNodes.clear();
    const isGrown = this.#nodeCount > this.inAt.length;
    if (inlets.size + supplies.size === 0 && !isGrown) return;
    if (this.#columns.edgeCount > this.#edgeCount * (1 + COLUMN_SLACK_SHARE) + MIN_COLUMN_SLACK)
      this.#columns = this.#compactColumns();
    else this.#appendLists(inlets, supplies);
    this.#newInlets = undefined;
    this.#newSupplies = undefined;
    this.#readColumns();
  }

  /**
   * Returns the edges into some nodes as edges of a smaller graph.
   * @param members nodes by their new indexes, which include everything upstream of them
   */
  copyInto(members: readonly number[]): PowerEdges {
    const copy = new PowerEdges();
    const indexes = new Map(members.map((index, at) => [index, at]));
    const moved = new Map<PowerEdge, PowerEdge>();
    const move = (edge: PowerEdge, to: number): PowerEdge => {
      const made = { ...edge, from: indexes.get(edge.from) as number, to };
      moved.set(edge, made);
      return made;
    };
    const inlets = new Map(members.map((index, to) => [to, this.listInlets(index).map((edge) => move(edge, to))]));
    const supplies = new Map(
      members.map((index, from) => [from, this.listSupplies(index).flatMap((edge) => moved.get(edge) ?? [])]),
    );
    copy.#nodeCount = members.length;
    copy.#edgeCount = moved.size;
    copy.#columns = new EdgeColumns(moved.size);
    copy.#appendLists(inlets, supplies);
    copy.#readColumns();
    return copy;
  }

  /** Whether a node has the same edges in another state of the graph. */
  hasSameEdges(other: PowerEdges, index: number): boolean {
    if (
      this.#columns === other.#columns &&
      this.inAt[index] === other.inAt[index] &&
      this.inEnd[index] === other.inEnd[index] &&
      this.outAt[index] === other.outAt[index] &&
      this.outEnd[index] === other.outEnd[index]
    ) {
      return true;
    }
    return (
      isSameItemList(this.listInlets(index), other.listInlets(index)) &&
      isSameItemList(this.listSupplies(index), other.listSupplies(index))
    );
  }

  listInlets(index: number): readonly PowerEdge[] {
    const changed = this.#newInlets?.get(index);
    if (changed !== undefined) return changed;
    const [at, end] = [this.inAt[index] ?? 0, this.inEnd[index] ?? 0];
    return at === end ? NO_EDGES : this.all.slice(at, end);
  }

  listSupplies(index: number): readonly PowerEdge[] {
    const changed = this.#newSupplies?.get(index);
    if (changed !== undefined) return changed;
    const [at, end] = [this.outAt[index] ?? 0, this.outEnd[index] ?? 0];
    if (at === end) return NO_EDGES;
    const found = new Array<PowerEdge>(end - at);
    for (let out = at; out < end; out += 1) found[out - at] = this.all[this.outEdge[out] as number] as PowerEdge;
    return found;
  }

  getEdgeNumber(edge: PowerEdge): number {
    return this.all.indexOf(edge, this.inAt[edge.to]);
  }

  #readColumns(): void {
    const { all, from, to, how, recordedW, outEdge } = this.#columns;
    this.all = all;
    this.from = from;
    this.to = to;
    this.how = how;
    this.recordedW = recordedW;
    this.outEdge = outEdge;
  }

  #copyInlets(index: number): PowerEdge[] {
    this.#newInlets ??= new Map();
    return this.#copyList(this.#newInlets, index, () => this.listInlets(index));
  }

  #copySupplies(index: number): PowerEdge[] {
    this.#newSupplies ??= new Map();
    return this.#copyList(this.#newSupplies, index, () => this.listSupplies(index));
  }

  #copyList(lists: Map<number, PowerEdge[]>, index: number, listOf: () => readonly PowerEdge[]): PowerEdge[] {
    return lists.getOrInsertComputed(index, () => {
      this.#touched.add(index);
      return listOf().slice();
    });
  }

  /** Appends changed lists to the columns. Looks up the new number of a moved edge through its source. */
  #appendLists(inlets: ReadonlyMap<number, PowerEdge[]>, supplies: Map<number, PowerEdge[]>): void {
    const columns = this.#columns;
    for (const list of inlets.values()) {
      for (const { from } of list) if (!supplies.has(from)) supplies.set(from, this.listSupplies(from).slice());
    }
    this.inAt = copyToLength(this.inAt, this.#nodeCount);
    this.inEnd = copyToLength(this.inEnd, this.#nodeCount);
    this.outAt = copyToLength(this.outAt, this.#nodeCount);
    this.outEnd = copyToLength(this.outEnd, this.#nodeCount);
    for (const [index, list] of inlets) {
      this.inAt[index] = columns.edgeCount;
      for (const edge of list) columns.addEdge(edge);
      this.inEnd[index] = columns.edgeCount;
    }
    for (const [index, list] of supplies) {
      this.outAt[index] = columns.outCount;
      for (const edge of list) columns.addOutEdge(columns.all.indexOf(edge, this.inAt[edge.to]));
      this.outEnd[index] = columns.outCount;
    }
  }

  /** Copies the columns without the edges of other states. */
  #compactColumns(): EdgeColumns {
    const inlets = new Map<number, PowerEdge[]>();
    const supplies = new Map<number, PowerEdge[]>();
    for (let index = 0; index < this.#nodeCount; index += 1) {
      inlets.set(index, this.listInlets(index).slice());
      supplies.set(index, this.listSupplies(index).slice());
    }
    this.#columns = new EdgeColumns(this.#edgeCount);
    this.#appendLists(inlets, supplies);
    return this.#columns;
  }
}

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
const COLUMN_SLACK_SHARE = 1 / 4;
/** Number of edges of other states that columns may hold regardless of their size. */
const MIN_COLUMN_SLACK = 256;

/**
 * Columns of edges that successive states of a graph share: each state appends its own edges and reads only the edges
 * to which its nodes refer. A stored edge never changes.
 */
class EdgeColumns {
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

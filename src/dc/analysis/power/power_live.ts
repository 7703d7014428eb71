import { copyToLength, type PowerEdge } from "./power_edges.ts";
import { collectDownstream, getSupplySideLabel, NODE_BITS, type PowerGraph, type PowerNode } from "./power_nodes.ts";

/** Power state of nodes by number: 1 for live, 0 for dead. */
export type LiveSet = Uint8Array;

/** NOW: the recorded states; AS_BUILT: elements that are temporarily off or failed count as working. */
export type LiveMode = "NOW" | "AS_BUILT";

/** Whether a node passes power on if enough of its inlets are live. */
export function canPassPower(node: PowerNode | undefined, mode: LiveMode): boolean {
  return node !== undefined && !(mode === "NOW" ? node.blocked : node.absent);
}

/**
 * Computes the live set: the smallest set that contains every root and every node with enough live inlets. Cycles of
 * supply never keep themselves alive, because each node requires inlets that were live before it. Cost: O(nodes +
 * edges). Source: docs/contract/datacenter-analyses.md#live-set.
 *
 * @param stays nodes that need no supply, unless they are removed
 * @param mode whether elements that are temporarily off count as working
 */
export function computeLiveNodes(
  graph: PowerGraph,
  removed: ReadonlySet<number> = new Set(),
  stays: (index: number) => boolean = () => false,
  mode: LiveMode = "NOW",
): LiveSet {
  const { nodes, columns, edges } = graph;
  const { outAt, outEnd, outEdge, to: consumers } = edges;
  const live = new Uint8Array(nodes.length);
  const arrived = new Uint32Array(nodes.length);
  const queue: number[] = [];
  const light = (index: number): void => {
    live[index] = 1;
    queue.push(index);
  };
  const canBeLive = (index: number): boolean => !removed.has(index) && canPassPower(nodes[index], mode);
  for (let index = 0; index < nodes.length; index += 1) {
    if ((columns.need[index] === 0 || stays(index)) && canBeLive(index)) light(index);
  }
  // The loop appends to the array while it iterates, so the array also serves as the queue.
  for (const index of queue) {
    const end = outEnd[index] as number;
    for (let out = outAt[index] as number; out < end; out += 1) {
      const to = consumers[outEdge[out] as number] as number;
      const count = (arrived[to] as number) + 1;
      arrived[to] = count;
      if (live[to] === 0 && count >= (columns.need[to] as number) && canBeLive(to)) light(to);
    }
  }
  return live;
}

/** A live set that was updated after a change of the graph, and the nodes that may differ. */
interface UpdatedLiveSet {
  readonly live: LiveSet;
  /** Nodes whose supply changed, and everything downstream of them. */
  readonly downstream: ReadonlySet<number>;
  /** Downstream nodes that gained or lost power. */
  readonly changed: readonly number[];
}

/**
 * Returns the live set of a graph that differs from an earlier one only in `touched`. Recomputes only the nodes whose
 * own supply changed and their downstream nodes; no other node depends on them. Cost: O(edges of the recomputed nodes),
 * plus a copy of the live set. A law checks that the result equals `computeLiveNodes`.
 */
export function updateLiveSet(
  { before, live: earlier, graph }: { readonly before: PowerGraph; readonly live: LiveSet; readonly graph: PowerGraph },
  touched: Iterable<number>,
): UpdatedLiveSet {
  const downstream = collectDownstream(
    graph,
    [...touched].filter((index) => !hasSameSupply(before, graph, index)),
  );
  const live = copyToLength(earlier, graph.nodes.length);
  for (const index of downstream) live[index] = 0;
  turnOnSuppliedNodes(graph, live, downstream);
  return { live, downstream, changed: [...downstream].filter((index) => live[index] !== (earlier[index] ?? 0)) };
}

/** Turns on dead nodes with enough live inlets. No node outside `dark` depends on these nodes. */
function turnOnSuppliedNodes({ nodes, supplies, edges }: PowerGraph, live: LiveSet, dark: ReadonlySet<number>): void {
  const arrived = new Map<number, number>();
  for (const index of dark) arrived.set(index, countLiveInlets({ edges }, live, index));
  const canTurnOn = (index: number): boolean =>
    live[index] === 0 && nodes[index]?.blocked === false && (arrived.get(index) ?? 0) >= (nodes[index]?.need ?? 0);
  const queue = [...dark].filter(canTurnOn);
  for (const index of queue) live[index] = 1;
  for (const index of queue) {
    for (const { to } of supplies.listEdges(index)) {
      arrived.set(to, (arrived.get(to) ?? 0) + 1);
      if (!canTurnOn(to)) continue;
      live[to] = 1;
      queue.push(to);
    }
  }
}

/** Whether a node's required supply, its inlets and their sources are the same in both graphs. */
function hasSameSupply(before: PowerGraph, after: PowerGraph, index: number): boolean {
  const [was, is] = [before.nodes[index], after.nodes[index]];
  if (was?.ref !== is?.ref || was?.need !== is?.need || was?.blocked !== is?.blocked) return false;
  if (
    was?.absent !== is?.absent ||
    getSupplySideLabel(was) !== getSupplySideLabel(is) ||
    formatSupplyRecord(was) !== formatSupplyRecord(is)
  )
    return false;
  const [had, has] = [before.inlets.listEdges(index), after.inlets.listEdges(index)];
  return had.length === has.length && had.every((edge, at) => isSameEdge(edge, has[at]));
}

/** Returns the recorded supply of a node as one text for comparison. */
function formatSupplyRecord(node: PowerNode | undefined): string {
  return node?.kind === "DEVICE" || node?.kind === "CRAC" ? [node.recorded, ...node.unrecorded].join("/") : "";
}

function isSameEdge(a: PowerEdge, b: PowerEdge | undefined): boolean {
  return (
    a.from === b?.from &&
    a.inlet === b.inlet &&
    a.label === b.label &&
    a.allocatedW === b.allocatedW &&
    a.how === b.how &&
    a.through === b.through
  );
}

/** Counts the inlets of a device or outlet whose source is live. */
export function countLiveInlets({ edges }: Pick<PowerGraph, "edges">, live: LiveSet, index: number): number {
  const { inAt, inEnd, from } = edges;
  const end = inEnd[index] ?? 0;
  let count = 0;
  for (let at = inAt[index] ?? 0; at < end; at += 1) if (live[from[at] as number] === 1) count += 1;
  return count;
}

/**
 * Returns the share of a live consumer's unbound load that it draws through one of its live inlets.
 * @param edge number of the inlet's edge
 * @param returning edges that carry nothing
 */
export function computeInletShare(
  graph: PowerGraph,
  live: LiveSet,
  edge: number,
  returning?: ReadonlySet<PowerEdge>,
): number {
  const { all, inAt, inEnd, from, to, recordedW } = graph.edges;
  const consumer = to[edge] as number;
  if (((graph.columns.kind[consumer] as number) & NODE_BITS.DRAWS_FROM_ONE) !== 0) {
    return findActiveEdge(graph, live, consumer, returning) === edge ? 1 : 0;
  }
  let count = 0;
  let sum = 0;
  let recorded = true;
  const end = inEnd[consumer] as number;
  for (let at = inAt[consumer] as number; at < end; at += 1) {
    if (live[from[at] as number] !== 1 || returning?.has(all[at] as PowerEdge) === true) continue;
    const watts = recordedW[at] as number;
    count += 1;
    sum += watts;
    if (watts <= 0) recorded = false;
  }
  return recorded ? (recordedW[edge] as number) / sum : 1 / count;
}

/** Whether a node draws from one inlet at a time, as a transfer switch or a UPS does. */
export function drawsFromOneInlet(node: PowerNode | undefined): boolean {
  return node?.kind === "DEVICE" && (node.device.kind === "TRANSFER_SWITCH" || node.device.kind === "UPS");
}

/** Returns the inlet that a transfer switch or UPS draws from: the preferred one if live, otherwise the first live. */
export function findActiveInlet(graph: PowerGraph, live: LiveSet, index: number): PowerEdge | undefined {
  return graph.edges.all[findActiveEdge(graph, live, index)];
}

/** Returns the number of the active inlet's edge; -1 for none. */
function findActiveEdge(
  { nodes, edges }: PowerGraph,
  live: LiveSet,
  index: number,
  returning?: ReadonlySet<PowerEdge>,
) {
  const node = nodes[index];
  const preferred = node?.kind === "DEVICE" ? node.device.power?.preferredInlet : undefined;
  const { all, inAt, inEnd, from } = edges;
  const end = inEnd[index] ?? 0;
  let first = -1;
  for (let at = inAt[index] ?? 0; at < end; at += 1) {
    const edge = all[at] as PowerEdge;
    if (live[from[at] as number] !== 1 || returning?.has(edge) === true) continue;
    if (edge.inlet === preferred) return at;
    if (first < 0) first = at;
  }
  return first;
}

import { getDrawW } from "#dc/model/draw.ts";
import { codeKey, toPortKey, toRefKey } from "#dc/model/ref.ts";
import type { Device, PortRef } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import type { PowerGraph, PowerNode } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";

/** Numbers of the nodes that a disabled inlet or a cable without power connects. */
interface PlannedFeed {
  readonly from: number;
  readonly to: number;
}

/** Draw of a consumer in watts and in volt-amperes. */
interface PlannedDraw {
  readonly watts: number;
  readonly voltAmperes: number;
}

/**
 * Loads of recorded consumers that draw nothing now because they are planned, staged, off or failed. Their positions
 * are reserved, so their allocated draws are added to the loads in service, divided over all inlets.
 */
export class PlannedLoads {
  /** Planned load by node: volt-amperes for outlets, watts for all other nodes. */
  readonly distributedLoads: Float64Array;
  /** Nodes in or upstream of a cycle of supply, whose loads cannot be computed. */
  readonly circularNodes: ReadonlySet<number>;
  readonly #graph: PowerGraph;
  readonly #planned: ConsumersBySource;
  /** Whether there is any planned load. */
  readonly #hasPlannedLoad: boolean;
  readonly #sums = new Map<number, PlannedDraw>();

  private constructor(graph: PowerGraph, planned: ConsumersBySource, sums: LoadSums, circular: ReadonlySet<number>) {
    this.#graph = graph;
    this.#planned = planned;
    this.distributedLoads = sums.convertToUnits();
    this.#hasPlannedLoad = sums.hasLoad;
    this.circularNodes = circular;
  }

  /** Computes the planned loads. Cost: O(nodes + edges). */
  static *buildInSteps(topology: Topology): Steps<PlannedLoads> {
    const graph = topology.power;
    const planned = new Map<number, number[]>();
    for (const { from, to } of listPlannedFeeds(topology)) planned.getOrInsert(from, []).push(to);
    yield;
    const sums = new LoadSums(graph, planned);
    yield;
    yield* sums.passAllLoads(reverseEdges(planned));
    return new PlannedLoads(graph, planned, sums, sums.listCircularNodes());
  }

  /** Whether a consumer draws from an outlet now, or is planned to draw from it. */
  isUsed(outlet: number): boolean {
    return this.#graph.supplies.count(outlet) > 0 || this.#planned.has(outlet);
  }

  /** Sums full draws of planned consumers below a node, each counted once. Cost: O(edges downstream), once per node. */
  sumFullDraws(start: number): PlannedDraw {
    if (!this.#hasPlannedLoad) return NO_DRAW;
    return this.#sums.getOrInsertComputed(start, () => {
      const seen = new Set([start]);
      let [watts, voltAmperes] = [0, 0];
      // A Set also iterates over elements added during the loop, so it serves as the queue.
      for (const index of seen) {
        const draw = computePlannedDraw(this.#graph.nodes[index]);
        watts += draw.watts;
        voltAmperes += draw.voltAmperes;
        for (const { to } of this.#graph.supplies.listEdges(index)) seen.add(to);
        for (const to of this.#planned.get(index) ?? []) seen.add(to);
      }
      return { watts, voltAmperes };
    });
  }
}

const NO_DRAW: PlannedDraw = { watts: 0, voltAmperes: 0 };

/** Returns the future draw of a node that draws nothing now; 0 for a device in stock. */
function computePlannedDraw(node: PowerNode | undefined): PlannedDraw {
  if (node?.kind !== "DEVICE" || !node.blocked || node.device.status === "INVENTORY") return NO_DRAW;
  const watts = getDrawW(node.device, "ALLOCATED") ?? 0;
  return { watts, voltAmperes: watts / (node.device.powerFactor ?? 1) };
}

/** Counts the inlets over which a consumer divides its load. */
function countInlets(node: PowerNode | undefined): number {
  if (node?.kind === "DEVICE") return Math.max(1, node.recorded + node.unrecorded.length);
  if (node?.kind === "CRAC") return Math.max(1, node.crac.powerInputs?.length ?? 0);
  return 1;
}

type ConsumersBySource = ReadonlyMap<number, readonly number[]>;

function reverseEdges(planned: ConsumersBySource): ConsumersBySource {
  const suppliesByConsumer = new Map<number, number[]>();
  for (const [from, consumers] of planned) {
    for (const to of consumers) suppliesByConsumer.getOrInsert(to, []).push(from);
  }
  return suppliesByConsumer;
}

/** Sums loads from consumers up to their supplies. */
class LoadSums {
  hasLoad = false;
  /** Nodes whose consumers have all been added to their supplies; grows during the computation. */
  readonly #ready: number[] = [];
  readonly #graph: PowerGraph;
  readonly #watts: Float64Array;
  readonly #voltAmperes: Float64Array;
  /** Number of consumers of each node that are not yet added to it. */
  readonly #openConsumers: Int32Array;

  constructor(graph: PowerGraph, planned: ConsumersBySource) {
    const { nodes, supplies } = graph;
    this.#graph = graph;
    this.#watts = new Float64Array(nodes.length);
    this.#voltAmperes = new Float64Array(nodes.length);
    this.#openConsumers = new Int32Array(nodes.length);
    for (const [index, node] of nodes.entries()) {
      const draw = computePlannedDraw(node);
      if (draw.watts > 0) this.hasLoad = true;
      this.#watts[index] = draw.watts;
      this.#voltAmperes[index] = draw.voltAmperes;
      this.#openConsumers[index] = supplies.count(index) + (planned.get(index) ?? []).length;
      if (this.#openConsumers[index] === 0) this.#ready.push(index);
    }
  }

  /** Adds the load of every node to its supplies. @param above supplies of nodes by planned feeds */
  *passAllLoads(above: ConsumersBySource): Steps<void> {
    let passed = 0;
    // The loop appends to the array while it iterates, so the array also serves as the queue.
    for (const index of this.#ready) {
      for (const edge of this.#graph.inlets.listEdges(index)) this.#passLoad(index, edge.from, edge.how !== "GATE");
      for (const from of above.get(index) ?? []) this.#passLoad(index, from, true);
      passed += 1;
      if (passed % 4096 === 0) yield;
    }
  }

  /** Returns the nodes in or upstream of a cycle. */
  listCircularNodes(): ReadonlySet<number> {
    const { nodes } = this.#graph;
    if (this.#ready.length === nodes.length) return new Set();
    const ordered = new Set(this.#ready);
    return new Set([...nodes.keys()].filter((index) => !ordered.has(index)));
  }

  convertToUnits(): Float64Array {
    return this.#watts.map((watts, index) => {
      return this.#graph.nodes[index]?.kind === "OUTLET" ? (this.#voltAmperes[index] ?? 0) : watts;
    });
  }

  #passLoad(index: number, from: number, carries: boolean): void {
    if (carries) {
      const inlets = countInlets(this.#graph.nodes[index]);
      this.#watts[from] = (this.#watts[from] ?? 0) + (this.#watts[index] ?? 0) / inlets;
      this.#voltAmperes[from] = (this.#voltAmperes[from] ?? 0) + (this.#voltAmperes[index] ?? 0) / inlets;
    }
    this.#openConsumers[from] = (this.#openConsumers[from] ?? 0) - 1;
    if (this.#openConsumers[from] === 0) this.#ready.push(from);
  }
}

/** Lists recorded supplies that carry no power: disabled inlets, and cables that are not connected. */
function* listPlannedFeeds(topology: Topology): Iterable<PlannedFeed> {
  const { inventory, power } = topology;
  for (const device of inventory.devices) {
    for (const { kind, enabled, powerIn } of device.ports ?? []) {
      if (kind !== "POWER_IN" || enabled !== false || powerIn?.sourceRef === undefined) continue;
      yield* listFeedsOfSource(power, toRefKey(powerIn.sourceRef), device);
    }
  }
  for (const { a, b, status } of inventory.cables) {
    if (status === "CONNECTED" || status === undefined) continue;
    yield* listCabledFeeds(topology, a, b);
    yield* listCabledFeeds(topology, b, a);
  }
}

function* listCabledFeeds(topology: Topology, outlet: PortRef, inlet: PortRef): Iterable<PlannedFeed> {
  const device = topology.device(inlet.deviceCode);
  const port = device?.ports?.find(({ name }) => name === inlet.portName);
  if (device === undefined || port?.kind !== "POWER_IN" || port.powerIn?.sourceRef !== undefined) return;
  yield* listFeedsOfSource(topology.power, `port:${toPortKey(outlet)}`, device);
}

function* listFeedsOfSource({ indexOf }: PowerGraph, source: string, device: Device): Iterable<PlannedFeed> {
  const from = indexOf.get(source);
  const to = indexOf.get(`device:${codeKey(device.code)}`);
  if (from !== undefined && to !== undefined) yield { from, to };
}

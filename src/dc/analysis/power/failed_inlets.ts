import type { LoadBasis } from "#dc/model/enum_values.ts";
import { codeKey, formatPortReference, toPortKey } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { countRackSupply } from "../racks/rack_elevation.ts";
import type { Topology } from "../topology.ts";
import type { BlastSite } from "./blast_radius.ts";
import { LoadLane, type Loads } from "./load_lanes.ts";
import { copyToLength, PowerEdges } from "./power_edges.ts";
import type { LiveSet } from "./power_live.ts";
import { PowerNodeColumns } from "./power_node_table.ts";
import { createDeviceNode, type PowerGraph, type PowerNode } from "./power_nodes.ts";

/** A site whose power graph has nodes for inlets that can fail, and the numbers of these nodes. */
export interface SiteWithInlets {
  readonly site: BlastSite;
  /** Node numbers by the key of the inlet. An inlet whose source carries no power has no node. */
  readonly nodes: ReadonlyMap<string, number>;
}

/** Inserts a node at each of some inlets; loads and live sets stay the same. Cost: copies of lists of all nodes. */
export function insertInletNodes(topology: Topology, inlets: readonly PortRef[]): SiteWithInlets {
  if (inlets.length === 0) return { site: topology, nodes: new Map() };
  const builder = new InletNodeInserter(topology.power, topology.live);
  const byKey = new Map(inlets.map((end) => [toPortKey(end), end]));
  for (const list of Map.groupBy(byKey.values(), ({ deviceCode }) => codeKey(deviceCode)).values())
    builder.addInlets(list);
  return { site: builder.createSite(topology), nodes: builder.nodesByInlet };
}

class InletNodeInserter {
  readonly nodesByInlet = new Map<string, number>();
  readonly #before: PowerGraph;
  readonly #nodes: PowerNode[];
  readonly #edges: PowerEdges;
  readonly #columns: PowerNodeColumns;
  readonly #live: number[] = [];
  readonly #liveBefore: LiveSet;

  constructor(graph: PowerGraph, live: LiveSet) {
    this.#before = graph;
    this.#nodes = graph.nodes.slice();
    this.#edges = new PowerEdges(graph.edges);
    this.#columns = new PowerNodeColumns(graph.columns);
    this.#liveBefore = live;
  }

  addInlets(ends: readonly PortRef[]): void {
    const own = this.#before.indexOf.get(`device:${codeKey(ends[0]?.deviceCode ?? "")}`) ?? -1;
    const node = this.#nodes[own];
    if (node?.kind !== "DEVICE") return;
    const unrecorded = ends.filter(({ portName }) => node.unrecorded.includes(portName));
    for (const end of ends) this.#insertAtInlet(own, end);
    const rest = node.unrecorded.filter((name) => !unrecorded.some(({ portName }) => portName === name));
    // If other inlets lack a record too and no inlet has one, the source of the device's draw stays unknown.
    if (unrecorded.length === 0 || (node.recorded === 0 && rest.length > 0)) return;
    this.#setNode(
      own,
      createDeviceNode(node.device, { recorded: node.recorded + unrecorded.length, unrecorded: rest }),
    );
    for (const end of unrecorded) {
      const index = this.#addNode(end, 0, 1);
      const place = this.#edges.listInlets(own).length;
      this.#edges.addEdge({ from: index, to: own, inlet: end.portName, place });
    }
  }

  /** Inserts a node between an inlet and its source, and connects outlets that draw through the inlet to it. */
  #insertAtInlet(own: number, end: PortRef): void {
    const { portName } = end;
    const source = this.#edges.listInlets(own).find(({ inlet, how }) => inlet === portName && how === undefined);
    if (source === undefined) return;
    const bound = this.#edges.listSupplies(own).filter(({ through }) => through === portName);
    const gates = bound.flatMap(({ to }) => this.#edges.listInlets(to).filter(({ how }) => how === "GATE"));
    const index = this.#addNode(end, 1, this.#liveBefore[source.from] ?? 0);
    for (const edge of [source, ...gates]) this.#edges.moveEdgeStart(edge, index);
    this.#edges.addEdge({ from: source.from, to: index, inlet: "", place: source.place });
  }

  #addNode(end: PortRef, need: number, live: number): number {
    const index = this.#nodes.length;
    this.#setNode(index, {
      kind: "OUTLET",
      end,
      ref: formatPortReference(end),
      need,
      blocked: false,
      absent: false,
      isThreePhase: false,
      maxUtilizationPct: 100,
    });
    this.#edges.addNode(index);
    this.#live.push(live);
    this.nodesByInlet.set(toPortKey(end), index);
    return index;
  }

  #setNode(index: number, node: PowerNode): void {
    this.#nodes[index] = node;
    this.#columns.setNode(index, node);
  }

  createSite(topology: Topology): BlastSite {
    const { nodesByInlet } = this;
    const { indexOf, isApparent } = this.#before;
    this.#edges.finishChange();
    const power: PowerGraph = {
      nodes: this.#nodes,
      supplies: this.#edges.supplies,
      inlets: this.#edges.inlets,
      edges: this.#edges,
      columns: this.#columns,
      indexOf: {
        get: (key) =>
          (key.startsWith("port:") ? nodesByInlet.get(key.slice("port:".length)) : undefined) ?? indexOf.get(key),
      },
      isApparent,
    };
    const live = copyToLength(this.#liveBefore, this.#nodes.length);
    live.set(this.#live, this.#liveBefore.length);
    return {
      power,
      live,
      apparentLoads: (basis) =>
        extendLoads(topology.apparentLoads(basis), { power, live, basis }, [...nodesByInlet.values()]),
      rackSupply: (key) => countRackSupply(power, live, topology.listDevicesInRack(key)),
    };
  }
}

/** Copies loads with room for added nodes, and computes the loads of the added nodes. */
function extendLoads(
  before: Loads,
  { power: graph, live, basis }: { readonly power: PowerGraph; readonly live: LiveSet; readonly basis: LoadBasis },
  added: readonly number[],
): Loads {
  const extendLane = (width: 1 | 3, of: Float64Array): Float64Array => {
    const carried = copyToLength(of, width * graph.nodes.length);
    const lane = new LoadLane(carried, width, { graph, live, basis });
    for (const index of added) lane.recomputeNode(index);
    return carried;
  };
  const { watts, phasesVa, isCircular } = before;
  return {
    watts: extendLane(1, watts),
    ...(phasesVa !== undefined && { phasesVa: extendLane(3, phasesVa) }),
    isCircular,
  };
}

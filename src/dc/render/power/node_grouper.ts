import { NodeNumbers } from "../../analysis/power/node_numbers.ts";
import type { PowerGraph, PowerNode } from "../../analysis/power/power_nodes.ts";
import { isPowerKind } from "../../model/draw.ts";
import { codeKey, toRefKey } from "../../model/ref.ts";
import { AreaFinder, type AreaKind, type ElementAreas, UNKNOWN_AREAS } from "../places.ts";
import { collectFailureSurroundings, type FailureSurroundings, formatNodeTitle, type PowerFailure } from "./failure.ts";

/** One drawn node: an element (BOX), an area with its elements (CARD), or an area as counts (GROUP). */
export interface DrawnNode {
  readonly form: "BOX" | "CARD" | "GROUP";
  /** Reference of the element or area; a generated id for the equipment or the cooling of an area. */
  readonly id: string;
  readonly title: string;
  /** Nodes of the power graph. Outlets are drawn with the device to which they belong. */
  readonly members: readonly number[];
}

interface PowerCollapseOptions {
  readonly maxNodes: number;
  /** References that stay separate as long as one more group fits. */
  readonly highlight: ReadonlySet<string>;
  /** Draws racks as counts even if their devices would fit. */
  readonly compact: boolean;
}

/**
 * Class of an element. A CONSUMER is drawn in a card. EQUIPMENT and KEY elements are boxes unless they must be
 * collapsed. A PINNED element is a consumer that stays outside its card.
 */
type ElementClass = "CONSUMER" | "COOLING" | "PDU" | "EQUIPMENT" | "KEY" | "PINNED";

interface GroupingScheme {
  /** Kind of area into which consumers are collapsed. Undefined draws every element. */
  readonly consumers?: AreaKind | "all";
  readonly equipment?: AreaKind | "all";
  readonly keys?: AreaKind | "all";
}

/** Schemes from separate elements to one group; the first one that fits is used. */
const GROUPING_SCHEMES: readonly GroupingScheme[] = [
  {},
  { consumers: "rack" },
  { consumers: "row" },
  { consumers: "row", equipment: "row" },
  { consumers: "room", equipment: "row" },
  { consumers: "room", equipment: "room" },
  { consumers: "floor", equipment: "room" },
  { consumers: "floor", equipment: "floor" },
  { consumers: "site", equipment: "floor" },
  { consumers: "site", equipment: "site" },
  { consumers: "site", equipment: "site", keys: "site" },
  { consumers: "all", equipment: "all", keys: "all" },
];

/** Maximum number of drawn nodes if any are collapsed: a hundred groups would be unreadable. */
const MAX_COLLAPSED_NODES = 72;
/** Maximum number of rack PDUs drawn between panels and racks; if there are more, they are drawn inside their racks. */
const MAX_PDU_BOXES = 48;

interface GroupedNodes {
  readonly drawn: readonly DrawnNode[];
  /** Index of the drawn node that contains each graph node; -1 for nodes that are not drawn. */
  readonly groupByNode: NodeNumbers;
  /** Index of the device with which each outlet is drawn; -1 for other nodes. */
  readonly ownerByOutlet: NodeNumbers;
}

/** An element of the picture: a node that the failure reaches, except outlets that are drawn with their devices. */
interface GroupedElement {
  readonly index: number;
  readonly kind: ElementClass;
  readonly place: ElementAreas;
}

/** Number of elements of a class in an area. */
interface AreaClassCount {
  readonly kind: ElementClass;
  readonly place: ElementAreas;
  readonly count: number;
}

/** Sorts a failure's elements into boxes, cards and groups. Cost: O(affected nodes). */
class NodeGrouper {
  readonly #graph: PowerGraph;
  readonly #elements: readonly GroupedElement[];
  readonly #owners: NodeNumbers;
  /** Outlets that are drawn with their devices. */
  readonly #ownedOutlets: readonly number[];
  readonly #keyNodes: ReadonlySet<number>;
  readonly #pinnedNodes: ReadonlySet<number>;
  readonly #pinnedRacks: ReadonlySet<string>;
  readonly #drawsPduBoxes: boolean;

  constructor(
    graph: PowerGraph,
    { impacts, affected, keyNodes }: FailureSurroundings,
    { rack, highlight }: { readonly rack: PowerFailure["rack"]; readonly highlight: ReadonlySet<string> },
  ) {
    this.#graph = graph;
    this.#keyNodes = keyNodes;
    this.#owners = new NodeNumbers(graph.nodes.length);
    this.#pinnedNodes = new Set([...highlight].flatMap((ref) => graph.indexOf.get(toRefKey(ref)) ?? []));
    this.#pinnedRacks = new Set(
      [...highlight].map((ref) => ref.toLowerCase()).filter((ref) => ref.startsWith("rack:")),
    );
    const places = new AreaFinder(rack);
    const parts: GroupedElement[] = [];
    const owned: number[] = [];
    let pdus = 0;
    for (const index of affected) {
      const node = graph.nodes[index];
      if (node === undefined) continue;
      const owner = this.#findOwner(index, impacts);
      if (owner !== undefined) {
        this.#owners.set(index, owner);
        owned.push(index);
        continue;
      }
      const place = findNodeAreas(places, node);
      const kind = this.#classifyNode(index, node, place);
      parts.push({ index, kind, place });
      if (kind === "PDU") pdus += 1;
    }
    this.#elements = parts;
    this.#ownedOutlets = owned;
    this.#drawsPduBoxes = pdus <= MAX_PDU_BOXES;
  }

  /** Number of drawn elements if nothing is collapsed. */
  get elements(): number {
    return this.#elements.length;
  }

  #classifyNode(index: number, node: PowerNode, place: ElementAreas): ElementClass {
    const racked = place.rack.startsWith("rack:");
    if (this.#keyNodes.has(index)) return "KEY";
    if (this.#pinnedNodes.has(index)) return racked ? "PINNED" : "KEY";
    if (node.kind === "CRAC") return racked ? "CONSUMER" : "COOLING";
    if (!isEquipment(node)) return "CONSUMER";
    return racked ? "PDU" : "EQUIPMENT";
  }

  #chooseScheme({ maxNodes, compact }: PowerCollapseOptions): GroupingScheme {
    const atoms = this.#countByArea();
    const [whole = {}, ...collapsing] = GROUPING_SCHEMES;
    if (!compact && this.elements <= maxNodes) return whole;
    const limit = Math.min(maxNodes, MAX_COLLAPSED_NODES);
    const fits = (most: number) => collapsing.find((scheme) => this.#countDrawnNodes(scheme, atoms) <= most);
    return fits(limit) ?? fits(maxNodes) ?? GROUPING_SCHEMES.at(-1) ?? whole;
  }

  collapseNodes(options: PowerCollapseOptions): GroupedNodes {
    const scheme = this.#chooseScheme(options);
    const groupOf = new NodeNumbers(this.#graph.nodes.length);
    const groups: { form: DrawnNode["form"]; id: string; members: number[] }[] = [];
    const byId = new Map<string, number>();
    // Many elements share their areas, so each combination is computed once.
    const byPlace = new Map<ElementAreas, Partial<Record<ElementClass, number>>>();
    const openGroup = (id: string, form: DrawnNode["form"]): number =>
      byId.getOrInsertComputed(id, () => groups.push({ form, id, members: [] }) - 1);
    const findSharedGroup = (kind: ElementClass, place: ElementAreas): number | undefined => {
      const known = byPlace.getOrInsert(place, {});
      const id = known[kind] === undefined ? this.#findGroupId(scheme, kind, place) : undefined;
      if (id !== undefined) known[kind] = openGroup(id, scheme.consumers === undefined ? "CARD" : "GROUP");
      return known[kind];
    };
    for (const { index, kind, place } of this.#elements) {
      const group = findSharedGroup(kind, place) ?? openGroup(this.#graph.nodes[index]?.ref ?? "", "BOX");
      groups[group]?.members.push(index);
      groupOf.set(index, group);
    }
    for (const outlet of this.#ownedOutlets) {
      const group = groupOf.at(this.#owners.at(outlet));
      if (group < 0) continue;
      groupOf.set(outlet, group);
      groups[group]?.members.push(outlet);
    }
    return {
      drawn: groups.map((group) => this.#finishGroup(group)),
      groupByNode: groupOf,
      ownerByOutlet: this.#owners,
    };
  }

  /** Returns the drawn node of a group; a box if the group has only one element. */
  #finishGroup(group: Omit<DrawnNode, "title">): DrawnNode {
    const [first = -1, second = -1] = group.members;
    const node = this.#graph.nodes[first];
    const alone = group.form === "GROUP" && (second < 0 || this.#owners.at(second) >= 0);
    if (node === undefined || !(alone || group.form === "BOX")) return { ...group, title: group.id };
    return { ...group, form: "BOX", id: node.ref, title: formatNodeTitle(node) };
  }

  /** Returns the index of the device with which an outlet is drawn; undefined for any other node. */
  #findOwner(index: number, impacts: FailureSurroundings["impacts"]): number | undefined {
    const node = this.#graph.nodes[index];
    if (node?.kind !== "OUTLET" || this.#keyNodes.has(index) || this.#pinnedNodes.has(index)) return undefined;
    const inlet = this.#graph.inlets.getFirstEdge(index);
    const supply = inlet === undefined ? undefined : this.#graph.nodes[inlet.from];
    // Most outlets are supplied by their own device, which saves the lookup by code.
    const own = supply?.kind === "DEVICE" && supply.device.code === node.end.deviceCode ? inlet?.from : undefined;
    const owner = own ?? this.#graph.indexOf.get(`device:${codeKey(node.end.deviceCode)}`);
    return owner === undefined || !impacts.has(owner) ? undefined : owner;
  }

  /** Counts the elements of each class in each area. */
  #countByArea(): readonly AreaClassCount[] {
    const atoms = new Map<ElementAreas, Map<ElementClass, number>>();
    for (const { kind, place } of this.#elements) {
      const counts = atoms.getOrInsertComputed(place, () => new Map());
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...atoms].flatMap(([place, counts]) => [...counts].map(([kind, count]) => ({ kind, place, count })));
  }

  #countDrawnNodes(scheme: GroupingScheme, atoms: readonly AreaClassCount[]): number {
    const groups = new Set<string>();
    let single = 0;
    for (const { kind, place, count } of atoms) {
      const id = this.#findGroupId(scheme, kind, place);
      if (id === undefined) single += count;
      else groups.add(id);
    }
    return single + groups.size;
  }

  /** Returns the id of the card or group in which an element is drawn; undefined for a separate box. */
  #findGroupId(scheme: GroupingScheme, kind: ElementClass, place: ElementAreas): string | undefined {
    if (scheme.consumers === "all") return "everything";
    switch (kind) {
      case "PDU":
        return scheme.consumers === undefined && this.#drawsPduBoxes
          ? undefined
          : this.#findConsumerArea(scheme, place);
      case "CONSUMER":
        return this.#findConsumerArea(scheme, place);
      case "COOLING":
        return `cooling of ${place[chooseCoolingAreaKind(scheme.consumers)]}`;
      case "PINNED":
        return scheme.consumers === undefined ? place.rack : undefined;
      case "EQUIPMENT":
        return scheme.equipment === undefined ? undefined : `equipment of ${place[toAreaKind(scheme.equipment)]}`;
      default:
        return scheme.keys === undefined ? undefined : `sources of ${place[toAreaKind(scheme.keys)]}`;
    }
  }

  #findConsumerArea({ consumers = "rack" }: GroupingScheme, place: ElementAreas): string {
    const near = place.rack;
    return this.#pinnedRacks.has(near.toLowerCase()) ? near : place[toAreaKind(consumers)];
  }
}

/** Returns the kind of area by which cooling units are grouped: at least a room, because units serve rooms. */
function chooseCoolingAreaKind(width: AreaKind | "all" | undefined): AreaKind {
  return width === undefined || width === "rack" || width === "row" ? "room" : toAreaKind(width);
}

function toAreaKind(width: AreaKind | "all"): AreaKind {
  return width === "all" ? "site" : width;
}

/** Whether a node is power equipment, a feed or an outlet, which supply other nodes. */
function isEquipment(node: PowerNode): boolean {
  return node.kind === "DEVICE" ? isPowerKind(node.device.kind) : node.kind !== "CRAC";
}

/** Returns the areas of a node; `UNKNOWN_AREAS` for outlets and feeds. */
function findNodeAreas(places: AreaFinder, node: PowerNode): ElementAreas {
  if (node.kind === "DEVICE") return places.findAreas(node.device);
  return node.kind === "CRAC" ? places.findAreas(node.crac) : UNKNOWN_AREAS;
}

export interface DrawnEdge {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Number of the edge's supplies that carry no power after the failure. */
  readonly dead: number;
  /** Feeds and outlets between the two nodes, at most three. */
  readonly via: readonly string[];
}

export interface CollapsedFailure {
  readonly surroundings: FailureSurroundings;
  readonly drawn: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  /** Number of elements that are shown only as part of a count. */
  readonly omittedElements: number;
}

/** Maximum number of feeds and outlets named on one edge. */
const MAX_NAMED_SUPPLIES = 3;

/**
 * Collapses the affected part of the graph until it fits: first consumers, then also equipment, by ever larger areas.
 * Every element belongs to exactly one drawn node.
 * Cost: O(nodes that the failure reaches + their edges).
 */
export function collapseFailure(failure: PowerFailure, options: PowerCollapseOptions): CollapsedFailure {
  const { graph, rack } = failure;
  const reach = collectFailureSurroundings(failure);
  const grouper = new NodeGrouper(graph, reach, { rack, highlight: options.highlight });
  const grouped = grouper.collapseNodes(options);
  const { drawn } = grouped;
  const shown = drawn.reduce(
    (sum, { form, members }) => sum + (form === "GROUP" ? 0 : countElements(graph, members)),
    0,
  );
  return {
    surroundings: reach,
    drawn,
    edges: listDrawnEdges(failure, reach, grouped),
    omittedElements: grouper.elements - shown,
  };
}

function countElements(graph: PowerGraph, members: readonly number[]): number {
  // An outlet drawn as a box counts as an element; outlets drawn with their device do not.
  return members.length === 1 ? 1 : members.filter((index) => graph.nodes[index]?.kind !== "OUTLET").length;
}

/** Collects the supplies between drawn nodes. Skips outlets that the failure does not affect. */
class SupplyCollector {
  readonly #graph: PowerGraph;
  readonly #groupByNode: NodeNumbers;
  readonly #edges = new Map<number, { from: number; to: number; count: number; dead: number; via: Set<string> }>();

  constructor(graph: PowerGraph, groupOf: NodeNumbers) {
    this.#graph = graph;
    this.#groupByNode = groupOf;
  }

  /** Adds the supplies from a node. @param own the node's reference if it is an outlet drawn with its device, or "" */
  addSupplies(index: number, own: string, { live }: PowerFailure["blast"]): void {
    for (const { to } of this.#graph.supplies.listEdges(index)) {
      const node = this.#graph.nodes[to];
      if (this.#findGroup(to) >= 0 || node?.kind !== "OUTLET") {
        this.#addSupply(index, to, { via: own, live: live[index] === 1 });
        continue;
      }
      for (const next of this.#graph.supplies.listEdges(to)) {
        this.#addSupply(index, next.to, { via: node.ref, live: live[to] === 1 });
      }
    }
  }

  listEdges(): readonly DrawnEdge[] {
    return [...this.#edges.values()].map((edge) => ({ ...edge, via: [...edge.via] }));
  }

  #addSupply(source: number, target: number, { via, live }: { readonly via: string; readonly live: boolean }): void {
    const [from, to] = [this.#findGroup(source), this.#findGroup(target)];
    if (to < 0 || from === to) return;
    const key = from * this.#graph.nodes.length + to;
    const edge = this.#edges.getOrInsertComputed(key, () => ({ from, to, count: 0, dead: 0, via: new Set() }));
    edge.count += 1;
    if (!live) edge.dead += 1;
    if (via !== "" && edge.via.size < MAX_NAMED_SUPPLIES) edge.via.add(via);
  }

  #findGroup(index: number): number {
    return this.#groupByNode.at(index);
  }
}

function listDrawnEdges(
  { graph, blast }: PowerFailure,
  { affected }: FailureSurroundings,
  { groupByNode, ownerByOutlet }: GroupedNodes,
): readonly DrawnEdge[] {
  const supplies = new SupplyCollector(graph, groupByNode);
  for (const index of affected) {
    if (groupByNode.at(index) < 0) continue;
    supplies.addSupplies(index, ownerByOutlet.at(index) >= 0 ? (graph.nodes[index]?.ref ?? "") : "", blast);
  }
  return supplies.listEdges();
}

import { NodeNumbers } from "#dc/analysis/node_numbers.ts";
import type { PowerGraph, PowerNode } from "#dc/analysis/power/power_graph.ts";
import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { refKey } from "#dc/model/resource_key.ts";
import { isRacked, NOWHERE, type Place, Places, type Width } from "../places.ts";
import { type PowerFailure, type Reach, titleOf } from "./failure.ts";

/** One drawn node: an element (BOX), an area with its elements (CARD), or an area as counts (GROUP). */
export interface Drawn {
  readonly form: "BOX" | "CARD" | "GROUP";
  /** The reference of an element or area; a generated id for the equipment or the cooling of an area. */
  readonly id: string;
  readonly title: string;
  /** Nodes of the power graph. Outlets are drawn with the device that they belong to. */
  readonly members: readonly number[];
}

export interface CollapseOptions {
  readonly maxNodes: number;
  /** References that are not collapsed as long as one more group fits. */
  readonly highlight: ReadonlySet<string>;
  /** Draws racks as counts even if their devices would fit. */
  readonly compact: boolean;
}

/**
 * CONSUMER is drawn in a card; EQUIPMENT and KEY are boxes unless they must be collapsed; PINNED is then drawn outside
 * its card.
 */
type Class = "CONSUMER" | "COOLING" | "PDU" | "EQUIPMENT" | "KEY" | "PINNED";

interface Scheme {
  /** Undefined draws every element. */
  readonly consumers?: Width | "all";
  readonly equipment?: Width | "all";
  readonly keys?: Width | "all";
}

/** From every element to one group; the first scheme that fits is used. */
const SCHEMES: readonly Scheme[] = [
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

/** Maximum number of drawn nodes once anything is collapsed: a hundred groups are unreadable. */
const COLLAPSED_NODES = 72;
/** Maximum number of rack PDUs drawn between panels and racks; otherwise they are drawn inside their racks. */
const PDU_BOXES = 48;

export interface Grouped {
  readonly drawn: readonly Drawn[];
  /** The drawn node of every graph node; -1 for none. */
  readonly groupOf: NodeNumbers;
  /** The device with which an outlet is drawn, by node; -1 for none. */
  readonly owners: NodeNumbers;
}

/** An element of the picture: a node that the failure reaches, except outlets that are drawn with their devices. */
interface Element {
  readonly index: number;
  readonly kind: Class;
  readonly place: Place;
}

/** Number of elements of a class in an area. */
interface Atom {
  readonly kind: Class;
  readonly place: Place;
  readonly count: number;
}

/**
 * Sorts the elements of a failure into boxes, cards and groups. Cost: the nodes that the failure reaches, which are few of
 * a large site's.
 */
export class NodeGrouper {
  readonly #graph: PowerGraph;
  readonly #parts: readonly Element[];
  readonly #owners: NodeNumbers;
  /** Outlets that are drawn with their devices. */
  readonly #owned: readonly number[];
  readonly #keys: ReadonlySet<number>;
  readonly #pinned: ReadonlySet<number>;
  readonly #pinnedRacks: ReadonlySet<string>;
  readonly #fewPdus: boolean;

  constructor(
    graph: PowerGraph,
    { impacts, touched, keys }: Reach,
    { rack, highlight }: { readonly rack: PowerFailure["rack"]; readonly highlight: ReadonlySet<string> },
  ) {
    this.#graph = graph;
    this.#keys = keys;
    this.#owners = new NodeNumbers(graph.nodes.length);
    this.#pinned = new Set([...highlight].flatMap((ref) => graph.indexOf.get(refKey(ref)) ?? []));
    this.#pinnedRacks = new Set(
      [...highlight].map((ref) => ref.toLowerCase()).filter((ref) => ref.startsWith("rack:")),
    );
    const places = new Places(rack);
    const parts: Element[] = [];
    const owned: number[] = [];
    let pdus = 0;
    for (const index of touched) {
      const node = graph.nodes[index];
      if (node === undefined) continue;
      const owner = this.#ownerOf(index, impacts);
      if (owner !== undefined) {
        this.#owners.set(index, owner);
        owned.push(index);
        continue;
      }
      const place = placeOf(places, node);
      const kind = this.#classOf(index, node, place);
      parts.push({ index, kind, place });
      if (kind === "PDU") pdus += 1;
    }
    this.#parts = parts;
    this.#owned = owned;
    this.#fewPdus = pdus <= PDU_BOXES;
  }

  /** Number of drawn elements if nothing is collapsed. */
  get elements(): number {
    return this.#parts.length;
  }

  collapse(options: CollapseOptions): Grouped {
    return this.#group(this.#choose(options));
  }

  #classOf(index: number, node: PowerNode, place: Place): Class {
    const racked = isRacked(place);
    if (this.#keys.has(index)) return "KEY";
    if (this.#pinned.has(index)) return racked ? "PINNED" : "KEY";
    if (node.kind === "CRAC") return racked ? "CONSUMER" : "COOLING";
    if (!isEquipment(node)) return "CONSUMER";
    return racked ? "PDU" : "EQUIPMENT";
  }

  #choose({ maxNodes, compact }: CollapseOptions): Scheme {
    const atoms = this.#atoms();
    const [whole = {}, ...collapsing] = SCHEMES;
    if (!compact && this.elements <= maxNodes) return whole;
    const limit = Math.min(maxNodes, COLLAPSED_NODES);
    const fits = (most: number) => collapsing.find((scheme) => this.#size(scheme, atoms) <= most);
    return fits(limit) ?? fits(maxNodes) ?? SCHEMES.at(-1) ?? whole;
  }

  #group(scheme: Scheme): Grouped {
    const groupOf = new NodeNumbers(this.#graph.nodes.length);
    const groups: { form: Drawn["form"]; id: string; members: number[] }[] = [];
    const byId = new Map<string, number>();
    // Many elements share an area, so each combination is computed once.
    const byPlace = new Map<Place, Partial<Record<Class, number>>>();
    const open = (id: string, form: Drawn["form"]): number => {
      const known = byId.get(id);
      if (known !== undefined) return known;
      byId.set(id, groups.length);
      return groups.push({ form, id, members: [] }) - 1;
    };
    const shared = (kind: Class, place: Place): number | undefined => {
      const known = byPlace.get(place) ?? {};
      byPlace.set(place, known);
      const id = known[kind] === undefined ? this.#idAt(scheme, kind, place) : undefined;
      if (id !== undefined) known[kind] = open(id, scheme.consumers === undefined ? "CARD" : "GROUP");
      return known[kind];
    };
    for (const { index, kind, place } of this.#parts) {
      const group = shared(kind, place) ?? open(this.#graph.nodes[index]?.ref ?? "", "BOX");
      groups[group]?.members.push(index);
      groupOf.set(index, group);
    }
    for (const outlet of this.#owned) {
      const group = groupOf.at(this.#owners.at(outlet));
      if (group < 0) continue;
      groupOf.set(outlet, group);
      groups[group]?.members.push(outlet);
    }
    return { drawn: groups.map((group) => this.#finished(group)), groupOf, owners: this.#owners };
  }

  /** Draws a group with one member as that member. */
  #finished(group: Omit<Drawn, "title">): Drawn {
    const [first = -1, second = -1] = group.members;
    const node = this.#graph.nodes[first];
    const alone = group.form === "GROUP" && (second < 0 || this.#owners.at(second) >= 0);
    if (node === undefined || !(alone || group.form === "BOX")) return { ...group, title: group.id };
    return { ...group, form: "BOX", id: node.ref, title: titleOf(node) };
  }

  /** The device with which an outlet is drawn, if the picture contains it. */
  #ownerOf(index: number, impacts: Reach["impacts"]): number | undefined {
    const node = this.#graph.nodes[index];
    if (node?.kind !== "OUTLET" || this.#keys.has(index) || this.#pinned.has(index)) return undefined;
    const inlet = this.#graph.inlets.first(index);
    const supply = inlet === undefined ? undefined : this.#graph.nodes[inlet.from];
    // Most outlets are supplied by their own device, which saves the lookup by code.
    const own = supply?.kind === "DEVICE" && supply.device.code === node.end.deviceCode ? inlet?.from : undefined;
    const owner = own ?? this.#graph.indexOf.get(`device:${codeKey(node.end.deviceCode)}`);
    return owner === undefined || !impacts.has(owner) ? undefined : owner;
  }

  /** Counts the elements of each class in each area. */
  #atoms(): readonly Atom[] {
    const atoms = new Map<Place, Map<Class, number>>();
    for (const { kind, place } of this.#parts) {
      const counts = atoms.get(place) ?? new Map<Class, number>();
      if (counts.size === 0) atoms.set(place, counts);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...atoms].flatMap(([place, counts]) => [...counts].map(([kind, count]) => ({ kind, place, count })));
  }

  #size(scheme: Scheme, atoms: readonly Atom[]): number {
    const groups = new Set<string>();
    let single = 0;
    for (const { kind, place, count } of atoms) {
      const id = this.#idAt(scheme, kind, place);
      if (id === undefined) single += count;
      else groups.add(id);
    }
    return single + groups.size;
  }

  /** The thing in which an element is drawn; undefined for a separate box. */
  #idAt(scheme: Scheme, kind: Class, place: Place): string | undefined {
    if (scheme.consumers === "all") return "everything";
    switch (kind) {
      case "PDU":
        return scheme.consumers === undefined && this.#fewPdus ? undefined : this.#consumerAt(scheme, place);
      case "CONSUMER":
        return this.#consumerAt(scheme, place);
      case "COOLING":
        return `cooling of ${place[widen(scheme.consumers)]}`;
      case "PINNED":
        return scheme.consumers === undefined ? place.rack : undefined;
      case "EQUIPMENT":
        return scheme.equipment === undefined ? undefined : `equipment of ${place[wideWidth(scheme.equipment)]}`;
      default:
        return scheme.keys === undefined ? undefined : `sources of ${place[wideWidth(scheme.keys)]}`;
    }
  }

  #consumerAt({ consumers = "rack" }: Scheme, place: Place): string {
    const near = place.rack;
    return this.#pinnedRacks.has(near.toLowerCase()) ? near : place[wideWidth(consumers)];
  }
}

/** Cooling units serve rooms, regardless of their row. */
function widen(width: Width | "all" | undefined): Width {
  return width === undefined || width === "rack" || width === "row" ? "room" : wideWidth(width);
}

function wideWidth(width: Width | "all"): Width {
  return width === "all" ? "site" : width;
}

/** Whether a node exists to supply others. */
function isEquipment(node: PowerNode): boolean {
  return node.kind === "DEVICE" ? isPowerKind(node.device.kind) : node.kind !== "CRAC";
}

/** Outlets drawn alone and undeclared feeds have no area. */
function placeOf(places: Places, node: PowerNode): Place {
  if (node.kind === "DEVICE") return places.of(node.device);
  return node.kind === "CRAC" ? places.of(node.crac) : NOWHERE;
}

import { codeKey } from "#dc/model/code.ts";
import type { AreaKind, FailureKind } from "#dc/model/enum_values.ts";
import { formatCableRef, formatFabricLinkRef, formatPortReference, formatRef, type Ref } from "#dc/model/ref.ts";
import { formatEdgeKey } from "#dc/model/resource_key.ts";
import type { Cable, FabricLink, PortRef } from "#dc/model/resources.ts";
import { isLocatedIn } from "../location_scope.ts";
import { findAreaRef, formatAreaKey, listAreasInScope } from "../places.ts";
import type { BlastSite } from "../power/blast_radius.ts";
import { insertInletNodes } from "../power/failed_inlets.ts";
import { sortNodes } from "../power/node_order.ts";
import { getNodeOwner, isPowerEquipmentNode } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { isInScope, listFailingElements } from "./elements.ts";
import type { FailingElement } from "./outcome.ts";

/** Kinds of elements that fail unless a request names kinds. Other kinds fail only if they are named. */
export const DEFAULT_KINDS: ReadonlySet<FailureKind> = new Set(["POWER", "OUTLET", "COOLING", "SWITCH"]);

const LOCATION_KINDS = ["RACK", "ROW", "ROOM", "ZONE"] as const satisfies readonly (AreaKind & FailureKind)[];

/** An element, and the network parts that fail with it; `network` is undefined for an element of a default kind. */
export interface NamedElement {
  readonly element: FailingElement;
  readonly network:
    | {
        readonly nodes: ReadonlySet<number>;
        readonly networkPorts: readonly PortRef[];
        readonly links: ReadonlySet<string>;
      }
    | undefined;
}

export interface ElementChoice {
  readonly kinds: ReadonlySet<FailureKind>;
  readonly scope: Ref | undefined;
  /** Links that can carry traffic. */
  readonly links: readonly FabricLink[];
  /** Connected data cables; empty unless data cables are among the kinds. */
  readonly cables: readonly Cable[];
}

/** Elements of the kinds that a request names, and the site in which the inlets among them are nodes. */
export interface ElementSelection {
  readonly site: BlastSite;
  readonly elements: readonly NamedElement[];
}

/** Lists the elements of chosen kinds. Cost: the inventory's elements, and copies of all nodes' lists for inlets. */
export function listNamedElements(topology: Topology, choice: ElementChoice): ElementSelection {
  const { kinds, links, cables } = choice;
  const { site, elements: inlets } = kinds.has("INLET")
    ? listInletElements(topology, choice)
    : { site: topology, elements: [] };
  const listKind = (kind: FailureKind, list: () => readonly NamedElement[]) => (kinds.has(kind) ? list() : []);
  const isInside = createEndScopeFilter(topology, choice.scope);
  return {
    site,
    elements: [
      ...listDefaultElements(topology, choice),
      ...inlets,
      ...listKind("PANEL", () => listPanelElements(topology, choice)),
      ...listKind("CABLE", () => cables.filter(isInside).map((cable) => createCableElement(cable))),
      ...listKind("LINK", () => links.filter(isInside).map((link) => createLinkElement(link))),
      ...LOCATION_KINDS.flatMap((kind) => listKind(kind, () => listLocationElements(topology, kind, choice.scope))),
    ],
  };
}

function listDefaultElements(topology: Topology, { kinds, scope }: ElementChoice): readonly NamedElement[] {
  if (![...kinds].some((kind) => DEFAULT_KINDS.has(kind))) return [];
  return listFailingElements(topology)
    .filter(({ index, kind }) => kinds.has(kind) && (scope === undefined || isInScope(topology, index, scope)))
    .map((element) => ({ element, network: undefined }));
}

/** Lists inlets with a recorded supply; the load of other inlets is unknown. */
function listInletElements(topology: Topology, { scope }: ElementChoice): ElementSelection {
  const { power, inventory } = topology;
  const ends: PortRef[] = [];
  for (const device of inventory.devices) {
    if (scope !== undefined && !isLocatedIn(device, scope)) continue;
    const index = power.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
    for (const { inlet, how } of power.inlets.listEdges(index))
      if (how === undefined && inlet !== "") ends.push({ deviceCode: device.code, portName: inlet });
  }
  const { site, nodes } = insertInletNodes(topology, ends);
  const elements = [...nodes.values()].flatMap((index): NamedElement[] => {
    const node = site.power.nodes[index];
    if (node?.kind !== "OUTLET" || site.live[index] !== 1) return [];
    return [{ element: { index, kind: "INLET", ref: formatPortReference(node.end) }, network: undefined }];
  });
  return { site, elements };
}

function listPanelElements({ power, live }: Topology, { scope }: ElementChoice): readonly NamedElement[] {
  const found = [...power.nodes.keys()].filter((index) => {
    const node = power.nodes[index];
    if (node?.kind !== "DEVICE" || node.device.kind !== "PATCH_PANEL" || live[index] !== 1) return false;
    return scope === undefined || isLocatedIn(node.device, scope);
  });
  return sortNodes(power, found).map((index) => ({
    element: { index, kind: "PANEL" },
    network: { nodes: new Set([index]), networkPorts: [], links: new Set() },
  }));
}

const NO_FAILING_MEMBERS = { nodes: [], unlisted: new Set<number>() };

function createCableElement({ a, b }: Cable): NamedElement {
  const element: FailingElement = { index: -1, kind: "CABLE", ref: formatCableRef(a, b), members: NO_FAILING_MEMBERS };
  return { element, network: { nodes: new Set(), networkPorts: [a, b], links: new Set() } };
}

function createLinkElement({ a, b }: FabricLink): NamedElement {
  const element: FailingElement = {
    index: -1,
    kind: "LINK",
    ref: formatFabricLinkRef(a, b),
    members: NO_FAILING_MEMBERS,
  };
  return { element, network: { nodes: new Set(), networkPorts: [], links: new Set([formatEdgeKey(a, b)]) } };
}

function createEndScopeFilter(topology: Topology, scope: Ref | undefined) {
  return ({ a, b }: { readonly a: PortRef; readonly b: PortRef }): boolean =>
    scope === undefined ||
    [a, b].some(({ deviceCode }) => {
      const device = topology.device(deviceCode);
      return device !== undefined && isLocatedIn(device, scope);
    });
}

/** Lists locations of a kind that intersect a scope, each with all equipment in it. */
function listLocationElements(
  topology: Topology,
  kind: (typeof LOCATION_KINDS)[number],
  scope: Ref | undefined,
): readonly NamedElement[] {
  const { power, inventory } = topology;
  const inside = new Map<string, number[]>();
  for (const [index, node] of power.nodes.entries()) {
    const located = getNodeOwner(node);
    const area = located && findAreaRef(located, kind)?.toLowerCase();
    if (area === undefined) continue;
    inside.getOrInsert(area, []).push(index);
  }
  return listAreasInScope(inventory, kind, scope).map((area): NamedElement => {
    const nodes = sortNodes(power, inside.get(formatAreaKey(area)) ?? []);
    const unlisted = new Set(nodes.filter((index) => isPowerEquipmentNode(power, index)));
    return {
      element: { index: -1, kind, ref: formatRef(area), members: { nodes, unlisted } },
      network: { nodes: new Set(nodes), networkPorts: [], links: new Set() },
    };
  });
}

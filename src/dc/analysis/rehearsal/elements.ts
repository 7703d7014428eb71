import type { Impact, Takeover, ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { AreaKind, FailureKind, LoadBasis } from "../../model/enum_values.ts";
import {
  codeKey,
  compareText,
  formatCableRef,
  formatEdgeKey,
  formatFabricLinkRef,
  formatPortReference,
  formatRef,
  type Ref,
} from "../../model/ref.ts";
import type { Cable, Crac, FabricLink, PortRef } from "../../model/resources.ts";
import { computeDeratedKw } from "../cooling/cooling_units.ts";
import { findAreaRef, formatAreaKey, isLocatedIn, listAreasInScope } from "../places.ts";
import { type BlastRadius, type BlastSite, insertInletNodes, type TrippedSource } from "../power/blast_radius.ts";
import type { Overloaded } from "../power/failure_state.ts";
import { sortNodes } from "../power/node_numbers.ts";
import { computeComparableLoad } from "../power/power_node_table.ts";
import { getNodeOwner, isPowerEquipmentNode, type PowerGraph, type PowerNode } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { ZoneShortageFinder } from "./zone_shortage.ts";

/**
 * Lists the elements that a rehearsal fails: live equipment that supplies something, cooling units in service, and
 * switches in service. Ordered by code, each device before its outlets.
 */
export function listFailingElements(topology: Topology): readonly FailingElement[] {
  const { inventory, power, live } = topology;
  const switches = new Set(inventory.fabricLinks.flatMap(({ a, b }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]));
  const kinds = new Map<number, FailureKind>();
  for (const [index, node] of power.nodes.entries()) {
    if (live[index] !== 1) continue;
    const kind = findFailureKind(node, power.supplies.count(index) > 0, switches);
    if (kind !== undefined) kinds.set(index, kind);
  }
  return sortNodes(power, [...kinds.keys()]).map((index) => ({ index, kind: kinds.get(index) as FailureKind }));
}

function findFailureKind(node: PowerNode, supplies: boolean, linkEnds: ReadonlySet<string>): FailureKind | undefined {
  if (node.kind === "CRAC") return "COOLING";
  if (node.kind === "DEVICE") {
    // A PDU without recorded consumers has no known effect.
    if (supplies) return "POWER";
    const { kind, code } = node.device;
    return kind === "SWITCH" || (linkEnds.has(codeKey(code)) && !isPowerKind(kind)) ? "SWITCH" : undefined;
  }
  return supplies ? "OUTLET" : undefined;
}

/**
 * Whether an element is located in a scope. An outlet or declared feed has the location of its device. An undeclared
 * feed has the locations of its consumers, because its own location is unknown.
 */
export function isInScope(topology: Topology, index: number, scope: Ref): boolean {
  const { power } = topology;
  const node = power.nodes[index];
  const owner = getNodeOwner(node);
  if (owner !== undefined) return isLocatedIn(owner, scope);
  if (node?.kind === "OUTLET") {
    const device = topology.device(node.end.deviceCode);
    return device !== undefined && isLocatedIn(device, scope);
  }
  return power.supplies.listEdges(index).some(({ to }) => isInScope(topology, to, scope));
}

/** Whether an element supplies another element that has consumers. */
export function suppliesOtherSuppliers({ power: { supplies } }: Topology, index: number): boolean {
  return supplies.listEdges(index).some(({ to }) => supplies.count(to) > 0);
}

export function getElementRef({ nodes }: PowerGraph, { index, ref }: FailingElement): string {
  return ref ?? nodes[index]?.ref ?? "";
}

/** Returns the name of an element's device or cooling unit; empty if it has none. */
export function getElementName({ nodes }: PowerGraph, index: number): string {
  return getNodeOwner(nodes[index])?.name ?? "";
}

/** Returns the cooling units in service among some nodes. */
export function selectCoolingUnits({ nodes }: PowerGraph, indexes: Iterable<number>): readonly Crac[] {
  return [...indexes].flatMap((index) => {
    const node = nodes[index];
    return node?.kind === "CRAC" && !node.blocked ? [node.crac] : [];
  });
}

/** Adds failed cooling units to an impact, because a blast radius does not count failed sources. */
export function addFailedCooling({ nodes }: PowerGraph, impact: Impact, elements: readonly FailingElement[]): Impact {
  let { cracsOffline, coolingLostKw } = impact;
  for (const { index } of elements) {
    const node = nodes[index];
    if (node?.kind !== "CRAC") continue;
    cracsOffline += 1;
    coolingLostKw += computeDeratedKw(node.crac);
  }
  return cracsOffline === impact.cracsOffline ? impact : { ...impact, cracsOffline, coolingLostKw };
}

/** Returns nodes of devices and cooling units that do not work after a failure, failed elements included. */
export function listNonworkingNodes(
  { nodes }: { readonly nodes: ReadonlySet<number> },
  { hits }: BlastRadius,
): readonly number[] {
  return [...new Set([...nodes, ...hits.filter(({ state }) => state === "OFFLINE").map(({ index }) => index)])];
}

/** Lists the supplies whose load rises after a failure, the most utilized first. Cost: the nodes whose loads change. */
export function listLoadTakeovers(
  site: BlastSite,
  { live, apparentAfter: after, changedLoadNodes }: BlastRadius,
  basis: LoadBasis,
): readonly Takeover[] {
  const { power } = site;
  const before = site.apparentLoads(basis);
  const found: Takeover[] = [];
  for (const index of changedLoadNodes) {
    if (live[index] !== 1 || (after.watts[index] ?? 0) <= (before.watts[index] ?? 0)) continue;
    const { ref = "", capacityW } = power.nodes[index] ?? {};
    const load = computeComparableLoad(power, index, after);
    if (load <= computeComparableLoad(power, index, before)) continue;
    found.push({
      ref,
      loadBeforeW: before.watts[index] ?? 0,
      loadAfterW: after.watts[index] ?? 0,
      ...(capacityW !== undefined && { capacityW, utilizationPct: capacityW === 0 ? 0 : (load / capacityW) * 100 }),
    });
  }
  return found.sort(
    (a, b) =>
      (b.utilizationPct ?? -1) - (a.utilizationPct ?? -1) || b.loadAfterW - a.loadAfterW || compareText(a.ref, b.ref),
  );
}

/** Lists areas whose cooling a failure reduces, sorted by reference and medium. @param off nodes that do not work */
export function listZoneShortages(
  topology: Topology,
  off: readonly number[],
  basis: LoadBasis,
): readonly ZoneShortage[] {
  const lost = selectCoolingUnits(topology.power, off);
  if (lost.length === 0) return [];
  const zones = new ZoneShortageFinder(topology, basis).listShortages(lost, off);
  return zones.toSorted((a, b) => compareText(a.ref, b.ref) || compareText(a.medium, b.medium));
}

/** An element that fails; `index` is its node in the power graph, -1 if it has no node. */
export interface FailingElement {
  readonly index: number;
  readonly kind: FailureKind;
  /** Reference of an element without a node. */
  readonly ref?: string;
  /** Nodes that fail with a location; empty for a data cable or a fabric link. */
  readonly members?: FailingMembers;
}

/** Nodes that fail together with an element. */
interface FailingMembers {
  readonly nodes: readonly number[];
  /** Members that do not count as offline themselves. */
  readonly unlisted: ReadonlySet<number>;
}

/** Returns the nodes that fail with an element. */
export function listFailingNodes({ index, members }: FailingElement): readonly number[] {
  return members === undefined ? [index] : members.nodes;
}

/** Effects on power of losing some elements at once. Lists contain node numbers in no particular order. */
export interface PowerOutcome {
  readonly elements: readonly FailingElement[];
  /** Counts as in a blast radius; failed cooling units among the elements are counted as well. */
  readonly impact: Impact;
  /** Nodes without power before anything trips, the failed elements included. */
  readonly direct: readonly number[];
  /** Devices and cooling units that go offline: not the failed elements, but the contents of failed locations. */
  readonly offline: readonly number[];
  /** Devices and cooling units that stay on with less supply. */
  readonly degraded: readonly number[];
  /** Keys of racks. */
  readonly racksDark: readonly string[];
  readonly racksPartial: readonly string[];
  readonly racksProtected: readonly string[];
  /** Racks of `racksDark` that go dark only after something trips. */
  readonly racksDarkByTrip: readonly string[];
  readonly trips: readonly TrippedSource[];
  readonly overloads: readonly Overloaded[];
}

/** Returns nodes that do not work after a failure, its elements included. */
export function listOutcomeOffNodes({ elements, offline }: PowerOutcome): readonly number[] {
  return [...new Set([...elements.flatMap(listFailingNodes), ...offline])];
}

/** An outcome with its effects on cooling and networks. */
export interface Failure extends PowerOutcome {
  readonly zones: readonly ZoneShortage[];
  /** Numbers of the fabric links that go down. */
  readonly links: readonly number[];
  /** Nodes of switches that stay on without a working uplink. */
  readonly cutOff: readonly number[];
  /** Nodes of devices that stay on without a data path. */
  readonly isolated: readonly number[];
  /** Whether data paths of devices pass what fails. Then other failures decide which of these devices are on. */
  readonly meetsDataPaths: boolean;
}

/** Kinds of elements that fail unless a request names kinds. Other kinds fail only if they are named. */
export const DEFAULT_KINDS: ReadonlySet<FailureKind> = new Set(["POWER", "OUTLET", "COOLING", "SWITCH"]);

const LOCATION_KINDS = ["RACK", "ROW", "ROOM", "ZONE"] as const satisfies readonly (AreaKind & FailureKind)[];

/** Failed elements of networks: ports, keys of fabric links, and nodes, of which those that pass signals on matter. */
export interface FailedNetwork {
  readonly nodes: ReadonlySet<number>;
  readonly networkPorts: readonly PortRef[];
  readonly links: ReadonlySet<string>;
}

/** An element, and the network parts that fail with it; `network` is undefined for an element of a default kind. */
interface NamedElement {
  readonly element: FailingElement;
  readonly network: FailedNetwork | undefined;
}

interface ElementChoice {
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

function listPanelElements({ power }: Topology, { scope }: ElementChoice): readonly NamedElement[] {
  const found = [...power.nodes.keys()].filter((index) => {
    const node = power.nodes[index];
    if (node?.kind !== "DEVICE" || node.device.kind !== "PATCH_PANEL" || node.blocked) return false;
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

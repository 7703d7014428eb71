import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { FailureKind } from "#dc/model/enum_values.ts";
import type { Ref } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import type { Impact } from "#gen/datacenter/v1/messages.ts";
import { computeDeratedKw } from "../cooling/cooling_units.ts";
import { isLocatedIn } from "../location_scope.ts";
import { sortNodes } from "../power/node_order.ts";
import type { PowerGraph, PowerNode } from "../power/power_graph.ts";
import { getNodeOwner } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import type { FailingElement } from "./outcome.ts";

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

import { isLocatedIn } from "#dc/analysis/location_scope.ts";
import { sortNodes } from "#dc/analysis/power/node_order.ts";
import type { PowerGraph } from "#dc/analysis/power/power_graph.ts";
import { collectDownstream } from "#dc/analysis/power/power_reach.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Ref, RefKind } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { Device } from "#dc/model/resources.ts";
import { readRef } from "./parameters.ts";

/** Nodes of a power source reference. Nodes in `equipment` fail themselves; the other nodes only lose supply. */
export interface SourceNodes {
  readonly nodes: ReadonlySet<number>;
  readonly equipment: ReadonlySet<number>;
}

const POWER_SOURCE_KINDS = ["feed", "device", "port", "rack", "row", "room", "floor", "site"] as const;

/**
 * Resolves a source reference: one element, or everything in a location that draws or distributes power. A rack without
 * devices resolves to no nodes.
 * @throws Refusal REQUIRED_FIELD or INVALID_REF for a missing reference or an unsupported kind, NOT_FOUND for an
 * unknown element or location
 */
export function resolveSourceNodes(
  { power: graph, inventory }: Pick<Topology, "power" | "inventory">,
  text: string,
  field: string,
  kinds: readonly RefKind[] = POWER_SOURCE_KINDS,
): SourceNodes {
  const ref = readRef(field, text, kinds);
  const single = graph.indexOf.get(toRefKey(text));
  if (single !== undefined) {
    const nodes = new Set([single]);
    // A cooling unit only loses its supply and goes offline, as it does when its room fails.
    return { nodes, equipment: graph.nodes[single]?.kind === "CRAC" ? new Set() : nodes };
  }
  const inside = [...graph.nodes.keys()].filter((index) => isInLocation(graph, index, ref));
  const nodes = sortNodes(graph, inside);
  if (nodes.length === 0 && !inventory.racks.some((rack) => isLocatedIn({ ...rack, rackCode: rack.code }, ref)))
    throw refuse("NOT_FOUND", `Cannot find power source "${text}"`, { field, value: text, ref: text });
  return { nodes: new Set(nodes), equipment: new Set(nodes.filter((index) => isPowerEquipment(graph, index))) };
}

function isPowerEquipment(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
}

function isInLocation(graph: PowerGraph, index: number, ref: Ref): boolean {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return isLocatedIn(node.device, ref);
  return node?.kind === "CRAC" && isLocatedIn(node.crac, ref);
}

/** Returns the codes of devices downstream of the sources, directly or indirectly, without the sources. */
export function listDownstreamCodes(graph: PowerGraph, { nodes }: SourceNodes): readonly string[] {
  const downstream = [...collectDownstream(graph, nodes)].filter((index) => !nodes.has(index));
  return listNodeDevices(graph, downstream).map(({ code }) => code);
}

/** Returns the devices among the given nodes of the power graph, in the order of the nodes. */
export function listNodeDevices({ nodes }: PowerGraph, indexes: Iterable<number>): readonly Device[] {
  return [...indexes].flatMap((index) => {
    const node = nodes[index];
    return node?.kind === "DEVICE" ? [node.device] : [];
  });
}

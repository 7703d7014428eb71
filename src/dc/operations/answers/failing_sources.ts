import { isLocatedIn } from "../../analysis/places.ts";
import { type BlastSite, insertInletNodes } from "../../analysis/power/blast_radius.ts";
import { sortNodes } from "../../analysis/power/node_numbers.ts";
import { collectDownstream, type PowerGraph } from "../../analysis/power/power_nodes.ts";
import type { Topology } from "../../analysis/topology.ts";
import { isPowerKind } from "../../model/draw.ts";
import { codeKey, formatEdgeKey, isSamePort, type Ref, type RefKind, toPortKey, toRefKey } from "../../model/ref.ts";
import { refuse } from "../../model/refusal.ts";
import type { Device, Port, PortRef } from "../../model/resources.ts";
import type { DcReader } from "../../ports.ts";
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
  const equipment = nodes.filter((index) => {
    const node = graph.nodes[index];
    return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
  });
  return { nodes: new Set(nodes), equipment: new Set(equipment) };
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

export const FAILING_REF_KINDS = [
  "feed",
  "device",
  "crac",
  "port",
  "cable",
  "fabric_link",
  "rack",
  "row",
  "room",
  "zone",
  "floor",
  "site",
] as const;

/** Elements that fail together, and the site whose power graph contains their inlets as nodes. */
export interface FailingSources extends SourceNodes {
  readonly site: BlastSite;
  /** The requested references, and the nodes of each. */
  readonly requestedRefs: readonly { readonly ref: string; readonly nodes: ReadonlySet<number> }[];
  /** Network ports that fail. They are not nodes of the power graph. */
  readonly networkPorts: readonly PortRef[];
  /** Keys of fabric links that fail. They are not nodes of the power graph. */
  readonly links: ReadonlySet<string>;
}

/** One resolved reference of a request. */
interface ResolvedSource {
  readonly ref: string;
  readonly sources?: SourceNodes;
  readonly inlet?: PortRef;
  readonly networkPorts?: readonly PortRef[];
  readonly link?: string;
}

const NO_NODES: ReadonlySet<number> = new Set();

/** A reference of a request, and the field that contains it. */
export interface RequestedRef {
  readonly field: string;
  readonly text: string;
}

/** Resolves references of failing elements. @throws Refusal for an unsupported kind or a missing element */
export async function resolveFailingSources(
  { topology, reader }: { readonly topology: Topology; readonly reader: DcReader },
  refs: readonly RequestedRef[],
): Promise<FailingSources> {
  const found: ResolvedSource[] = [];
  for (const { field, text } of refs) {
    found.push({ ref: text, ...(await resolveSourceRef({ topology, reader }, text, field)) });
  }
  const { site, nodes } = insertInletNodes(
    topology,
    found.flatMap(({ inlet }) => inlet ?? []),
  );
  const getNodes = ({ sources, inlet }: ResolvedSource): SourceNodes => {
    const index = inlet && nodes.get(toPortKey(inlet));
    const own = index === undefined ? NO_NODES : new Set([index]);
    return sources ?? { nodes: own, equipment: own };
  };
  const all = found.map(getNodes);
  return {
    site,
    requestedRefs: found.map(({ ref }, at) => ({ ref, nodes: all[at]?.nodes ?? NO_NODES })),
    nodes: new Set(all.flatMap((one) => [...one.nodes])),
    equipment: new Set(all.flatMap(({ equipment }) => [...equipment])),
    networkPorts: found.flatMap(({ networkPorts = [] }) => networkPorts),
    links: new Set(found.flatMap(({ link }) => link ?? [])),
  };
}

type SourceLookup = { readonly topology: Topology; readonly reader: DcReader };

async function resolveSourceRef(site: SourceLookup, text: string, field: string): Promise<Omit<ResolvedSource, "ref">> {
  const { topology } = site;
  const ref: Ref = readRef(field, text, FAILING_REF_KINDS);
  const createMissingRefusal = () =>
    refuse("NOT_FOUND", `Cannot find ${field} "${text}"`, { field, value: text, ref: text });
  if (topology.power.indexOf.get(toRefKey(text)) !== undefined)
    return { sources: resolveSourceNodes(topology, text, field, FAILING_REF_KINDS) };
  switch (ref.kind) {
    case "port":
      return resolvePort(site, ref.end, createMissingRefusal);
    case "cable": {
      const cable = await site.reader.cableAt(ref.a);
      if (cable === undefined || formatEdgeKey(cable.a, cable.b) !== formatEdgeKey(ref.a, ref.b))
        throw createMissingRefusal();
      const inlet = [cable.a, cable.b].find((end) => findPowerPort(topology, end)?.kind === "POWER_IN");
      return inlet === undefined ? { networkPorts: [cable.a, cable.b] } : { inlet };
    }
    case "fabric_link": {
      const key = formatEdgeKey(ref.a, ref.b);
      if (!topology.inventory.fabricLinks.some(({ a, b }) => formatEdgeKey(a, b) === key)) throw createMissingRefusal();
      return { link: key };
    }
    // Existing devices, cooling units and feeds are nodes of the power graph, so only locations remain.
    default:
      return { sources: resolveSourceNodes(topology, text, field, FAILING_REF_KINDS) };
  }
}

/** Resolves a port that is no node of the power graph: an inlet, or a network port. */
async function resolvePort(
  { topology, reader }: SourceLookup,
  end: PortRef,
  missing: () => Error,
): Promise<Omit<ResolvedSource, "ref">> {
  if (findPowerPort(topology, end)?.kind === "POWER_IN") return { inlet: end };
  const device = await reader.device(end.deviceCode);
  const port = device?.ports?.find(({ name }) => name === end.portName);
  if (device === undefined || port === undefined) throw missing();
  return { networkPorts: [{ deviceCode: device.code, portName: port.name }] };
}

function findPowerPort(topology: Topology, end: PortRef): Port | undefined {
  const device = topology.device(codeKey(end.deviceCode));
  return device?.ports?.find(({ name }) =>
    isSamePort({ deviceCode: device.code, portName: name }, { ...end, deviceCode: device.code }),
  );
}

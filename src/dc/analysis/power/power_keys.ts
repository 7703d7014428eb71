import { codeKey } from "#dc/model/code.ts";
import { toPortKey } from "#dc/model/ref.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";

export function listOutlets({ ports = [] }: Device): readonly Port[] {
  return ports.filter(({ kind }) => kind === "POWER_OUT");
}

/** Returns the keys of an outlet's node: its port, and the feed that it declares. */
export function listOutletKeys({ code }: Device, { name, powerOut }: Port): readonly string[] {
  const own = `port:${toPortKey({ deviceCode: code, portName: name })}`;
  return powerOut?.feedId === undefined ? [own] : [own, `feed:${codeKey(powerOut.feedId)}`];
}

/** Returns the keys of the references by which an inlet can name a device: the device, its outlets and their feeds. */
export function listSupplyKeys(device: Device): readonly string[] {
  return [`device:${codeKey(device.code)}`, ...listOutlets(device).flatMap((port) => listOutletKeys(device, port))];
}

/** Maps each key of a device's nodes to the first key of the same node. */
function mapDeviceNodeKeys(device: Device | undefined): ReadonlyMap<string, string> {
  if (device === undefined) return new Map();
  const outlets = listOutlets(device).flatMap((port) => {
    const keys = listOutletKeys(device, port);
    return keys.map((key) => [key, keys[0] ?? ""] as const);
  });
  const own = `device:${codeKey(device.code)}`;
  return new Map([[own, own], ...outlets]);
}

/** Lists keys of a device's nodes that are new, different or gone after a change. */
export function listChangedNodeKeys(before: Device | undefined, after: Device | undefined): readonly string[] {
  const was = mapDeviceNodeKeys(before);
  const is = mapDeviceNodeKeys(after);
  return [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
}

/** Returns the first key of a node; empty without a node. */
export function getNodeKey(node: PowerNode | undefined): string {
  switch (node?.kind) {
    case "DEVICE":
      return `device:${codeKey(node.device.code)}`;
    case "OUTLET":
      return `port:${toPortKey(node.end)}`;
    case "CRAC":
      return `crac:${codeKey(node.crac.code)}`;
    default:
      return node?.ref.toLowerCase() ?? "";
  }
}

/**
 * Lists the nodes that differ between two states of a graph in their record, inlets or supplies. A change replaces
 * these objects, so identity is compared.
 */
export function listChangedNodes(now: PowerGraph, before: PowerGraph): readonly number[] {
  const found: number[] = [];
  const size = Math.max(now.nodes.length, before.nodes.length);
  for (let index = 0; index < size; index += 1) {
    const isSame = now.nodes[index] === before.nodes[index] && now.edges.hasSameEdges(before.edges, index);
    if (!isSame) found.push(index);
  }
  return found;
}

/** Marks nodes and all nodes that supply connects to them. Cost: the marked nodes, and a byte for each node. */
export function markConnectedNodes({ nodes, edges }: PowerGraph, start: readonly number[]): Uint8Array {
  const { inAt, inEnd, from, outAt, outEnd, outEdge, to } = edges;
  const marks = new Uint8Array(nodes.length);
  const found = start.filter((index) => index < nodes.length);
  for (const index of found) marks[index] = 1;
  const add = (index: number) => {
    if (marks[index] === 1) return;
    marks[index] = 1;
    found.push(index);
  };
  // The loop appends to the array while it iterates, so the array also serves as the queue.
  for (const index of found) {
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) add(from[at] as number);
    for (let at = outAt[index] as number; at < (outEnd[index] as number); at += 1)
      add(to[outEdge[at] as number] as number);
  }
  return marks;
}

import { codeKey } from "#dc/model/code.ts";
import { portKey } from "#dc/model/ref.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";

// The keys under which the power graph finds the nodes of a device.

export function outletsOf({ ports = [] }: Device): readonly Port[] {
  return ports.filter(({ kind }) => kind === "POWER_OUT");
}

/** The keys of an outlet's node: its port, and the feed that it declares. */
export function outletKeys({ code }: Device, { name, powerOut }: Port): readonly string[] {
  const own = `port:${portKey({ deviceCode: code, portName: name })}`;
  return powerOut?.feedId === undefined ? [own] : [own, `feed:${codeKey(powerOut.feedId)}`];
}

/** The keys of a device's nodes, each with the key of the node that it finds. */
function keysOf(device: Device | undefined): ReadonlyMap<string, string> {
  if (device === undefined) return new Map();
  const outlets = outletsOf(device).flatMap((port) => {
    const keys = outletKeys(device, port);
    return keys.map((key) => [key, keys[0] ?? ""] as const);
  });
  const own = `device:${codeKey(device.code)}`;
  return new Map([[own, own], ...outlets]);
}

/** Keys that map to another node of a device than before, no longer map to one, or now do. */
export function changedKeys(before: Device | undefined, after: Device | undefined): readonly string[] {
  const was = keysOf(before);
  const is = keysOf(after);
  return [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
}

/** The first key of a node; empty for none. */
export function nodeKey(node: PowerNode | undefined): string {
  switch (node?.kind) {
    case "DEVICE":
      return `device:${codeKey(node.device.code)}`;
    case "OUTLET":
      return `port:${portKey(node.end)}`;
    case "CRAC":
      return `crac:${codeKey(node.crac.code)}`;
    default:
      return node?.ref.toLowerCase() ?? "";
  }
}

/** The nodes that differ between two states of a graph in themselves, their inlets or their supplies: a change makes new ones. */
export function changedNodes(now: PowerGraph, before: PowerGraph): readonly number[] {
  const found: number[] = [];
  const size = Math.max(now.nodes.length, before.nodes.length);
  for (let index = 0; index < size; index += 1) {
    const isSame = now.nodes[index] === before.nodes[index] && now.edges.isSame(before.edges, index);
    if (!isSame) found.push(index);
  }
  return found;
}

/** Marks nodes and everything that supply connects to them. Cost: the marked nodes, and a byte for each node. */
export function joinedBySupply({ nodes, edges }: PowerGraph, start: readonly number[]): Uint8Array {
  const { inAt, inEnd, from, outAt, outEnd, outEdge, to } = edges;
  const marks = new Uint8Array(nodes.length);
  const found = start.filter((index) => index < nodes.length);
  for (const index of found) marks[index] = 1;
  const add = (index: number) => {
    if (marks[index] === 1) return;
    marks[index] = 1;
    found.push(index);
  };
  // The array grows while it is walked, so it is the queue as well.
  for (const index of found) {
    for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) add(from[at] as number);
    for (let at = outAt[index] as number; at < (outEnd[index] as number); at += 1)
      add(to[outEdge[at] as number] as number);
  }
  return marks;
}

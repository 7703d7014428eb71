import { codeKey } from "#dc/model/code.ts";
import { portKey } from "#dc/model/ref.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import type { PowerNode } from "./power_graph.ts";

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

import type { SiteReader } from "./inventory.ts";
import { codeKey, formatPortReference, isSamePort, parseRef } from "./ref.ts";
import type { Device, Port } from "./resources.ts";

// The upstream side of the power graph, read step by step. Nodes are references: device, port (an outlet) or feed.

/** Returns the enabled power inlets of a device, in port order. */
export function listEnabledInlets(device: Device): readonly Port[] {
  return (device.ports ?? []).filter(isEnabledInlet);
}

/** Whether a port is an enabled power inlet. */
export function isEnabledInlet({ kind, enabled }: Port): boolean {
  return kind === "POWER_IN" && enabled !== false;
}

/** Returns the reference of an inlet's supply: its source_ref, otherwise the outlet at the other end of its cable. */
export async function findSupplyRef(
  device: Device,
  inlet: Port,
  site: Pick<SiteReader, "cableAt">,
): Promise<string | undefined> {
  const named = inlet.powerIn?.sourceRef;
  if (named !== undefined) return named;
  const end = { deviceCode: device.code, portName: inlet.name };
  const cable = await site.cableAt(end);
  if (cable === undefined) return undefined;
  return formatPortReference(isSamePort(cable.a, end) ? cable.b : cable.a);
}

/** Reads that a search along the supply needs. */
type SupplyReader = Pick<SiteReader, "device" | "cableAt" | "feedDeclarer">;

/** Returns the references of the elements directly upstream of a node. */
export async function listUpstreamRefs(node: string, site: SupplyReader): Promise<readonly string[]> {
  const ref = parseRef(node);
  if (ref?.kind === "feed") {
    const declarer = await site.feedDeclarer(ref.code);
    return declarer === undefined ? [] : [formatPortReference(declarer)];
  }
  // An outlet depends on its device, regardless of the inlet that it draws through.
  if (ref?.kind === "port") return [`device:${ref.end.deviceCode}`];
  return ref?.kind === "device" ? listDeviceSupplyRefs(await site.device(ref.code), site) : [];
}

async function listDeviceSupplyRefs(device: Device | undefined, site: SupplyReader): Promise<readonly string[]> {
  if (device === undefined) return [];
  const found: string[] = [];
  for (const inlet of listEnabledInlets(device)) {
    const source = await findSupplyRef(device, inlet, site);
    if (source !== undefined) found.push(source);
  }
  return found;
}

/**
 * Returns a cycle from `device` upstream back to itself, as references, or undefined without a cycle. Cost: one read
 * per element upstream. Source: docs/contract/datacenter-analyses.md#power-graph.
 */
export async function findPowerCycle(device: Device, site: SiteReader): Promise<readonly string[] | undefined> {
  const start = `device:${device.code}`;
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of await listUpstreamRefs(node, site)) {
      if (isDeviceRef(next, device.code)) return [...buildCyclePath(node, cameFrom), start];
      const key = next.toLowerCase();
      if (!cameFrom.has(key)) {
        cameFrom.set(key, node);
        queue.push(next);
      }
    }
  }
  return undefined;
}

/** Whether a reference names the device or one of its outlets. */
export function isDeviceRef(node: string, deviceCode: string): boolean {
  const ref = parseRef(node);
  if (ref?.kind === "device") return codeKey(ref.code) === codeKey(deviceCode);
  return ref?.kind === "port" && codeKey(ref.end.deviceCode) === codeKey(deviceCode);
}

function buildCyclePath(node: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way: string[] = [];
  for (let at: string | undefined = node; at !== undefined; at = cameFrom.get(at.toLowerCase())) way.unshift(at);
  return way;
}

/**
 * Returns labels of the power paths that supply an inlet: the inlet's label; otherwise the nearest labels at or beyond
 * its feeds, because a PDU's label may be wrong. Without feeds it returns the nearest labels, and without labels the
 * roots. Cost: one read per element up to the labels.
 */
export async function findPathLabels(device: Device, inlet: Port, site: SupplyReader): Promise<ReadonlySet<string>> {
  const own = inlet.powerIn?.powerPath;
  if (own !== undefined) return new Set([own]);
  const source = await findSupplyRef(device, inlet, site);
  if (source === undefined) return new Set();
  const feeds = await collectPathMarks([source], site, async (node) => (node.startsWith("feed:") ? node : undefined));
  const beyond = [...feeds].filter((node) => node.startsWith("feed:"));
  return collectPathMarks(beyond.length > 0 ? beyond : [source], site, (node) => readPathLabel(node, site));
}

/** Returns the nearest mark (a label or feed) on each path upstream, or the root of a path without a mark. */
async function collectPathMarks(
  from: readonly string[],
  site: SupplyReader,
  findMark: (node: string) => Promise<string | undefined>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const seen = new Set(from.map((node) => node.toLowerCase()));
  const queue = [...from];
  for (const node of queue) {
    const label = await findMark(node);
    const above = label === undefined ? await listUpstreamRefs(node, site) : [];
    if (above.length === 0) found.add(label ?? node);
    for (const next of above) {
      if (!seen.has(next.toLowerCase())) queue.push(next);
      seen.add(next.toLowerCase());
    }
  }
  return found;
}

async function readPathLabel(node: string, site: SupplyReader): Promise<string | undefined> {
  const ref = parseRef(node);
  if (ref?.kind === "device") return (await site.device(ref.code))?.power?.powerPath;
  return ref?.kind === "port" ? (await site.device(ref.end.deviceCode))?.power?.powerPath : undefined;
}

import type { FindDeviceByKey } from "#dc/analysis/fabric/fabric_tiers.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { NetworkPortSummary } from "#dc/model/inventory.ts";
import { codeKey } from "#dc/model/ref.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import type { ReadSession } from "../rpc.ts";

/** The devices at the ends of all fabric links at one revision of the inventory. */
export interface SwitchDevices {
  readonly topology: Topology;
  readonly deviceOf: FindDeviceByKey;
  /** Keys of the codes of these devices. */
  readonly keys: ReadonlySet<string>;
}

const switchesByTopology = new WeakMap<Topology, Promise<SwitchDevices>>();
let latestTopology: WeakRef<Topology> | undefined;

/**
 * Reads the devices at the ends of all fabric links with their network ports, once per revision. The topology omits
 * these ports, and a link on a disabled port is down. Reuses the devices of the previous revision if none of them has
 * changed.
 */
export async function readSwitchesOnce(reader: DcReader, topology: Topology): Promise<SwitchDevices> {
  const before = latestTopology?.deref();
  const earlier = before === undefined ? undefined : await switchesByTopology.get(before)?.catch(() => undefined);
  const reading = switchesByTopology.getOrInsertComputed(topology, () => readSwitches(reader, topology, earlier));
  latestTopology = new WeakRef(topology);
  // The next call repeats a read that was cancelled.
  reading.catch(() => switchesByTopology.delete(topology));
  return reading;
}

async function readSwitches(reader: DcReader, topology: Topology, earlier?: SwitchDevices): Promise<SwitchDevices> {
  const { fabricLinks } = topology.inventory;
  const keys = getLinkEndKeys(fabricLinks);
  const isSame = (key: string) => topology.device(key) === earlier?.topology.device(key);
  if (earlier?.keys === keys && [...keys].every(isSame)) return { ...earlier, topology };
  return { topology, keys, deviceOf: createDeviceLookup(await readDevicesByKey(reader, keys)) };
}

/** Creates the function outside of `readSwitches`, because a closure there would keep earlier switches in memory. */
function createDeviceLookup(devices: ReadonlyMap<string, Device>): FindDeviceByKey {
  return (key) => devices.get(key);
}

/** Reads the devices at the ends of some links with all of their ports. */
export async function readLinkEndDevices(
  reader: DcReader,
  links: readonly FabricLink[],
): Promise<ReadonlyMap<string, Device>> {
  return readDevicesByKey(reader, getLinkEndKeys(links));
}

async function readDevicesByKey(reader: DcReader, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, Device>> {
  const devices = keys.size === 0 ? [] : await reader.devices([...keys]);
  return new Map(devices.map((device) => [codeKey(device.code), device]));
}

const keysOfLinks = new WeakMap<readonly FabricLink[], ReadonlySet<string>>();

/** Returns the keys of the devices at the ends of links. Cost: the links, at the first call for a list. */
export function getLinkEndKeys(links: readonly FabricLink[]): ReadonlySet<string> {
  const known = keysOfLinks.get(links);
  if (known !== undefined) return known;
  const codes = new Set<string>();
  for (const { a, b } of links) codes.add(a.deviceCode).add(b.deviceCode);
  const keys = new Set([...codes].map(codeKey));
  keysOfLinks.set(links, keys);
  return keys;
}

/** Number of switches whose ports one read returns. A read takes some milliseconds. */
const SWITCHES_PER_READ = 200;

/** Reads the free ports of some switches, by the key of the switch code. */
export async function readFreeSwitchPorts(
  { reader, scheduler }: Pick<ReadSession, "reader" | "scheduler">,
  switches: readonly Device[],
): Promise<ReadonlyMap<string, NetworkPortSummary>> {
  const found = new Map<string, NetworkPortSummary>();
  const codes = switches.map(({ code }) => code);
  for (let at = 0; at < codes.length; at += SWITCHES_PER_READ) {
    await scheduler.yieldIfDue();
    for (const [key, ports] of await reader.networkPorts(codes.slice(at, at + SWITCHES_PER_READ)))
      found.set(key, ports);
  }
  return found;
}

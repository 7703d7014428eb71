import type { DeviceOf } from "#dc/analysis/fabric/fabric_tiers.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import type { NetworkPorts } from "#dc/model/inventory.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import type { ReadSession } from "../rpc.ts";

/** The devices at the ends of all fabric links of a state of the inventory. */
export interface Switches {
  readonly topology: Topology;
  readonly deviceOf: DeviceOf;
  /** Keys of their codes. */
  readonly keys: ReadonlySet<string>;
}

const byTopology = new WeakMap<Topology, Promise<Switches>>();
let latest: WeakRef<Topology> | undefined;

/** Looks up the devices at the ends of all fabric links. Cost: as of `switchesOf`. */
export async function allSwitches(reader: DcReader, topology: Topology): Promise<DeviceOf> {
  return (await switchesOf(reader, topology)).deviceOf;
}

/**
 * Reads the devices at the ends of all fabric links with their network ports, once per revision. The topology omits
 * these ports, and a link on a disabled port is down.
 * @returns with the function of the previous revision if none of these devices changed since
 */
export async function switchesOf(reader: DcReader, topology: Topology): Promise<Switches> {
  const before = latest?.deref();
  const earlier = before === undefined ? undefined : await byTopology.get(before)?.catch(() => undefined);
  const reading = byTopology.get(topology) ?? readSwitches(reader, topology, earlier);
  byTopology.set(topology, reading);
  latest = new WeakRef(topology);
  // A read that was cancelled is done again by the next call.
  reading.catch(() => byTopology.delete(topology));
  return reading;
}

async function readSwitches(reader: DcReader, topology: Topology, earlier?: Switches): Promise<Switches> {
  const { fabricLinks } = topology.inventory;
  const keys = earlier?.topology.inventory.fabricLinks === fabricLinks ? earlier.keys : keysOf(fabricLinks);
  const isSame = (key: string) => topology.device(key) === earlier?.topology.device(key);
  if (earlier?.keys === keys && [...keys].every(isSame)) return { ...earlier, topology };
  return { topology, keys, deviceOf: lookUp(await devicesOf(reader, keys)) };
}

/** A separate function, since one that is made within an asynchronous function keeps its parameters, the earlier switches too. */
function lookUp(devices: ReadonlyMap<string, Device>): DeviceOf {
  return (key) => devices.get(key);
}

/** Reads the devices at the ends of some links with all of their ports. */
export async function withNetworkPorts(
  reader: DcReader,
  links: readonly FabricLink[],
): Promise<ReadonlyMap<string, Device>> {
  return devicesOf(reader, keysOf(links));
}

async function devicesOf(reader: DcReader, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, Device>> {
  const devices = keys.size === 0 ? [] : await reader.devices([...keys]);
  return new Map(devices.map((device) => [codeKey(device.code), device]));
}

function keysOf(links: readonly FabricLink[]): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const { a, b } of links) codes.add(a.deviceCode).add(b.deviceCode);
  return new Set([...codes].map(codeKey));
}

/** Switches whose ports are read at once: some milliseconds' work. */
const READ_AT_ONCE = 200;

/** Free ports of switches by the key of their code, as far as they were read for a state of the inventory. */
let ofLatest = new WeakMap<Topology, Map<string, NetworkPorts>>();

/** The free ports of some switches; each is read once for a state of the inventory. */
export async function freeSwitchPorts(
  { reader, scheduler }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  switches: readonly Device[],
): Promise<ReadonlyMap<string, NetworkPorts>> {
  const found = ofLatest.get(topology) ?? new Map<string, NetworkPorts>();
  // One state's are kept: they take as much memory as the switches themselves.
  ofLatest = new WeakMap([[topology, found]]);
  const codes = switches.map(({ code }) => code).filter((code) => !found.has(codeKey(code)));
  for (let at = 0; at < codes.length; at += READ_AT_ONCE) {
    await scheduler.yieldIfDue();
    for (const [key, ports] of await reader.networkPorts(codes.slice(at, at + READ_AT_ONCE))) found.set(key, ports);
  }
  return found;
}

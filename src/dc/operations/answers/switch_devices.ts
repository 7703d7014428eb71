import type { DeviceOf } from "#dc/analysis/fabric_tiers.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";

const byTopology = new WeakMap<Topology, Promise<ReadonlyMap<string, Device>>>();

/**
 * Reads the devices at the ends of all fabric links with their network ports, once for each state of the inventory: a
 * topology leaves these ports out, and a link of a disabled port is down.
 */
export async function allSwitches(reader: DcReader, topology: Topology): Promise<DeviceOf> {
  const reading = byTopology.get(topology) ?? withNetworkPorts(reader, topology.inventory.fabricLinks);
  byTopology.set(topology, reading);
  // A read that was cancelled is done again by the next call.
  reading.catch(() => byTopology.delete(topology));
  const devices = await reading;
  return (key) => devices.get(key) ?? topology.device(key);
}

/** Reads the devices at the ends of some links with all of their ports. */
export async function withNetworkPorts(
  reader: DcReader,
  links: readonly FabricLink[],
): Promise<ReadonlyMap<string, Device>> {
  const codes = new Set(links.flatMap(({ a, b }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]));
  const devices = codes.size === 0 ? [] : await reader.devices([...codes]);
  return new Map(devices.map((device) => [codeKey(device.code), device]));
}

import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import type { NetworkPorts } from "#dc/model/network_ports.ts";
import type { Device } from "#dc/model/resources.ts";
import type { ReadSession } from "../rpc.ts";

/** Switches whose ports are read at once: some milliseconds' work. */
const READ_AT_ONCE = 200;

/** Free ports of switches by the key of their code, as far as they were read for a state of the inventory. */
let latest = new WeakMap<Topology, Map<string, NetworkPorts>>();

/** The free ports of some switches; each is read once for a state of the inventory. */
export async function freeSwitchPorts(
  { reader, scheduler }: Pick<ReadSession, "reader" | "scheduler">,
  topology: Topology,
  switches: readonly Device[],
): Promise<ReadonlyMap<string, NetworkPorts>> {
  const found = latest.get(topology) ?? new Map<string, NetworkPorts>();
  // One state's are kept: they take as much memory as the switches themselves.
  latest = new WeakMap([[topology, found]]);
  const codes = switches.map(({ code }) => code).filter((code) => !found.has(codeKey(code)));
  for (let at = 0; at < codes.length; at += READ_AT_ONCE) {
    await scheduler.yieldIfDue();
    for (const [key, ports] of await reader.networkPorts(codes.slice(at, at + READ_AT_ONCE))) found.set(key, ports);
  }
  return found;
}

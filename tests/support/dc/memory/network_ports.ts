import type { NetworkPortSummary } from "#dc/model/inventory.ts";
import { codeKey, isSamePort } from "#dc/model/ref.ts";
import type { Cable, Device } from "#dc/model/resources.ts";

/** The network ports of devices by plain search. */
export function networkPortsOf(
  devices: readonly Device[],
  cables: readonly Cable[],
): ReadonlyMap<string, NetworkPortSummary> {
  const ends = cables.flatMap(({ a, b }) => [a, b]);
  const found = new Map<string, NetworkPortSummary>();
  for (const { code, ports = [] } of devices) {
    const all = ports.filter(({ kind }) => kind === "NETWORK");
    const isCabled = (portName: string) => ends.some((end) => isSamePort(end, { deviceCode: code, portName }));
    const free = all.filter(({ name, markConnected }) => markConnected !== true && !isCabled(name));
    const divided = all.flatMap(({ parentPort }) => parentPort ?? []);
    if (all.length > 0) found.set(codeKey(code), { count: all.length, free, divided });
  }
  return found;
}

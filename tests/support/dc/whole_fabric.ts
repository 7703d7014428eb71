import { analyseFabric, type FabricOptions, type FabricReport } from "#dc/analysis/fabric/fabric.ts";
import { codeKey } from "#dc/model/ref.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";

/** The answer about all links at once. */
export function wholeFabric(
  links: readonly FabricLink[],
  devices: readonly Device[],
  options: FabricOptions = { congestionPct: 80, watchPct: 60, failedDeviceCodes: [] },
): FabricReport {
  const byKey = new Map(devices.map((device) => [codeKey(device.code), device]));
  return analyseFabric({ listed: links, mesh: links, own: links }, (key) => byKey.get(key), options);
}

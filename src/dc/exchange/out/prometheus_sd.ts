import { type ExportFile, type ExportInventory, factsOf, isReachable } from "./inventory.ts";

/**
 * Targets for Prometheus' file_sd_configs: one group for each device that can be asked, with its facts as labels
 * `planner_<fact>`. The target is the device's name, else its code; relabelling adds a port.
 */
export function prometheusSd({ devices }: ExportInventory): readonly ExportFile[] {
  const groups = devices.filter(isReachable).map((device) => ({
    targets: [device.name ?? device.code],
    labels: Object.fromEntries(Object.entries(factsOf(device)).map(([name, value]) => [`planner_${name}`, value])),
  }));
  return [{ name: "planner.json", text: `${JSON.stringify(groups, null, 2)}\n` }];
}

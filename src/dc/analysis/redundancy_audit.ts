import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Redundancy } from "#dc/model/enum_values.ts";
import { meetsRedundancy } from "#dc/model/redundancy.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import { sideOfSource } from "./power_chain.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { inService } from "./rack_supply.ts";

/**
 * Codes of those of a rack's devices in service whose live supplies fall short of what is required: by the device itself,
 * else by its rack, whose demand is not meant for power equipment. Devices without recorded inlets are left out: nothing
 * is known. Cost: O(inlets × depth).
 *
 * @param rack undefined for devices that stand in none
 */
export function redundancyUnmet(
  { power: graph, live }: { readonly power: PowerGraph; readonly live: LiveSet },
  rack: Rack | undefined,
  devices: readonly Device[],
): readonly string[] {
  const unmet = (device: Device): boolean => {
    const required = requiredOf(rack, device);
    if (required === undefined || !inService(device)) return false;
    const index = graph.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
    if (graph.nodes[index]?.need === 0) return false;
    const inlets = (graph.inlets[index] ?? []).filter(({ from }) => live[from] === 1);
    const labels = new Set(inlets.map(({ from, label }) => label ?? sideOfSource(graph, live, from)));
    const supplied = { inlets: inlets.length, sides: labels.size, need: device.power?.minLiveInlets ?? 1 };
    return !meetsRedundancy(required, supplied);
  };
  return devices.filter(unmet).map(({ code }) => code);
}

function requiredOf(rack: Rack | undefined, { kind, power }: Device): Redundancy | undefined {
  return power?.requiredRedundancy ?? (isPowerKind(kind) ? undefined : rack?.requiredRedundancy);
}

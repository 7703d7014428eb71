import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import { meetsRedundancy } from "#dc/model/redundancy.ts";
import type { Device } from "#dc/model/resources.ts";
import type { Redundancy } from "#dc/model/words.ts";
import { sideOfSource } from "./power_chain.ts";
import { inService } from "./rack_supply.ts";
import type { Topology } from "./topology.ts";

/**
 * Codes of the devices in service whose live supplies fall short of what is required: by the device itself, else by its
 * rack, whose demand is not meant for power equipment. Devices without recorded inlets are left out: nothing is known.
 * Cost: O(devices + sources × depth) once per topology.
 */
export function redundancyUnmet(topology: Topology): readonly string[] {
  const known = audits.get(topology) ?? audit(topology);
  audits.set(topology, known);
  return known;
}

/** Every page of a list asks anew. */
const audits = new WeakMap<Topology, readonly string[]>();

function audit(topology: Topology): readonly string[] {
  const { power: graph, live } = topology;
  const sides = new Map<number, string>();
  const sideOf = (from: number): string => {
    const known = sides.get(from) ?? sideOfSource(graph, live, from);
    sides.set(from, known);
    return known;
  };
  const unmet = (device: Device): boolean => {
    const required = requiredOf(topology, device);
    const index = graph.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
    if (required === undefined || !inService(device) || graph.nodes[index]?.need === 0) return false;
    const inlets = (graph.inlets[index] ?? []).filter(({ from }) => live[from] === 1);
    const labels = new Set(inlets.map(({ from, label }) => label ?? sideOf(from)));
    const supplied = { inlets: inlets.length, sides: labels.size, need: device.power?.minLiveInlets ?? 1 };
    return !meetsRedundancy(required, supplied);
  };
  return topology.estate.devices.filter(unmet).map(({ code }) => code);
}

function requiredOf(topology: Topology, { kind, power, rackCode }: Device): Redundancy | undefined {
  if (power?.requiredRedundancy !== undefined) return power.requiredRedundancy;
  return rackCode === undefined || isPowerKind(kind) ? undefined : topology.rack(rackCode)?.requiredRedundancy;
}

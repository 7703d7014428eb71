import { lacksDraw } from "#dc/model/blades.ts";
import { codeKey } from "#dc/model/code.ts";
import { getDrawW } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { isInService } from "#dc/model/in_service.ts";
import { formatRef, type Ref } from "#dc/model/ref.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type { Device } from "#dc/model/resources.ts";
import type { AreaCapacity, FreePower as FreeSupply } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import type { DevicePort } from "../cabling/trace_site.ts";
import { isLocatedIn, selectRacksIn } from "../location_scope.ts";
import type { SupplyLoadState } from "../placement/supply_paths.ts";
import type { RackCapacity } from "../racks/rack_elevation.ts";
import type { Topology } from "../topology.ts";
import type { AreaCooling } from "./area_cooling.ts";
import { countFreePortsByType } from "./area_ports.ts";
import { computeFreePower, type ReachedLimit } from "./free_power.ts";
import type { SuppliedRack } from "./rack_supply_limits.ts";

export interface CapacityInput {
  readonly topology: Topology;
  readonly state: SupplyLoadState;
  /** Racks that accept devices, by key. */
  readonly racks: ReadonlyMap<string, SuppliedRack>;
  readonly cooling: AreaCooling;
  /** Free ports of switches, by the key of the device. */
  readonly switchPorts: ReadonlyMap<string, readonly DevicePort[]>;
  readonly basis: LoadBasis;
  /** Measured part of the draw of each consumer in watts, by node. */
  readonly measuredW: ReadonlyMap<number, number> | undefined;
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

/** Computes the free capacity of an area. Cost: its racks, devices, and the limits upstream of its racks. */
export function* computeAreaCapacity(input: CapacityInput, area: Ref): Steps<AreaCapacity> {
  const { topology, basis, now } = input;
  const { racks, devices } = topology.inventory;
  const all = selectRacksIn(racks, area);
  const open = all.flatMap(({ code }) => input.racks.get(codeKey(code)) ?? []);
  const inside = devices.filter((device) => isLocatedIn(device, area));
  const rackCapacities: RackCapacity[] = [];
  for (const { rack } of open) {
    yield;
    rackCapacities.push(topology.computeRackStanding(rack, { basis, now }).elevation.capacity);
  }
  const block = Math.max(0, ...rackCapacities.map(({ largestFreeBlockU }) => largestFreeBlockU));
  const outlets = new Set(open.flatMap(({ taps }) => taps));
  const ports = [
    ...inside.flatMap(({ code }) => input.switchPorts.get(codeKey(code)) ?? []),
    ...[...outlets].flatMap(({ device, outlets: free = [] }) => free.map(({ port }) => ({ device, port }))),
  ];
  return {
    ref: formatRef(area),
    racks: open.length,
    racksOutOfUse: all.length - open.length,
    racksWithoutSupply: open.filter(({ supplyPaths }) => supplyPaths.length === 0).length,
    totalU: rackCapacities.reduce((sum, { totalU }) => sum + totalU, 0),
    freeU: rackCapacities.reduce((sum, { freeU }) => sum + freeU, 0),
    largestFreeBlockU: block,
    largestFreeBlockRack:
      open[rackCapacities.findIndex(({ largestFreeBlockU }) => largestFreeBlockU === block)]?.rack.code ?? "",
    drawKw: inside.reduce((sum, device) => sum + (isInService(device) ? (getDrawW(device, basis) ?? 0) : 0), 0) / 1000,
    devicesWithoutDraw: inside.filter(lacksDraw).length,
    measuredDrawKw: sumMeasuredKw(input, inside),
    power: yield* computeFreeSupply(input.state, open),
    air: yield* input.cooling.computeFreeCooling(area, "AIR"),
    liquid: yield* input.cooling.computeFreeCooling(area, "LIQUID"),
    ports: yield* countFreePortsByType(topology, ports),
  };
}

function sumMeasuredKw({ topology, measuredW }: CapacityInput, devices: readonly Device[]): number | undefined {
  if (measuredW === undefined) return undefined;
  const getMeasuredW = ({ code }: Device) =>
    measuredW.get(topology.power.indexOf.get(`device:${codeKey(code)}`) ?? -1) ?? 0;
  return devices.reduce((sum, device) => sum + (isInService(device) ? getMeasuredW(device) : 0), 0) / 1000;
}

function* computeFreeSupply(state: SupplyLoadState, racks: readonly SuppliedRack[]): Steps<FreeSupply> {
  const supplied = racks.filter(({ supplyPaths }) => supplyPaths.length > 0);
  const now = yield* computeFreePower(supplied, "NOW");
  const later = yield* computeFreePower(supplied, "AFTER_FAILURE");
  return {
    freeKw: now.watts === undefined ? undefined : now.watts / 1000,
    limitRef: now.reachedLimit?.limit.ref ?? "",
    failoverFreeKw: later.watts === undefined ? undefined : later.watts / 1000,
    failoverLimitRef: later.reachedLimit?.limit.ref ?? "",
    failureRef: (later.reachedLimit && getFailureRef(state, later.reachedLimit)) ?? "",
  };
}

function getFailureRef({ graph, carried }: SupplyLoadState, { limit, loss }: ReachedLimit): string | undefined {
  if (limit.reason !== "SUPPLY_FAILOVER") return undefined;
  const index = graph.indexOf.get(toRefKey(limit.ref)) ?? -1;
  return graph.nodes[loss >= 0 ? loss : (carried.failover.lost[index] ?? -1)]?.ref;
}

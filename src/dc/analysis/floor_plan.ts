import { rectangle } from "#dc/model/footprint.ts";
import type { Ref } from "#dc/model/ref.ts";
import type { Crac, Device, DeviceBody, Rack } from "#dc/model/resources.ts";
import type { Health, LoadBasis } from "#dc/model/words.ts";
import { standsIn } from "./location_scope.ts";
import { type RackCapacity, rackElevation } from "./rack_elevation.ts";
import { type HealthReason, rackHealth } from "./rack_health.ts";
import { type RackThermal, rackThermal } from "./thermal_spots.ts";
import type { Topology } from "./topology.ts";

export interface RackOnFloor {
  readonly rack: Rack;
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
  readonly capacity: RackCapacity;
  readonly thermal: RackThermal;
}

export interface FloorAnswer {
  /** Smallest rectangle from the origin that holds every footprint, in millimetres. */
  readonly extents: { readonly widthMm: number; readonly depthMm: number };
  readonly racks: readonly RackOnFloor[];
  readonly cracs: readonly Crac[];
  /** Floor-standing devices with a footprint. */
  readonly devices: readonly Device[];
  readonly counts: { readonly ok: number; readonly watch: number; readonly fault: number };
  /** References of racks and cooling units without a footprint. */
  readonly unplaced: readonly string[];
}

export interface FloorInput {
  readonly basis: LoadBasis;
  /** ISO 8601 in UTC. */
  readonly now: string;
}

/** A floor from above with the health of every rack on it. Cost: O(devices × depth of supply). Source: data contract 8.10. */
export function floorPlan(topology: Topology, floor: Ref, input: FloorInput): FloorAnswer {
  const { estate } = topology;
  const racks = estate.racks
    .filter((rack) => standsIn(rack, floor))
    .map((rack) => onFloor(topology, rack, topology.devicesInRack(rack.code), input));
  const cracs = estate.cracs.filter((crac) => standsIn(crac, floor));
  const devices = estate.devices.filter(
    (device) => device.rackCode === undefined && device.placement !== undefined && standsIn(device, floor),
  );
  const tiles = [...racks.map(({ rack }) => rack), ...cracs, ...devices];
  const corners = tiles.flatMap(({ placement }) => (placement === undefined ? [] : [rectangle(placement)]));
  const count = (health: Health) => racks.filter((one) => one.health === health).length;
  return {
    extents: {
      widthMm: Math.max(0, ...corners.map(({ east }) => east)),
      depthMm: Math.max(0, ...corners.map(({ south }) => south)),
    },
    racks,
    cracs,
    devices,
    counts: { ok: count("OK"), watch: count("WATCH"), fault: count("FAULT") },
    unplaced: [
      ...racks.filter(({ rack }) => rack.placement === undefined).map(({ rack }) => `rack:${rack.code}`),
      ...cracs.filter(({ placement }) => placement === undefined).map(({ code }) => `crac:${code}`),
    ],
  };
}

/** Everything about one rack that its health depends on. */
export function onFloor(
  topology: Topology,
  rack: Rack,
  devices: readonly DeviceBody[],
  { basis, now }: FloorInput,
): RackOnFloor {
  const { capacity, conflicts } = rackElevation(rack, devices, { now, basis });
  const { thermal, hotspots } = rackThermal(rack, devices, { basis });
  return {
    rack,
    capacity,
    thermal,
    ...rackHealth({ rack, devices, capacity, conflicts, power: topology.rackPower(rack.code, basis), hotspots, now }),
  };
}

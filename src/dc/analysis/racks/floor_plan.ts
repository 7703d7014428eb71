import type { Health } from "#dc/model/enum_values.ts";
import { computeFootprint } from "#dc/model/rack_space.ts";
import type { Ref } from "#dc/model/ref.ts";
import type { Crac, Device, Rack } from "#dc/model/resources.ts";
import type { HealthCounts } from "#gen/datacenter/v1/messages.ts";
import { hasUnrecordedPower } from "#words/names.ts";
import type { RackHeatFigures } from "../cooling/thermal_spots.ts";
import { isLocatedIn } from "../places.ts";
import type { Topology } from "../topology.ts";
import type { HealthReason, RackCapacity } from "./rack_elevation.ts";
import type { RackMoment } from "./rack_facts.ts";

export interface RackOnFloor {
  readonly rack: Rack;
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
  readonly capacity: RackCapacity;
  readonly thermal: RackHeatFigures;
}

export interface FloorAnswer {
  /** Smallest rectangle from the origin that contains every footprint, in millimetres. */
  readonly extents: { readonly widthMm: number; readonly depthMm: number };
  readonly racks: readonly RackOnFloor[];
  readonly cracs: readonly Crac[];
  /** Floor-standing devices with a footprint. */
  readonly devices: readonly Device[];
  readonly counts: HealthCounts;
  /** References of racks and cooling units without a footprint. */
  readonly unplaced: readonly string[];
}

/**
 * Returns a floor plan with the health of every rack. Cost: O(racks), and O(devices × depth of supply) of changed
 * racks. Source: docs/contract/datacenter-analyses.md#rack-health.
 */
export function computeFloorPlan(topology: Topology, floor: Ref, moment: RackMoment): FloorAnswer {
  const { inventory } = topology;
  const racks = inventory.racks
    .filter((rack) => isLocatedIn(rack, floor))
    .map((rack): RackOnFloor => {
      const { elevation, ...standing } = topology.computeRackStanding(rack, moment);
      return { rack, capacity: elevation.capacity, ...standing };
    });
  const cracs = inventory.cracs.filter((crac) => isLocatedIn(crac, floor));
  const devices = topology.devicesOutsideRacks.filter(
    (device) => device.placement !== undefined && isLocatedIn(device, floor),
  );
  const tiles = [...racks.map(({ rack }) => rack), ...cracs, ...devices];
  const corners = tiles.flatMap(({ placement }) => (placement === undefined ? [] : [computeFootprint(placement)]));
  const count = (health: Health) => racks.filter((one) => one.health === health).length;
  return {
    extents: {
      widthMm: Math.max(0, ...corners.map(({ east }) => east)),
      depthMm: Math.max(0, ...corners.map(({ south }) => south)),
    },
    racks,
    cracs,
    devices,
    counts: {
      ok: count("OK"),
      watch: count("WATCH"),
      fault: count("FAULT"),
      okUnproven:
        racks.filter(({ health, reasons }) => health === "OK" && hasUnrecordedPower(reasons)).length || undefined,
    },
    unplaced: [
      ...racks.filter(({ rack }) => rack.placement === undefined).map(({ rack }) => `rack:${rack.code}`),
      ...cracs.filter(({ placement }) => placement === undefined).map(({ code }) => `crac:${code}`),
    ],
  };
}

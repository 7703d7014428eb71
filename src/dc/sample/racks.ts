import { type Hall, type PlannedRack, rackXMm, SITE } from "./plan.ts";
import type { Item } from "./ports.ts";

/** What a rack's supply on one side carries, in watts: 32 A or, for accelerators, 63 A at 400 V in three phases. */
export function supplyW({ role }: PlannedRack): number {
  return role === "gpu" ? 43_600 : 22_170;
}

export function* rackItems(hall: Hall): Generator<Item> {
  for (const rack of hall.racks) yield rackItem(hall, rack);
}

function rackItem(hall: Hall, rack: PlannedRack): Item {
  const { code, role, row, position } = rack;
  const gpu = role === "gpu";
  return {
    code,
    name: `Rack ${code}`,
    location: { site_id: SITE, floor_number: hall.floor, room: hall.room, row: row.name, zone_id: row.zone },
    position_in_row: position,
    status: "RACK_STATUS_ACTIVE",
    role,
    form_factor: "FORM_FACTOR_FOUR_POST_CABINET",
    rail_width_in: 19,
    u_height: 42,
    mounting_depth_mm: 1000,
    outer_height_mm: 2000,
    placement: {
      x_mm: hall.xMm + rackXMm(rack),
      y_mm: row.yMm,
      width_mm: 600,
      depth_mm: 1200,
      rotation_deg: row.facesSouth ? 180 : 0,
    },
    max_load_kg: 1360,
    power_capacity_w: supplyW(rack),
    cooling_capacity_w: gpu ? 30_000 : 15_000,
    cooling_capability: gpu ? "COOLING_CAPABILITY_HYBRID" : "COOLING_CAPABILITY_AIR_ONLY",
    airflow: "AIRFLOW_FRONT_TO_REAR",
    required_redundancy: "REDUNDANCY_TWO_N",
  };
}

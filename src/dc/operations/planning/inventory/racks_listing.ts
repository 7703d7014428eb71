import type { Topology } from "#dc/analysis/topology.ts";
import type { Rack } from "#dc/model/resources.ts";
import { PLACE_COLUMNS } from "./columns.ts";
import { drawCell, inBatches, type Listing, rounded, textCell } from "./listing.ts";

/** Racks with their health, space, power and heat. Cost: O(devices) when health and capacity are asked for first. */
export function racksListing(topology: Topology, now: string): Listing<Rack> {
  const standing = (rack: Rack) => topology.rackStanding(rack, { basis: "ALLOCATED", now });
  const capacity = (rack: Rack) => standing(rack).elevation.capacity;
  return {
    ref: ({ code }) => `rack:${code}`,
    name: ({ code }) => code,
    columns: {
      name: ({ name }) => textCell(name),
      health: (rack) => standing(rack).health,
      findings: (rack) => standing(rack).reasons.length,
      ...PLACE_COLUMNS,
      role: ({ role }) => textCell(role),
      status: ({ status = "ACTIVE" }) => status,
      devices: ({ code }) => topology.devicesInRack(code).length,
      space_pct: (rack) => rounded(capacity(rack).spacePct),
      free_u: (rack) => capacity(rack).freeU,
      largest_free_block_u: (rack) => capacity(rack).largestFreeBlockU,
      height_u: (rack) => capacity(rack).totalU,
      draw_w: (rack) => drawCell(topology.devicesInRack(rack.code).length, capacity(rack).allocatedW),
      power_capacity_w: (rack) => capacity(rack).powerCapacityW,
      power_pct: (rack) => rounded(capacity(rack).powerPct),
      heat_w: (rack) => rounded(standing(rack).thermal.heatW),
      cooling_pct: (rack) => rounded(standing(rack).thermal.utilizationPct),
      inlet_temp_c: ({ inletTempC }) => inletTempC,
      weight_kg: (rack) => (capacity(rack).weightKg === 0 ? undefined : rounded(capacity(rack).weightKg)),
      devices_without_weight: (rack) => capacity(rack).devicesWithoutWeight,
      max_load_kg: ({ maxLoadKg }) => maxLoadKg,
      redundancy: ({ requiredRedundancy }) => requiredRedundancy,
      cooling: ({ coolingCapability }) => coolingCapability,
      tenant: ({ tenant }) => textCell(tenant),
      serial: ({ serial }) => textCell(serial),
      asset_tag: ({ assetTag }) => textCell(assetTag),
      tags: ({ tags = [] }) => textCell(tags.join(", ")),
    },
    batches: () => inBatches(topology.inventory.racks),
    total: topology.inventory.racks.length,
  };
}

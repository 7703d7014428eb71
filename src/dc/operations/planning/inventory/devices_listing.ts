import { isUnmet, isUnproven } from "#dc/analysis/redundancy_audit.ts";
import { supplyState } from "#dc/analysis/supply_state.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import { heatW } from "#dc/model/draw.ts";
import { isInlet } from "#dc/model/power_walk.ts";
import type { Device } from "#dc/model/resources.ts";
import { PLACE_COLUMNS } from "./columns.ts";
import { type Cell, inBatches, type Listing, rounded, textCell } from "./listing.ts";

/** Devices with their place, draw and supply. Cost: verdicts on redundancy when that column is asked for first. */
export function devicesListing(topology: Topology): Listing<Device> {
  const { power, live } = topology;
  const redundancy = lazily(() => redundancyWords(topology));
  return {
    ref: ({ code }) => `device:${code}`,
    name: ({ code }) => code,
    columns: {
      name: ({ name }) => textCell(name),
      kind: ({ kind }) => kind,
      role: ({ role }) => textCell(role),
      status: ({ status = "ACTIVE" }) => status,
      ...PLACE_COLUMNS,
      rack: ({ rackCode }) => textCell(rackCode),
      position_u: ({ positionU }) => positionU,
      height_u: ({ uHeight }) => uHeight,
      draw_w: ({ allocatedDrawW, maxDrawW }) => allocatedDrawW ?? maxDrawW,
      max_draw_w: ({ maxDrawW }) => maxDrawW,
      measured_draw_w: ({ measuredDrawW }) => measuredDrawW,
      heat_w: (device) => rounded(heatW(device, "ALLOCATED")),
      supply: ({ code }) => supplyState(power, live, power.indexOf.get(`device:${codeKey(code)}`) ?? -1),
      cords: ({ ports = [] }) => ports.filter(isInlet).length,
      redundancy: ({ code }) => redundancy().get(codeKey(code)),
      cooling: ({ coolingMethod }) => coolingMethod,
      inside: ({ parentDeviceCode }) => textCell(parentDeviceCode),
      manufacturer: ({ manufacturer }) => textCell(manufacturer),
      model: ({ model }) => textCell(model),
      serial: ({ serial }) => textCell(serial),
      asset_tag: ({ assetTag }) => textCell(assetTag),
      weight_kg: ({ weightKg }) => weightKg,
      tenant: ({ tenant }) => textCell(tenant),
      tags: ({ tags = [] }) => textCell(tags.join(", ")),
    },
    batches: () => inBatches(topology.inventory.devices),
    total: topology.inventory.devices.length,
  };
}

/** How far the redundancy is met that is demanded of a device, by its key; absent where none is demanded. */
function redundancyWords(topology: Topology): ReadonlyMap<string, Cell> {
  return new Map(
    topology
      .redundancyVerdicts()
      .map((verdict) => [codeKey(verdict.code), isUnmet(verdict) ? "UNMET" : isUnproven(verdict) ? "UNKNOWN" : "MET"]),
  );
}

/** Works a value out when it is first asked for. */
export function lazily<Value>(work: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: work() };
    return known.value;
  };
}

import type { Inventory } from "#dc/model/inventory.ts";
import type { Crac, Rack } from "#dc/model/resources.ts";
import type { Places } from "#dc/render/thermal/heat_map.ts";
import type { ThermalPicture } from "#dc/render/thermal/thermal.ts";
import type { ThermalHeadroomResponse } from "#gen/datacenter/v1/datacenter_pb.ts";

/** A reply with the recorded locations of its racks and cooling units. */
export function thermalPicture({ racks, cracs }: Inventory, reply: ThermalHeadroomResponse): ThermalPicture {
  return { reply, places: placesOf(racks, reply.racks), unitPlaces: placesOf(cracs, reply.cracs) };
}

function placesOf(all: readonly (Rack | Crac)[], asked: readonly { readonly code: string }[]): Places {
  const wanted = new Set(asked.map(({ code }) => code.toLowerCase()));
  return new Map(
    all.flatMap(({ code, placement, location }) => {
      const key = code.toLowerCase();
      if (placement === undefined || location === undefined || !wanted.has(key)) return [];
      return [[key, { floor: `floor:${location.siteId}/${location.floorNumber}`, placement }] as const];
    }),
  );
}

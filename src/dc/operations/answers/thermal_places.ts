import type { Inventory } from "#dc/model/inventory.ts";
import type { Places } from "#dc/render/thermal/heat_map.ts";

/** Recorded locations of the racks in a reply. */
export function placesOf({ racks }: Inventory, asked: readonly { readonly code: string }[]): Places {
  const wanted = new Set(asked.map(({ code }) => code.toLowerCase()));
  return new Map(
    racks.flatMap(({ code, placement, location }) => {
      const key = code.toLowerCase();
      if (placement === undefined || location === undefined || !wanted.has(key)) return [];
      return [[key, { floor: `floor:${location.siteId}/${location.floorNumber}`, placement }] as const];
    }),
  );
}

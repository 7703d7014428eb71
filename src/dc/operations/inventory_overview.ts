import { codeKey } from "#dc/model/ref.ts";
import type { DcReader } from "#dc/ports.ts";

export interface InventoryOverview {
  readonly sites: readonly { readonly site_id: string; readonly floors: readonly FloorOverview[] }[];
  readonly fabrics: readonly { readonly fabric_id: string; readonly links: number }[];
  readonly totals: Readonly<Record<"racks" | "devices" | "cracs" | "ports" | "cables" | "fabric_links", number>>;
}

interface FloorOverview {
  readonly floor_ref: string;
  readonly floor_number: number;
  readonly racks: number;
  readonly cracs: number;
  readonly devices: number;
}

/**
 * Lists the names that a new user needs for requests: sites with their floors, the lowest first, and fabrics. Resources
 * without a floor count only in the totals.
 */
export async function readInventoryOverview(reader: DcReader): Promise<InventoryOverview> {
  const { floors, links, cables, ports } = await reader.inventoryCounts();
  const sites = new Map<string, FloorOverview[]>();
  const totals = { racks: 0, devices: 0, cracs: 0, ports, cables, fabric_links: links.length };
  for (const { siteId, floorNumber, rack, crac, device } of floors) {
    totals.racks += rack;
    totals.cracs += crac;
    totals.devices += device;
    if (siteId === "") continue;
    const floor = { floor_ref: `floor:${siteId}/${floorNumber}`, floor_number: floorNumber };
    const list = sites.getOrInsertComputed(siteId, () => []);
    list.push({ ...floor, racks: rack, cracs: crac, devices: device });
  }
  const fabrics = Map.groupBy(links, codeKey);
  return {
    sites: [...sites]
      .sort(([a], [b]) => a.localeCompare(b, "en"))
      .map(([site_id, list]) => ({ site_id, floors: list.sort((a, b) => a.floor_number - b.floor_number) })),
    fabrics: [...fabrics.values()]
      .map((own) => ({ fabric_id: own[0] ?? "", links: own.length }))
      .sort((a, b) => a.fabric_id.localeCompare(b.fabric_id, "en")),
    totals,
  };
}

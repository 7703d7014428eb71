import type { InventoryOverview } from "./replies.ts";
import { type Asked, useRead } from "./use_call.ts";

/** Loads the inventory overview: counts by site, floor and fabric, with totals. */
export function useInventory(): Asked<InventoryOverview> {
  return useRead<InventoryOverview>("/estate", {});
}

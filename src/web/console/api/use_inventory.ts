import type { InventoryOverview } from "./replies.ts";
import { type CallState, useRoute } from "./use_call.ts";

/** Loads the inventory overview: counts by site, floor and fabric, with totals. */
export function useInventory(): CallState<InventoryOverview> {
  return useRoute<InventoryOverview>("/estate", {});
}

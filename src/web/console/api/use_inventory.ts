import type { InventoryOverview } from "./replies.ts";
import { type CallState, useRouteCall } from "./use_call.ts";

/** Loads the inventory overview: counts by site, floor and fabric, with totals. */
export function useInventory(): CallState<InventoryOverview> {
  return useRouteCall<InventoryOverview>("/estate", {});
}

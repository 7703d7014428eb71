import type { Estate } from "./replies.ts";
import { type Asked, useRead } from "./use_call.ts";

/** What there is, by site, floor and fabric, with totals. */
export function useEstate(): Asked<Estate> {
  return useRead<Estate>("/estate", {});
}

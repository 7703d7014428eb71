import { useMemo } from "preact/hooks";
import type { InventoryHit } from "#gen/datacenter/v1/json.ts";
import { useCall } from "../api/use_call.ts";
import { useDelayed } from "./use_delayed.ts";

const REST_MS = 150;
const HITS = 12;

/** What the search finds for a text that is being typed, such as `rack:A0`. @param kinds of the inventory, such as RACK */
export function useHits(text: string, kinds: readonly string[]): readonly InventoryHit[] {
  const query = useDelayed(text, REST_MS)
    .replace(/^[a-z_]+:/, "")
    .replaceAll("/", " ")
    .trim();
  const request = { query, kinds: kinds.map((kind) => `INVENTORY_KIND_${kind}`), page_size: HITS };
  const { reply } = useCall("datacenter.v1.PlanningService/SearchInventory", query === "" ? undefined : request);
  return useMemo(() => (reply?.kinds ?? []).flatMap(({ hits }) => hits), [reply]);
}

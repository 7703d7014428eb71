import type { InventoryHits } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { useCall } from "../api/use_call.ts";
import { findListKindByName } from "../lists/list_kinds.ts";
import { findRefUrl, formatPageUrl } from "../router.ts";
import { useDelayedValue } from "../ui/use_delayed.ts";
import type { PaletteGroup, PaletteOption } from "./options.ts";

const SEARCH_DELAY_MS = 80;
/** Maximum number of hits per kind: first for a search in all kinds, then for a search in one kind. */
const [MAX_HITS, MAX_HITS_OF_KIND] = [5, 20] as const;

/** A kind of found elements, which can be chosen as a filter. */
export interface FoundKind {
  readonly kind: string;
  readonly name: string;
  readonly total: number;
}

interface SearchResults {
  readonly groups: readonly PaletteGroup[];
  /** All kinds with hits, whether or not one kind is chosen. */
  readonly kinds: readonly FoundKind[];
  /** Hint about the results; empty for none. */
  readonly hint: string;
  readonly loading: boolean;
}

/** Searches the inventory for words; `only` is one of `kinds`, or empty for all kinds. */
export function useInventorySearch(words: string, only: string): SearchResults {
  const settled = useDelayedValue(words, SEARCH_DELAY_MS);
  const request = settled === "" ? undefined : { query: settled, page_size: only === "" ? MAX_HITS : MAX_HITS_OF_KIND };
  const asked = useCall("datacenter.v1.PlanningService/SearchInventory", request);
  const { reply, error } = asked;
  const loading = asked.loading || settled !== words;
  if (words === "" || reply === undefined) return { groups: [], kinds: [], hint: error?.message ?? "", loading };
  const shown = reply.kinds.filter(({ kind }) => only === "" || kind === only);
  const hint = reply.corrected_query === "" ? "" : `Nothing is named “${settled}”. Showing ${reply.corrected_query}.`;
  return {
    groups: shown.map(createPaletteGroup),
    kinds: reply.kinds.map(({ kind, total_count }) => ({ kind, name: getKindName(kind), total: total_count })),
    hint: error?.message ?? hint,
    loading,
  };
}

function createPaletteGroup({ kind, hits, total_count }: InventoryHits): PaletteGroup {
  const icon = findListKindByName(stripKindPrefix(kind))?.icon ?? "search";
  const options = hits.map(({ ref, name, detail }): PaletteOption => {
    const href = findRefUrl(ref) ?? formatPageUrl("history", ref);
    return { id: ref, icon, name, detail, href, run: () => location.assign(href) };
  });
  return { name: `${getKindName(kind)} ${formatCount(total_count)}`, options, more: total_count - hits.length };
}

function getKindName(kind: string): string {
  return findListKindByName(stripKindPrefix(kind))?.title ?? "Others";
}

function stripKindPrefix(kind: string): string {
  return kind.replace("INVENTORY_KIND_", "");
}

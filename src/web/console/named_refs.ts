import { getRefName } from "#words/names.ts";

/** Kinds of elements that contain racks, and racks. */
export const SCOPE_KINDS = ["SITE", "FLOOR", "ROOM", "ROW", "RACK"] as const;
/** Kinds of elements whose failure a page can ask for. */
export const FAILABLE_KINDS = ["SUPPLY", "DEVICE", ...SCOPE_KINDS, "CRAC", "PORT", "CABLE", "FABRIC_LINK"] as const;

export const SEARCH_INVENTORY_RPC = "datacenter.v1.PlanningService/SearchInventory";

/** Converts a code to search words: the code without the separators of references. */
export function formatSearchWords(code: string): string {
  return code.replaceAll(/[~/]/g, " ");
}

/** Returns a search request for elements that `code` may name. `kinds` lists kinds such as RACK; [] means all kinds. */
export function createNameSearchRequest(code: string, kinds: readonly string[]) {
  return {
    query: formatSearchWords(code),
    kinds: kinds.map((kind) => `INVENTORY_KIND_${kind}`),
    page_size: 50,
  };
}

/** Returns references whose name equals `text` in any case; if none does, locations whose last segment equals it. */
export function findRefsByName(refs: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const whole = refs.filter((ref) => getRefName(ref).toLowerCase() === wanted);
  const found = whole.length > 0 ? whole : refs.filter((ref) => isLocationNamed(ref.toLowerCase(), wanted));
  return [...new Set(found)];
}

function isLocationNamed(ref: string, wanted: string): boolean {
  return /^(?:floor|room|row):/.test(ref) && ref.endsWith(`/${wanted}`);
}

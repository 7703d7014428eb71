import { getRefName } from "#words/names.ts";

export const SEARCH_RPC = "datacenter.v1.PlanningService/SearchInventory";

/** Returns a search request for the elements that a code may name, of the `kinds` such as RACK; none for all. */
export function createNameQuery(code: string, kinds: readonly string[]) {
  return {
    query: code.replaceAll(/[~/]/g, " "),
    kinds: kinds.map((kind) => `INVENTORY_KIND_${kind}`),
    page_size: 50,
  };
}

/** Returns the references whose whole name equals the text in any case; else the locations whose last part does. */
export function findRefsByName(refs: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const whole = refs.filter((ref) => getRefName(ref).toLowerCase() === wanted);
  const found = whole.length > 0 ? whole : refs.filter((ref) => isLocationNamed(ref.toLowerCase(), wanted));
  return [...new Set(found)];
}

function isLocationNamed(ref: string, wanted: string): boolean {
  return /^(?:floor|room|row):/.test(ref) && ref.endsWith(`/${wanted}`);
}

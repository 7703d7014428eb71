import { getRefName } from "#words/names.ts";

export const SEARCH_RPC = "datacenter.v1.PlanningService/SearchInventory";

/** Asks for the things that a code may name. @param kinds of the inventory, such as RACK; none for all */
export function nameQuery(code: string, kinds: readonly string[]) {
  return {
    query: code.replaceAll(/[~/]/g, " "),
    kinds: kinds.map((kind) => `INVENTORY_KIND_${kind}`),
    page_size: 50,
  };
}

/** References whose whole name is the text, whatever its case; if there are none, places whose last part it is. */
export function refsNamed(refs: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  const whole = refs.filter((ref) => getRefName(ref).toLowerCase() === wanted);
  const found = whole.length > 0 ? whole : refs.filter((ref) => isPlaceNamed(ref.toLowerCase(), wanted));
  return [...new Set(found)];
}

function isPlaceNamed(ref: string, wanted: string): boolean {
  return /^(?:floor|room|row):/.test(ref) && ref.endsWith(`/${wanted}`);
}

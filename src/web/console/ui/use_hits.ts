import { useMemo } from "preact/hooks";
import type { InventoryHit } from "#gen/datacenter/v1/json.ts";
import { getRefName, nameKind } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { useDelayed } from "./use_delayed.ts";

/** Something that a field offers. */
export interface Option {
  readonly value: string;
  /** What the field holds once it is chosen. */
  readonly name: string;
  readonly note: string;
}

const REST_MS = 150;
const HITS = 12;

/** What the search finds for a text that is being typed, such as `rack:A0`. @param kinds of the inventory, such as RACK */
export function useHits(text: string, kinds: readonly string[]): readonly InventoryHit[] {
  const [query, now] = [queryOf(useDelayed(text, REST_MS)), queryOf(text)];
  const request = { query, kinds: kinds.map((kind) => `INVENTORY_KIND_${kind}`), page_size: HITS };
  const { reply, loading } = useCall(
    "datacenter.v1.PlanningService/SearchInventory",
    query === "" ? undefined : request,
  );
  return useMemo(() => {
    const hits = now === "" ? [] : (reply?.kinds ?? []).flatMap((kind) => kind.hits);
    if (!loading && query === now) return hits;
    // Of what answered an earlier text, what the text has as well.
    const words = now.toLowerCase().split(/\s+/);
    return hits.filter(({ name, detail }) => words.every((word) => `${name} ${detail}`.toLowerCase().includes(word)));
  }, [reply, loading, query, now]);
}

function queryOf(text: string): string {
  return text
    .replace(/^(?:[a-z_]+:|(?:[a-z]+\u00a0)+)/, "")
    .replaceAll("/", " ")
    .trim();
}

/** Hits as a field offers them, by their codes. */
export function optionsOf(hits: readonly InventoryHit[]): readonly Option[] {
  return hits.map(({ ref, detail }) => ({ value: ref, name: shownRef(ref, hits), note: detail }));
}

/** The code alone, or after its kind if it names several of the things that were found, without a blank between. */
export function shownRef(ref: string, hits: readonly { readonly ref: string }[]): string {
  const kind = ref.slice(0, Math.max(0, ref.indexOf(":")));
  const isShared = hits.some((other) => other.ref !== ref && getRefName(other.ref) === getRefName(ref));
  return isShared && kind !== "" ? `${nameKind(kind)} ${getRefName(ref)}`.replaceAll(" ", "\u00a0") : getRefName(ref);
}

/** What a person typed, with the reference of a kind and a code. */
export function typedRef(text: string): string {
  return text.replace(/^([a-z]+)\u00a0/, "$1:");
}

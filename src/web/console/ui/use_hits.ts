import { useEffect, useMemo, useState } from "preact/hooks";
import type { InventoryHit } from "#gen/datacenter/v1/json.ts";
import { getKindNoun, getRefName } from "#words/names.ts";
import { useCall } from "../api/client.ts";

/** An option that a field offers. */
export interface FieldOption {
  readonly value: string;
  /** Text of the field after the option is chosen. */
  readonly name: string;
  readonly note: string;
}

const SEARCH_DELAY_MS = 150;
const MAX_HITS = 12;

/** Returns the search hits of `kinds`, such as RACK, for a text that is being typed, such as `rack:A0`. */
export function useSearchHits(text: string, kinds: readonly string[]): readonly InventoryHit[] {
  const [query, now] = [createSearchQuery(useDelayedValue(text, SEARCH_DELAY_MS)), createSearchQuery(text)];
  const request = { query, kinds: kinds.map((kind) => `INVENTORY_KIND_${kind}`), page_size: MAX_HITS };
  const { reply, loading } = useCall(
    "datacenter.v1.PlanningService/SearchInventory",
    query === "" ? undefined : request,
  );
  return useMemo(() => {
    const hits = now === "" ? [] : (reply?.kinds ?? []).flatMap((kind) => kind.hits);
    if (!loading && query === now) return hits;
    // Until the new reply arrives, the old hits that match the new text are shown.
    const words = now.toLowerCase().split(/\s+/);
    return hits.filter(({ name, detail }) => words.every((word) => `${name} ${detail}`.toLowerCase().includes(word)));
  }, [reply, loading, query, now]);
}

function createSearchQuery(text: string): string {
  return text
    .replace(/^(?:[a-z_]+:|(?:[a-z]+\u00a0)+)/, "")
    .replaceAll("/", " ")
    .trim();
}

/** Converts hits to options of a field, by their codes. */
export function createFieldOptions(hits: readonly InventoryHit[]): readonly FieldOption[] {
  return hits.map(({ ref, detail }) => ({ value: ref, name: formatShownRef(ref, hits), note: detail }));
}

/** Returns a reference's code. If the code names several hits, its kind and a no-break space precede the code. */
export function formatShownRef(ref: string, hits: readonly { readonly ref: string }[]): string {
  const kind = ref.slice(0, Math.max(0, ref.indexOf(":")));
  const isShared = hits.some((other) => other.ref !== ref && getRefName(other.ref) === getRefName(ref));
  return isShared && kind !== ""
    ? `${getKindNoun(kind)} ${getRefName(ref)}`.replaceAll(" ", "\u00a0")
    : getRefName(ref);
}

/** Converts typed text to a reference if it consists of a kind, a no-break space and a code. */
export function parseTypedRef(text: string): string {
  return text.replace(/^([a-z]+)\u00a0/, "$1:");
}

/** Returns a value that was unchanged for some milliseconds, so that typing does not send a request per letter. */
export function useDelayedValue<Value>(value: Value, milliseconds: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

import { keptValues, tabValues } from "../../shared/kept_values.ts";

/**
 * The caller's token, sent to this server only. It ends with the browser's tab, unless the person has chosen that
 * this browser keeps it.
 */
const KEY = "planner-token";
const listeners = new Set<() => void>();

export const token = {
  value(): string {
    return tabValues.get(KEY) ?? keptValues.get(KEY) ?? "";
  },
  /** Whether the browser keeps it beyond this tab. */
  isKept(): boolean {
    return keptValues.get(KEY) !== null;
  },
  set(value: string, { keep = false }: { readonly keep?: boolean } = {}): void {
    tabValues.remove(KEY);
    keptValues.remove(KEY);
    if (value !== "") (keep ? keptValues : tabValues).set(KEY, value);
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

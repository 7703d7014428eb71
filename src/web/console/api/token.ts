import { browserValues, tabValues } from "../../shared/kept_values.ts";
import { Listeners } from "../../shared/listeners.ts";

/**
 * Storage key of the caller's token. The browser deletes the token with the tab, unless the person chose to keep it in
 * this browser.
 */
const TOKEN_KEY = "planner-token";
const listeners = new Listeners();

export const tokenStore = {
  value(): string {
    return tabValues.get(TOKEN_KEY) ?? browserValues.get(TOKEN_KEY) ?? "";
  },
  /** Whether the browser keeps the token after this tab is closed. */
  isKept(): boolean {
    return browserValues.get(TOKEN_KEY) !== null;
  },
  set(value: string, { keep = false }: { readonly keep?: boolean } = {}): void {
    tabValues.remove(TOKEN_KEY);
    browserValues.remove(TOKEN_KEY);
    if (value !== "") (keep ? browserValues : tabValues).set(TOKEN_KEY, value);
    listeners.notify();
  },
  subscribe: listeners.subscribe,
};

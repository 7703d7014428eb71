/**
 * The caller's token, sent to this server only. It ends with the browser's tab, unless the person has chosen that
 * this browser keeps it.
 */
const KEY = "planner-token";
const listeners = new Set<() => void>();

export const token = {
  value(): string {
    return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? "";
  },
  /** Whether the browser keeps it beyond this tab. */
  isKept(): boolean {
    return localStorage.getItem(KEY) !== null;
  },
  set(value: string, { keep = false }: { readonly keep?: boolean } = {}): void {
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
    if (value !== "") (keep ? localStorage : sessionStorage).setItem(KEY, value);
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** The caller's token, kept for as long as the browser's tab lives and told to nobody but this server. */
const KEY = "planner-token";
const listeners = new Set<() => void>();

export const token = {
  value(): string {
    return sessionStorage.getItem(KEY) ?? "";
  },
  set(value: string): void {
    if (value === "") sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

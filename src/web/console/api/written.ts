const listeners = new Set<() => void>();

/** Notifies listeners that this page has changed the inventory, so that they load their data again. */
export const inventoryWrites = {
  announce(): void {
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

const listeners = new Set<() => void>();

/** Says that this page has changed the inventory, so that what is shown is asked for again. */
export const written = {
  announce(): void {
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

const listeners = new Set<(ref: string) => void>();

/** Calls the listener with the reference of each element that anyone changes. Returns a function that removes it. */
export function addChangeListener(listener: (ref: string) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Notifies the listeners of a change log entry. `data` is the JSON of the event stream. */
export function notifyChangeListeners(data: string): void {
  const { entity = "" } = JSON.parse(data) as { readonly entity?: string };
  for (const listener of listeners) listener(entity);
}

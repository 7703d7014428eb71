const listeners = new Set<(ref: string) => void>();

/** Calls the listener with the reference of each element that anyone changes. Returns how to end that. */
export function onChange(listener: (ref: string) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Notifies the listeners of an entry of the change log, as the stream sends it. */
export function announceChange(data: string): void {
  const { entity = "" } = JSON.parse(data) as { readonly entity?: string };
  for (const listener of listeners) listener(entity);
}

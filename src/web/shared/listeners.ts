import { useLayoutEffect, useState } from "preact/hooks";

/** Functions that are called after each change of a value. */
export class Listeners {
  readonly #functions = new Set<() => void>();

  /** Adds a listener. Returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#functions.add(listener);
    return () => {
      this.#functions.delete(listener);
    };
  };

  notify(): void {
    for (const listener of this.#functions) listener();
  }
}

/** Returns the value that `read` reads; the component is drawn again when `subscribe` reports a change. */
export function useCurrentValue<Value>(read: () => Value, subscribe: Listeners["subscribe"]): Value {
  const [value, setValue] = useState(read);
  // A layout effect, because a later effect would miss a change right after the first drawing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a component always passes the same functions
  useLayoutEffect(() => {
    const update = () => setValue(read);
    update();
    return subscribe(update);
  }, []);
  return value;
}

/** Returns the hash of the URL; the component is drawn again when it changes. */
export function useUrlHash(): string {
  return useCurrentValue(
    () => location.hash,
    (update) => {
      addEventListener("hashchange", update);
      return () => removeEventListener("hashchange", update);
    },
  );
}

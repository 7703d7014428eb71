import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

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

/** Texts stored by the browser. If storage is forbidden or full, they are kept in memory for this page. */
class StoredValues {
  readonly #storage: () => Storage;
  readonly #memory = new Map<string, string>();

  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(key: string): string | null {
    return this.#memory.get(key) ?? this.#tryStorage((storage) => storage.getItem(key)) ?? null;
  }

  set(key: string, value: string): void {
    const isKept = this.#tryStorage((storage) => {
      storage.setItem(key, value);
      return true;
    });
    if (isKept === true) this.#memory.delete(key);
    else this.#memory.set(key, value);
  }

  remove(key: string): void {
    this.#memory.delete(key);
    this.#tryStorage((storage) => storage.removeItem(key));
  }

  /** Runs `question` on the storage; undefined if storage is forbidden or full. Source: HTML, `localStorage`. */
  #tryStorage<Result>(question: (storage: Storage) => Result): Result | undefined {
    try {
      return question(this.#storage());
    } catch {
      return undefined;
    }
  }
}

/** Values that are kept until the person deletes them. */
export const browserValues = new StoredValues(() => localStorage);

/** Values that are kept until the tab is closed. */
export const tabValues = new StoredValues(() => sessionStorage);

/** State of the entry that an open dialog adds to the browser's history. */
interface DialogHistoryState {
  readonly dialog: number;
}

let lastDialogNumber = 0;

/**
 * Lets the browser's Back button close a dialog instead of leaving the page below it. If `leave` keeps the dialog open
 * to ask about unsaved input, the next Back is handled as well.
 */
export function useCloseOnBack(isOpen: boolean, leave: () => void): void {
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    if (!isOpen) return;
    lastDialogNumber += 1;
    const own: DialogHistoryState = { dialog: lastDialogNumber };
    const isOwn = () => (history.state as DialogHistoryState | null)?.dialog === own.dialog;
    let isAlive = true;
    const handlePopState = () => {
      if (isOwn()) return;
      const { href } = location;
      latest.current();
      setTimeout(() => isAlive && location.href === href && history.pushState(own, ""));
    };
    // A dialog that replaces another one uses the other's entry.
    if ((history.state as DialogHistoryState | null)?.dialog === undefined) history.pushState(own, "");
    else history.replaceState(own, "");
    addEventListener("popstate", handlePopState);
    return () => {
      isAlive = false;
      removeEventListener("popstate", handlePopState);
      // Runs later, so that it does not undo the navigation of a link that closed the dialog.
      setTimeout(() => isOwn() && history.back());
    };
  }, [isOpen]);
}

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

/** Texts stored by the browser. If storage is forbidden or full, they are kept in memory for this page. */
class KeptValues {
  readonly #storage: () => Storage;
  readonly #own = new Map<string, string>();

  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(key: string): string | null {
    return this.#own.get(key) ?? this.#ask((storage) => storage.getItem(key)) ?? null;
  }

  set(key: string, value: string): void {
    const isKept = this.#ask((storage) => {
      storage.setItem(key, value);
      return true;
    });
    if (isKept === true) this.#own.delete(key);
    else this.#own.set(key, value);
  }

  remove(key: string): void {
    this.#own.delete(key);
    this.#ask((storage) => storage.removeItem(key));
  }

  /** Runs `question` on the storage; undefined if storage is forbidden or full. Source: HTML, `localStorage`. */
  #ask<Result>(question: (storage: Storage) => Result): Result | undefined {
    try {
      return question(this.#storage());
    } catch {
      return undefined;
    }
  }
}

/** Values that are kept until the person deletes them. */
export const browserValues = new KeptValues(() => localStorage);

/** Values that are kept until the tab is closed. */
export const tabValues = new KeptValues(() => sessionStorage);

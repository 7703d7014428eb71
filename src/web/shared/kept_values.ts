/** Texts that the browser keeps; where it forbids that or has no room, this page alone keeps them. */
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

  /** A browser that forbids storage throws already where it is named. Source: HTML, 12.2.3, `localStorage`. */
  #ask<Result>(question: (storage: Storage) => Result): Result | undefined {
    try {
      return question(this.#storage());
    } catch {
      return undefined;
    }
  }
}

/** Until the person deletes them. */
export const keptValues = new KeptValues(() => localStorage);

/** Until the tab is closed. */
export const tabValues = new KeptValues(() => sessionStorage);

const MAX_NAME_CHARS = 64;
/** What a name of a port may not hold: control characters, line separators and the sign that joins two ends. */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Names of the ports of one device, each used once. A name that two kinds of ports share stays with the first kind
 * and gets the word of the kind on the others: `1` and `1 (rear)`.
 */
export class PortNames {
  readonly #used = new Set<string>();

  /** @param word of the kind, as `rear` */
  take(name: string, word: string, id: string): string {
    const base = fit(name, MAX_NAME_CHARS) || `${word} ${id}`;
    const qualified = `${fit(base, MAX_NAME_CHARS - word.length - 3)} (${word})`;
    for (const wish of [base, qualified]) {
      if (this.#used.has(wish)) continue;
      this.#used.add(wish);
      return wish;
    }
    for (let number = 2; ; number += 1) {
      const suffix = ` (${word} ${number})`;
      const wish = `${fit(base, MAX_NAME_CHARS - suffix.length)}${suffix}`;
      if (this.#used.has(wish)) continue;
      this.#used.add(wish);
      return wish;
    }
  }
}

function fit(name: string, most: number): string {
  const safe = name
    .slice(0, 4 * MAX_NAME_CHARS)
    .replace(UNFIT, " ")
    .replaceAll("~", "-")
    .trim();
  if (safe.length <= most) return safe;
  return safe
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd();
}

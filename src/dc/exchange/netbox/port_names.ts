import { TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { takeUnusedName } from "../codes.ts";

const MAX_NAME_CHARS = TEXT_LENGTHS.Port.name;
/** Characters forbidden in a port name: control characters, line separators and the sign that joins two ends. */
const FORBIDDEN_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Names of the ports of one device, each used once. If two kinds of ports share a name, the first kind keeps it and the
 * others append the word of their kind: `1` and `1 (rear)`.
 */
export class UniquePortNames {
  readonly #usedNames = new Set<string>();

  /** @param word word of the port's kind, such as `rear` */
  takeName(name: string, word: string, id: string): string {
    const base = truncateName(name, MAX_NAME_CHARS) || `${word} ${id}`;
    const append = (suffix: string) => `${truncateName(base, MAX_NAME_CHARS - suffix.length)}${suffix}`;
    const wishes = [base, append(` (${word})`)];
    return takeUnusedName(
      wishes,
      (number) => append(` (${word} ${number})`),
      this.#usedNames,
      (wish) => wish,
    );
  }
}

function truncateName(name: string, most: number): string {
  const safe = name
    .slice(0, 4 * MAX_NAME_CHARS)
    .replace(FORBIDDEN_CHARACTERS, " ")
    .replaceAll("~", "-")
    .trim();
  if (safe.length <= most) return safe;
  return safe
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd();
}

import { compareByCodePoints } from "#dc/model/ref.ts";
import type { StoredDocument } from "#dc/ports.ts";

/** The documents of a space in the order of keys; `all` joins space and key by a line break. */
export function documentsOf(all: ReadonlyMap<string, string>, space: string): readonly StoredDocument[] {
  return [...all]
    .filter(([name]) => name.startsWith(`${space}\n`))
    .map(([name, body]) => ({ key: name.slice(space.length + 1), body }))
    .toSorted((a, b) => compareByCodePoints(a.key, b.key));
}

import type { LinkedObject } from "./linked_schema.ts";

/** Pairs that are remembered; more would fill the memory for a large output that is mostly right. */
const MAX_KNOWN = 100_000;

/**
 * Objects and arrays that are known not to fit a schema. Explaining why none of several alternatives fits asks again
 * at each level below for a verdict that the level above has already had: the time would be quadratic in the depth.
 */
export class KnownMisfits {
  readonly #schemas = new Map<unknown, Set<LinkedObject>>();
  #count = 0;

  has(schema: LinkedObject, value: unknown): boolean {
    return this.#schemas.get(value)?.has(schema) === true;
  }

  /** Values that are neither object nor array are judged at once, and equal ones are not the same. */
  add(schema: LinkedObject, value: unknown): void {
    if (typeof value !== "object" || value === null || this.#count === MAX_KNOWN) return;
    const known = this.#schemas.get(value);
    if (known === undefined) this.#schemas.set(value, new Set([schema]));
    else known.add(schema);
    this.#count += 1;
  }
}

import { test } from "bun:test";
import fc from "fast-check";
import { LAW_RUNS } from "./law_runs.ts";

/** Declares a test that something holds for whatever is given, tried as often as `LAW_RUNS` says unless the options do. */
export function law<T extends [unknown, ...unknown[]]>(
  name: string,
  given: { readonly [K in keyof T]: fc.Arbitrary<T[K]> },
  holds: (...values: T) => unknown,
  options: fc.Parameters<T> = {},
): void {
  const property = fc.asyncProperty<T>(...given, async (...values) => (await holds(...values)) !== false);
  test(name, () => fc.assert(property, { numRuns: LAW_RUNS, ...options }));
}

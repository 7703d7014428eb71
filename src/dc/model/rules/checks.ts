import { broken, type ErrorFinding } from "../finding.ts";
import type { Change, Findings } from "../rule.ts";

/** What a number must be. `step` counts from 0; bounds are inclusive unless `above` says otherwise. */
export interface Bounds {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly step?: number;
}

/** One checked number of a resource: where it is, what it is, what it must be. */
export type NumberCheck<Resource> = readonly [
  field: string,
  value: (resource: Resource) => number | undefined,
  bounds: Bounds,
];

/** Checks every number of a table. Unknown values pass; NaN and infinities never do. */
export function numbersOf<Resource>(checks: readonly NumberCheck<Resource>[]) {
  return ({ after }: Change<Resource>): Findings =>
    checks.flatMap(([field, value, bounds]) => number(field, value(after), bounds));
}

/** Returns what is wrong with one number: nothing, or that it is out of bounds. */
export function number(field: string, value: number | undefined, bounds: Bounds): readonly ErrorFinding[] {
  if (value === undefined || within(value, bounds)) return [];
  const expected = describe(bounds);
  return [
    broken("FIELD_OUT_OF_RANGE", field, `Field "${field}" is out of range: expected ${expected}`, { value, expected }),
  ];
}

function within(value: number, { min, above, max, step }: Bounds): boolean {
  if (!Number.isFinite(value)) return false;
  if (min !== undefined && value < min) return false;
  if (above !== undefined && value <= above) return false;
  if (max !== undefined && value > max) return false;
  return step === undefined || Number.isInteger(value / step);
}

function describe({ min, above, max, step }: Bounds): string {
  const parts = [
    min === undefined ? "" : `at least ${min}`,
    above === undefined ? "" : `above ${above}`,
    max === undefined ? "" : `at most ${max}`,
    step === undefined ? "" : step === 1 ? "a whole number" : `a multiple of ${step}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "a finite number" : parts.join(", ");
}

/** Refuses text longer than `max` characters. */
export function textUpTo(field: string, text: string | undefined, max: number): readonly ErrorFinding[] {
  if (text === undefined || text.length <= max) return [];
  const expected = `at most ${max} characters`;
  return [
    broken("FIELD_OUT_OF_RANGE", field, `Field "${field}" is too long: expected ${expected}`, {
      value: `${text.length} characters`,
      expected,
    }),
  ];
}

/** Refuses an absent value. */
export function required(field: string, value: unknown): readonly ErrorFinding[] {
  if (value !== undefined && value !== "") return [];
  return [broken("REQUIRED_FIELD", field, `Field "${field}" is required`, { expected: "a value" })];
}

/** Refuses the second and every later value that was seen before. */
export function unique(
  values: readonly (readonly [field: string, key: string])[],
  what: string,
): readonly ErrorFinding[] {
  const seen = new Set<string>();
  return values.flatMap(([field, key]) => {
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [broken("DUPLICATE", field, `${what} "${key}" is given twice`, { value: key, expected: "each one once" })];
  });
}

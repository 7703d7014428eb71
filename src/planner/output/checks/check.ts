import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
import type { SchemaViolation, ValueLocation } from "../problems.ts";

/** The fields and items of one object or array that a keyword has evaluated; `unevaluated…` keywords read it. */
export class EvaluatedParts {
  readonly keys = new Set<string>();
  readonly items = new Set<number>();

  addParts(other: EvaluatedParts): void {
    for (const key of other.keys) this.keys.add(key);
    for (const item of other.items) this.items.add(item);
  }
}

export interface CheckFrame {
  readonly at: ValueLocation;
  /** Receives each problem; undefined if only the verdict is needed, so that the check ends at the first failure. */
  readonly report: ((problem: SchemaViolation) => void) | undefined;
  /** Collects the evaluated parts; undefined if no keyword reads them. */
  readonly evaluated: EvaluatedParts | undefined;
}

export type ApplySchema = (schema: LinkedSchema, value: unknown, frame: CheckFrame) => boolean;

/** Checks a value by one keyword; true if it matches. */
export type KeywordCheck<Value> = (value: Value, frame: CheckFrame, apply: ApplySchema) => boolean;

export interface ValueKinds {
  readonly any: unknown;
  readonly object: Readonly<Record<string, unknown>>;
  readonly array: readonly unknown[];
  readonly string: string;
  readonly number: number;
}

/** A keyword: the kind of values that it applies to, and a function that creates its check from its schema value. */
export interface KeywordDefinition {
  readonly name: string;
  readonly kind: keyof ValueKinds;
  /** Creates the check. It may be called only with values of `kind`. */
  readonly createCheck: (wanted: unknown, schema: LinkedObject) => KeywordCheck<never>;
}

/** Creates a keyword, typed by the kind of its values. */
export function createKeyword<Kind extends keyof ValueKinds, Wanted>(
  name: string,
  kind: Kind,
  prepare: (wanted: Wanted, schema: LinkedObject) => KeywordCheck<ValueKinds[Kind]>,
): KeywordDefinition {
  // The meta-schema has validated the value of each keyword.
  return { name, kind, createCheck: (wanted, schema) => prepare(wanted as Wanted, schema) };
}

/** Reports a problem with the value itself. Returns false, so that a check can return the result. */
export function reportProblem(
  frame: CheckFrame,
  what: string,
  more: Omit<SchemaViolation, "location" | "what"> = {},
): false {
  frame.report?.({ location: frame.at, what, ...more });
  return false;
}

export function createMemberFrame(frame: CheckFrame, token: string | number): CheckFrame {
  return { at: { parent: frame.at, token }, report: frame.report, evaluated: undefined };
}

/** Returns a frame for the same value that only computes the verdict. */
export function createSilentFrame(frame: CheckFrame): CheckFrame {
  return { at: frame.at, report: undefined, evaluated: frame.evaluated };
}

/** Returns whether `test` is true for all items. Continues after a failure only if problems are reported. */
export function testEvery<Item>(items: Iterable<Item>, frame: CheckFrame, test: (item: Item) => boolean): boolean {
  let passed = true;
  for (const item of items) {
    if (test(item)) continue;
    passed = false;
    if (frame.report === undefined) return false;
  }
  return passed;
}

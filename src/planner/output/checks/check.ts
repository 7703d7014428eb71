import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
import type { At, Problem } from "../problems.ts";

/** The parts of one object or array that some keyword has judged; asked for by `unevaluated…`. */
export class Evaluated {
  readonly keys = new Set<string>();
  readonly items = new Set<number>();

  add(other: Evaluated): void {
    for (const key of other.keys) this.keys.add(key);
    for (const item of other.items) this.items.add(item);
  }
}

export interface Frame {
  readonly at: At;
  /** Receives each problem; undefined when only the verdict matters, and the first failure then ends it. */
  readonly report: ((problem: Problem) => void) | undefined;
  /** Collects what was judged; undefined if it is not needed. */
  readonly evaluated: Evaluated | undefined;
}

export type Apply = (schema: LinkedSchema, value: unknown, frame: Frame) => boolean;

/** Judges a value by one keyword: true when it fits. */
export type Check<Value> = (value: Value, frame: Frame, apply: Apply) => boolean;

export interface Kinds {
  readonly any: unknown;
  readonly object: Readonly<Record<string, unknown>>;
  readonly array: readonly unknown[];
  readonly string: string;
  readonly number: number;
}

/** A keyword: the kind of value that it speaks about, and how its check comes from what the schema says. */
export interface Keyword {
  readonly name: string;
  readonly kind: keyof Kinds;
  /** The check must meet values of `kind` only. */
  readonly prepare: (wanted: unknown, schema: LinkedObject) => Check<never>;
}

/** Fixes the type of value that a keyword's check gets. */
export function keyword<Kind extends keyof Kinds, Wanted>(
  name: string,
  kind: Kind,
  prepare: (wanted: Wanted, schema: LinkedObject) => Check<Kinds[Kind]>,
): Keyword {
  // The meta-schema has validated the value of each keyword.
  return { name, kind, prepare: (wanted, schema) => prepare(wanted as Wanted, schema) };
}

/** Reports a problem with the value itself; always false, so that a check can end with it. */
export function fail(frame: Frame, what: string, more: Omit<Problem, "at" | "what"> = {}): false {
  frame.report?.({ at: frame.at, what, ...more });
  return false;
}

export function inside(frame: Frame, token: string | number): Frame {
  return { at: { parent: frame.at, token }, report: frame.report, evaluated: undefined };
}

/** The same value, verdict only. */
export function silenceFrame(frame: Frame): Frame {
  return { at: frame.at, report: undefined, evaluated: frame.evaluated };
}

/** True when `test` holds for all; goes on after a failure only where problems are collected. */
export function testEvery<Item>(items: Iterable<Item>, frame: Frame, test: (item: Item) => boolean): boolean {
  let passed = true;
  for (const item of items) {
    if (test(item)) continue;
    passed = false;
    if (frame.report === undefined) return false;
  }
  return passed;
}

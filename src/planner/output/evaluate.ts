import { isEqualJson } from "#kernel/equal_json.ts";
import { ARRAY_CHECKS } from "./checks/array_checks.ts";
import {
  type Check,
  Evaluated,
  type Frame,
  fail,
  type Keyword,
  type Kinds,
  keyword,
  testEvery,
} from "./checks/check.ts";
import { asksForEvaluated, COMBINED_CHECKS, UNEVALUATED_CHECKS } from "./checks/combined_checks.ts";
import { OBJECT_CHECKS } from "./checks/object_checks.ts";
import { SCALAR_CHECKS } from "./checks/scalar_checks.ts";
import type { LinkedObject, LinkedSchema } from "./linked_schema.ts";
import { formatList, formatValue, type Problem, typeOf } from "./problems.ts";

/** Keywords that speak about every value. Source: JSON Schema 2020-12 Validation, 6.1. */
const ANY_CHECKS: readonly Keyword[] = [
  keyword("type", "any", (wanted: string | readonly string[]) => {
    const types = [wanted].flat();
    return (value, frame) => {
      const type = typeOf(value);
      if (types.includes(type) || (type === "integer" && types.includes("number"))) return true;
      return fail(frame, `expected ${types.join(" or ")}, got ${type}`, { types });
    };
  }),
  keyword("enum", "any", (wanted: readonly unknown[]) => {
    const texts = new Set(wanted.filter((each) => typeof each === "string"));
    const others = wanted.filter((each) => typeof each !== "string");
    return (value, frame) => {
      const found = typeof value === "string" ? texts.has(value) : others.some((each) => isEqualJson(each, value));
      return found || fail(frame, `expected ${expectation(wanted)}, got ${formatValue(value)}`, { allowed: wanted });
    };
  }),
  keyword("const", "any", (wanted: unknown) => (value, frame) => {
    return (
      isEqualJson(wanted, value) ||
      fail(frame, `expected ${formatValue(wanted)}, got ${formatValue(value)}`, { allowed: [wanted] })
    );
  }),
];

function expectation(wanted: readonly unknown[]): string {
  return wanted.length === 1
    ? formatValue(wanted[0])
    : `one of ${wanted.length === 0 ? "no values" : formatList(wanted)}`;
}

/** Pairs that are remembered; more would fill the memory for a large output that is mostly right. */
const MAX_KNOWN = 100_000;

/**
 * Objects and arrays that are known not to fit a schema. Explaining why none of several alternatives fits asks again
 * at each level below for a verdict that the level above has already had: the time would be quadratic in the depth.
 */
class KnownMisfits {
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

/** Keywords in the order of their problems in reports: type, missing members, parts, then combined schemas. */
const KEYWORDS: readonly Keyword[] = [
  ...ANY_CHECKS,
  ...SCALAR_CHECKS,
  ...OBJECT_CHECKS,
  ...ARRAY_CHECKS,
  ...COMBINED_CHECKS,
  ...UNEVALUATED_CHECKS,
];

/** Evaluations between two reads of the clock: precise enough for a limit of a second, at no measurable cost. */
const STEPS_PER_LOOK = 512;

/** Judgements that a made-up example or a schema file is worth: a second's work. */
const MAX_STEPS = 2_000_000;

/** Thrown by `stepLimit`. */
export class TooManySteps extends Error {
  override readonly name = "TooManySteps";
}

/** An `interrupt` that gives up after a number of judgements, the same on every machine. */
export function stepLimit(): () => void {
  let left = MAX_STEPS / STEPS_PER_LOOK;
  return () => {
    left -= 1;
    if (left < 0) throw new TooManySteps("Comparing takes too many steps");
  };
}

interface PreparedSchema {
  readonly checks: Readonly<Record<keyof Kinds, readonly Check<never>[]>>;
  readonly tracks: boolean;
}

/** What is wrong with a value: the first problems in a stable order, and how many there are in all. */
export interface Evaluation {
  readonly problems: readonly Problem[];
  readonly count: number;
}

/** Problems that are kept; a value of a million wrong items would fill the memory with messages. */
const MAX_KEPT_PROBLEMS = 1000;

/**
 * Judges `value` by a linked schema; the count is 0 when it fits.
 *
 * @param interrupt called every few hundred judgements; throws to give up
 *
 * Recursion goes as deep as the value and the schema's references do. Source: JSON Schema 2020-12.
 */
export function evaluate(schema: LinkedSchema, value: unknown, interrupt: () => void = () => {}): Evaluation {
  const problems: Problem[] = [];
  let count = 0;
  // The verdict alone is quick, and most outputs fit.
  if (new Evaluator(interrupt).apply(schema, value, { at: undefined, report: undefined, evaluated: undefined })) {
    return { problems, count };
  }
  const report = (problem: Problem): void => {
    count += 1;
    if (problems.length < MAX_KEPT_PROBLEMS) problems.push(problem);
  };
  new Evaluator(interrupt, new KnownMisfits()).apply(schema, value, { at: undefined, report, evaluated: undefined });
  return { problems, count };
}

class Evaluator {
  readonly #interrupt: () => void;
  readonly #prepared = new Map<LinkedObject, PreparedSchema>();
  readonly #misfits: KnownMisfits | undefined;
  #steps = 0;

  /** @param misfits verdicts found while problems are reported, so that a plain verdict is not computed twice */
  constructor(interrupt: () => void, misfits?: KnownMisfits) {
    this.#interrupt = interrupt;
    this.#misfits = misfits;
  }

  readonly apply = (schema: LinkedSchema, value: unknown, frame: Frame): boolean => {
    if (++this.#steps % STEPS_PER_LOOK === 0) this.#interrupt();
    if (schema === true) return true;
    if (schema === false) return fail(frame, "no value is allowed here");
    // A verdict depends on nothing but schema and value, and what does not fit has no judged parts to hand on.
    if (frame.report === undefined && this.#misfits?.has(schema, value) === true) return false;
    const { checks, tracks } = this.#prepare(schema);
    const outer = frame.evaluated;
    const evaluated = tracks || outer !== undefined ? new Evaluated() : undefined;
    const own = evaluated === undefined ? frame : { at: frame.at, report: frame.report, evaluated };
    // The table chose the checks for this kind of value.
    const passed = testEvery(checks[kindOf(value)], own, (check) => check(value as never, own, this.apply));
    // A part that does not fit was judged all the same: that nothing judged it would be a second, wrong complaint.
    if (evaluated !== undefined && (passed || frame.report !== undefined)) outer?.add(evaluated);
    if (!passed && frame.report === undefined) this.#misfits?.add(schema, value);
    return passed;
  };

  #prepare(schema: LinkedObject): PreparedSchema {
    const known = this.#prepared.get(schema);
    if (known !== undefined) return known;
    const checks = { any: [], object: [], array: [], string: [], number: [] } as Record<keyof Kinds, Check<never>[]>;
    for (const { name, kind, prepare } of KEYWORDS) {
      if (!schema.keywords.has(name)) continue;
      const check = prepare(schema.keywords.get(name), schema);
      for (const target of Object.keys(checks) as (keyof Kinds)[]) {
        if (kind === "any" || kind === target) checks[target].push(check);
      }
    }
    const prepared = { checks, tracks: asksForEvaluated(schema) };
    this.#prepared.set(schema, prepared);
    return prepared;
  }
}

/** `any` for the values that no keyword speaks about alone: booleans and null. */
function kindOf(value: unknown): keyof Kinds {
  switch (typeof value) {
    case "string":
    case "number":
      return typeof value as "string" | "number";
    case "object":
      if (value === null) return "any";
      return Array.isArray(value) ? "array" : "object";
    default:
      return "any";
  }
}

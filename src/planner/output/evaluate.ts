import { isEqualJson } from "#kernel/equal_json.ts";
import { ARRAY_CHECKS } from "./checks/array_checks.ts";
import {
  type CheckFrame,
  createKeyword,
  EvaluatedParts,
  type KeywordCheck,
  type KeywordDefinition,
  reportProblem,
  testEvery,
  type ValueKinds,
} from "./checks/check.ts";
import { COMBINED_CHECKS, needsEvaluatedParts, UNEVALUATED_CHECKS } from "./checks/combined_checks.ts";
import { OBJECT_CHECKS } from "./checks/object_checks.ts";
import { SCALAR_CHECKS } from "./checks/scalar_checks.ts";
import type { LinkedObject, LinkedSchema } from "./linked_schema.ts";
import { formatValue, formatValueList, getTypeName, type SchemaViolation } from "./problems.ts";

/** Keywords that apply to values of every type. Source: JSON Schema 2020-12 Validation, 6.1. */
const ANY_CHECKS: readonly KeywordDefinition[] = [
  createKeyword("type", "any", (wanted: string | readonly string[]) => {
    const types = [wanted].flat();
    return (value, frame) => {
      const type = getTypeName(value);
      if (types.includes(type) || (type === "integer" && types.includes("number"))) return true;
      return reportProblem(frame, `expected ${types.join(" or ")}, got ${type}`, { types });
    };
  }),
  createKeyword("enum", "any", (wanted: readonly unknown[]) => {
    const texts = new Set(wanted.filter((each) => typeof each === "string"));
    const others = wanted.filter((each) => typeof each !== "string");
    return (value, frame) => {
      const found = typeof value === "string" ? texts.has(value) : others.some((each) => isEqualJson(each, value));
      return (
        found ||
        reportProblem(frame, `expected ${describeAllowedValues(wanted)}, got ${formatValue(value)}`, {
          allowed: wanted,
        })
      );
    };
  }),
  createKeyword("const", "any", (wanted: unknown) => (value, frame) => {
    return (
      isEqualJson(wanted, value) ||
      reportProblem(frame, `expected ${formatValue(wanted)}, got ${formatValue(value)}`, { allowed: [wanted] })
    );
  }),
];

function describeAllowedValues(wanted: readonly unknown[]): string {
  return wanted.length === 1
    ? formatValue(wanted[0])
    : `one of ${wanted.length === 0 ? "no values" : formatValueList(wanted)}`;
}

/** Maximum number of cached pairs of schema and value, so that a large valid output does not fill the memory. */
const MAX_CACHED_MISMATCHES = 100_000;

/**
 * Cache of objects and arrays that do not match a schema. To explain why no alternative matches, each level needs
 * verdicts that the level above has already computed. Without the cache the time would be quadratic in the depth.
 */
class MismatchCache {
  readonly #schemas = new Map<unknown, Set<LinkedObject>>();
  #count = 0;

  has(schema: LinkedObject, value: unknown): boolean {
    return this.#schemas.get(value)?.has(schema) === true;
  }

  /** Adds only objects and arrays: other values are evaluated quickly and have no identity. */
  add(schema: LinkedObject, value: unknown): void {
    if (typeof value !== "object" || value === null || this.#count === MAX_CACHED_MISMATCHES) return;
    const known = this.#schemas.get(value);
    if (known === undefined) this.#schemas.set(value, new Set([schema]));
    else known.add(schema);
    this.#count += 1;
  }
}

/** Keywords in the order of their problems in reports: type, missing members, parts, then combined schemas. */
const KEYWORD_DEFINITIONS: readonly KeywordDefinition[] = [
  ...ANY_CHECKS,
  ...SCALAR_CHECKS,
  ...OBJECT_CHECKS,
  ...ARRAY_CHECKS,
  ...COMBINED_CHECKS,
  ...UNEVALUATED_CHECKS,
];

/** Evaluations between two calls of `interrupt`: precise enough for a limit of one second, at no measurable cost. */
const STEPS_PER_INTERRUPT = 512;

/** Maximum number of evaluations for a generated example or a schema file, about one second. */
const MAX_STEPS = 2_000_000;

/** Thrown by the function that `createStepLimit` returns. */
export class TooManySteps extends Error {
  override readonly name = "TooManySteps";
}

/** Creates an `interrupt` that throws after a fixed number of evaluations, the same on every machine. */
export function createStepLimit(): () => void {
  let left = MAX_STEPS / STEPS_PER_INTERRUPT;
  return () => {
    left -= 1;
    if (left < 0) throw new TooManySteps("Comparing takes too many steps");
  };
}

interface PreparedSchema {
  readonly checks: Readonly<Record<keyof ValueKinds, readonly KeywordCheck<never>[]>>;
  readonly tracksEvaluatedParts: boolean;
}

/** Result of an evaluation: the first problems in a stable order, and the number of all problems. */
export interface EvaluationResult {
  readonly problems: readonly SchemaViolation[];
  readonly count: number;
}

/** Maximum number of stored problems; a value of a million wrong items would fill the memory with messages. */
const MAX_STORED_PROBLEMS = 1000;

/**
 * Evaluates `value` by a linked schema; the count is 0 if the value matches.
 * @param interrupt called every few hundred evaluations; throws to abort
 *
 * The recursion is as deep as the value and the schema's references. Source: JSON Schema 2020-12.
 */
export function evaluateValue(
  schema: LinkedSchema,
  value: unknown,
  interrupt: () => void = () => {},
): EvaluationResult {
  const problems: SchemaViolation[] = [];
  let count = 0;
  // Most outputs match, and a run without reports is faster.
  if (
    new SchemaEvaluator(interrupt).applySchema(schema, value, {
      at: undefined,
      report: undefined,
      evaluated: undefined,
    })
  ) {
    return { problems, count };
  }
  const report = (problem: SchemaViolation): void => {
    count += 1;
    if (problems.length < MAX_STORED_PROBLEMS) problems.push(problem);
  };
  new SchemaEvaluator(interrupt, new MismatchCache()).applySchema(schema, value, {
    at: undefined,
    report,
    evaluated: undefined,
  });
  return { problems, count };
}

class SchemaEvaluator {
  readonly #interrupt: () => void;
  readonly #prepared = new Map<LinkedObject, PreparedSchema>();
  readonly #mismatches: MismatchCache | undefined;
  #steps = 0;

  /** @param misfits verdicts found while problems are reported, so that a plain verdict is not computed twice */
  constructor(interrupt: () => void, misfits?: MismatchCache) {
    this.#interrupt = interrupt;
    this.#mismatches = misfits;
  }

  readonly applySchema = (schema: LinkedSchema, value: unknown, frame: CheckFrame): boolean => {
    if (++this.#steps % STEPS_PER_INTERRUPT === 0) this.#interrupt();
    if (schema === true) return true;
    if (schema === false) return reportProblem(frame, "no value is allowed here");
    // A verdict depends only on schema and value, and a value that does not match contributes no evaluated parts.
    if (frame.report === undefined && this.#mismatches?.has(schema, value) === true) return false;
    const { checks, tracksEvaluatedParts } = this.#prepareSchema(schema);
    const outer = frame.evaluated;
    const evaluated = tracksEvaluatedParts || outer !== undefined ? new EvaluatedParts() : undefined;
    const own = evaluated === undefined ? frame : { at: frame.at, report: frame.report, evaluated };
    // The table contains only checks for this kind of value.
    const passed = testEvery(checks[getValueKind(value)], own, (check) => check(value as never, own, this.applySchema));
    // A part that does not match has still been evaluated; otherwise `unevaluated…` would report it a second time.
    if (evaluated !== undefined && (passed || frame.report !== undefined)) outer?.addParts(evaluated);
    if (!passed && frame.report === undefined) this.#mismatches?.add(schema, value);
    return passed;
  };

  #prepareSchema(schema: LinkedObject): PreparedSchema {
    const known = this.#prepared.get(schema);
    if (known !== undefined) return known;
    const checks = { any: [], object: [], array: [], string: [], number: [] } as Record<
      keyof ValueKinds,
      KeywordCheck<never>[]
    >;
    for (const { name, kind, createCheck } of KEYWORD_DEFINITIONS) {
      if (!schema.keywords.has(name)) continue;
      const check = createCheck(schema.keywords.get(name), schema);
      for (const target of Object.keys(checks) as (keyof ValueKinds)[]) {
        if (kind === "any" || kind === target) checks[target].push(check);
      }
    }
    const prepared = { checks, tracksEvaluatedParts: needsEvaluatedParts(schema) };
    this.#prepared.set(schema, prepared);
    return prepared;
  }
}

/** Returns the kind of a value; `any` for booleans and null, which have no keywords of their kind. */
function getValueKind(value: unknown): keyof ValueKinds {
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

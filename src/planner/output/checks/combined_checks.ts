import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
import {
  formatFieldName,
  formatProblem,
  formatValue,
  formatValueList,
  getTypeName,
  type SchemaViolation,
  type ValueLocation,
} from "../problems.ts";
import { checkItem, listIndexes } from "./array_checks.ts";
import {
  type ApplySchema,
  type CheckFrame,
  createKeyword,
  createSilentFrame,
  type KeywordCheck,
  type KeywordDefinition,
  reportProblem,
  testEvery,
} from "./check.ts";
import { checkField, createDependentRequiredCheck } from "./object_checks.ts";

/** Number of alternatives whose first problem is reported if none is clearly the intended one. */
const MAX_REPORTED_ALTERNATIVES = 3;

/**
 * Explains with few lines why a value matches none of several schemas. The intended one is often clear from the value's
 * type, or is the one alternative whose constants match.
 * @param branches problems by alternative, none of them empty
 */
function explainAlternatives(
  branches: readonly (readonly SchemaViolation[])[],
  value: unknown,
  at: ValueLocation,
): readonly SchemaViolation[] {
  const ofType = branches.filter((problems) => findExpectedTypes(problems, at) === undefined);
  if (ofType.length === 0) return [describeWrongType(branches, value, at)];
  const meant = ofType.filter((problems) => !problems.some(hasWrongConstant));
  const [only] = meant.length === 1 ? meant : ofType;
  if (only !== undefined && (meant.length === 1 || ofType.length === 1)) return only;
  return [describeWrongConstant(ofType, value, at) ?? describeMissingMatch(branches.length, ofType, at)];
}

/** Returns the types that an alternative accepts, or undefined if the value's type is correct. */
function findExpectedTypes(problems: readonly SchemaViolation[], at: ValueLocation): readonly string[] | undefined {
  return problems.find((problem) => problem.location === at && problem.types !== undefined)?.types;
}

function hasWrongConstant({ allowed }: SchemaViolation): boolean {
  return allowed !== undefined;
}

function describeWrongType(
  branches: readonly (readonly SchemaViolation[])[],
  value: unknown,
  at: ValueLocation,
): SchemaViolation {
  const types = [...new Set(branches.flatMap((problems) => findExpectedTypes(problems, at) ?? []))];
  return { location: at, what: `expected ${types.join(" or ")}, got ${getTypeName(value)}`, types };
}

/** Returns one problem with all accepted values if every alternative is a constant or an enumeration. */
function describeWrongConstant(
  branches: readonly (readonly SchemaViolation[])[],
  value: unknown,
  at: ValueLocation,
): SchemaViolation | undefined {
  const lists = branches.map(([first, second]) =>
    first?.location === at && second === undefined ? first?.allowed : undefined,
  );
  const allowed = lists.flatMap((list) => list ?? []);
  if (lists.includes(undefined)) return undefined;
  return { location: at, what: `expected one of ${formatValueList(allowed)}, got ${formatValue(value)}`, allowed };
}

function describeMissingMatch(
  alternatives: number,
  branches: readonly (readonly SchemaViolation[])[],
  at: ValueLocation,
): SchemaViolation {
  const reasons = branches.flatMap(([first]) => (first === undefined ? [] : [formatProblem(first)]));
  const told = reasons.slice(0, MAX_REPORTED_ALTERNATIVES).join("; ");
  const more = reasons.length > MAX_REPORTED_ALTERNATIVES ? "; …" : "";
  return { location: at, what: `expected one of ${alternatives} alternatives to fit, got none: ${told}${more}` };
}

/** Keywords that apply other schemas to the same value. Source: JSON Schema 2020-12 Core, 8.2.3 and 10.2. */
export const COMBINED_CHECKS: readonly KeywordDefinition[] = [
  createKeyword("$ref", "any", createReferenceCheck),
  createKeyword("$dynamicRef", "any", createReferenceCheck),
  createKeyword("allOf", "any", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    return testEvery(schemas, frame, (schema) => apply(schema, value, frame));
  }),
  createKeyword("anyOf", "any", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    const fits = (schema: LinkedSchema): boolean => apply(schema, value, createSilentFrame(frame));
    // If evaluated parts are collected, every matching alternative must be evaluated.
    const passed = frame.evaluated === undefined ? schemas.some(fits) : schemas.filter(fits).length > 0;
    return passed || reportAlternatives(schemas, value, frame, apply);
  }),
  createKeyword("oneOf", "any", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    const passed = [...schemas.keys()].filter((index) =>
      apply(schemas[index] ?? true, value, createSilentFrame(frame)),
    );
    if (passed.length === 1) return true;
    if (passed.length === 0) return reportAlternatives(schemas, value, frame, apply);
    return reportProblem(
      frame,
      `expected exactly one alternative of "oneOf" to fit, got alternatives ${passed.join(" and ")}`,
    );
  }),
  createKeyword("not", "any", (schema: LinkedSchema) => (value, frame, apply) => {
    const fits = apply(schema, value, { at: frame.at, report: undefined, evaluated: undefined });
    return !fits || reportProblem(frame, `expected anything but what "not" describes, got ${formatValue(value)}`);
  }),
  createKeyword("if", "any", (condition: LinkedSchema, { keywords }) => {
    const then = (keywords.get("then") ?? true) as LinkedSchema;
    const otherwise = (keywords.get("else") ?? true) as LinkedSchema;
    return (value, frame, apply) =>
      apply(apply(condition, value, createSilentFrame(frame)) ? then : otherwise, value, frame);
  }),
  createKeyword("dependentSchemas", "object", createDependentsCheck),
  createKeyword("dependencies", "object", (wanted: ReadonlyMap<string, LinkedSchema | readonly string[]>) => {
    const names = [...wanted].filter((entry): entry is [string, readonly string[]] => Array.isArray(entry[1]));
    const schemas = [...wanted].filter((entry): entry is [string, LinkedSchema] => !Array.isArray(entry[1]));
    const checks = [createDependentRequiredCheck(names), createDependentsCheck(new Map(schemas))];
    return (value, frame, apply) => testEvery(checks, frame, (check) => check(value, frame, apply));
  }),
];

/** Keywords for parts that no other keyword evaluated; they run last. Source: JSON Schema 2020-12 Core, 11. */
export const UNEVALUATED_CHECKS: readonly KeywordDefinition[] = [
  createKeyword("unevaluatedItems", "array", (schema: LinkedSchema) => (value, frame, apply) => {
    const left = [...listIndexes(value)].filter((index) => frame.evaluated?.items.has(index) !== true);
    return testEvery(left, frame, (index) => checkItem({ value, index, schema }, frame, apply));
  }),
  createKeyword("unevaluatedProperties", "object", (schema: LinkedSchema) => (value, frame, apply) => {
    const left = Object.keys(value).filter((name) => frame.evaluated?.keys.has(name) !== true);
    return testEvery(left, frame, (name) => checkField({ value, name, schema }, frame, apply));
  }),
];

/** Returns whether a check by this schema depends on which parts its other keywords evaluated. */
export function needsEvaluatedParts({ keywords }: LinkedObject): boolean {
  return keywords.has("unevaluatedItems") || keywords.has("unevaluatedProperties");
}

function createReferenceCheck(schema: LinkedSchema): KeywordCheck<unknown> {
  return (value, frame, apply) => apply(schema, value, frame);
}

function createDependentsCheck(
  wanted: ReadonlyMap<string, LinkedSchema>,
): KeywordCheck<Readonly<Record<string, unknown>>> {
  return (value, frame, apply) =>
    testEvery(wanted, frame, ([name, schema]) => {
      if (!Object.hasOwn(value, name)) return true;
      if (schema === false)
        return reportProblem(frame, `unexpected field ${formatFieldName(name)}`, { aboutField: true });
      return apply(schema, value, frame);
    });
}

function reportAlternatives(
  schemas: readonly LinkedSchema[],
  value: unknown,
  frame: CheckFrame,
  apply: ApplySchema,
): false {
  if (frame.report === undefined) return false;
  const branches = schemas.map((schema) => {
    const problems: SchemaViolation[] = [];
    apply(schema, value, { at: frame.at, report: (problem) => void problems.push(problem), evaluated: undefined });
    return problems;
  });
  for (const problem of explainAlternatives(branches, value, frame.at)) frame.report(problem);
  return false;
}

import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
import { type At, fieldName, formatList, formatValue, type Problem, problemLine, typeOf } from "../problems.ts";
import { indexes, item } from "./array_checks.ts";
import { type Apply, type Check, type Frame, fail, type Keyword, keyword, silenceFrame, testEvery } from "./check.ts";
import { dependentRequired, field } from "./object_checks.ts";

/** Number of alternatives whose first problem is reported if no alternative was clearly meant. */
const MAX_TOLD_ALTERNATIVES = 3;

/**
 * Says why a value fits none of several schemas in as few lines as help: which one was meant often follows from the
 * value's type or from the one alternative whose constants it has.
 *
 * @param branches problems by each schema, none of them empty
 */
function alternativesProblems(branches: readonly (readonly Problem[])[], value: unknown, at: At): readonly Problem[] {
  const ofType = branches.filter((problems) => typesWanted(problems, at) === undefined);
  if (ofType.length === 0) return [wrongType(branches, value, at)];
  const meant = ofType.filter((problems) => !problems.some(isWrongConstant));
  const [only] = meant.length === 1 ? meant : ofType;
  if (only !== undefined && (meant.length === 1 || ofType.length === 1)) return only;
  return [wrongConstant(ofType, value, at) ?? noneFits(branches.length, ofType, at)];
}

/** Returns the types that an alternative expects, or undefined if the value's type is right. */
function typesWanted(problems: readonly Problem[], at: At): readonly string[] | undefined {
  return problems.find((problem) => problem.at === at && problem.types !== undefined)?.types;
}

function isWrongConstant({ allowed }: Problem): boolean {
  return allowed !== undefined;
}

function wrongType(branches: readonly (readonly Problem[])[], value: unknown, at: At): Problem {
  const types = [...new Set(branches.flatMap((problems) => typesWanted(problems, at) ?? []))];
  return { at, what: `expected ${types.join(" or ")}, got ${typeOf(value)}`, types };
}

/** One list of values when every alternative is a constant or an enumeration. */
function wrongConstant(branches: readonly (readonly Problem[])[], value: unknown, at: At): Problem | undefined {
  const lists = branches.map(([first, second]) =>
    first?.at === at && second === undefined ? first?.allowed : undefined,
  );
  const allowed = lists.flatMap((list) => list ?? []);
  if (lists.includes(undefined)) return undefined;
  return { at, what: `expected one of ${formatList(allowed)}, got ${formatValue(value)}`, allowed };
}

function noneFits(alternatives: number, branches: readonly (readonly Problem[])[], at: At): Problem {
  const reasons = branches.flatMap(([first]) => (first === undefined ? [] : [problemLine(first)]));
  const told = reasons.slice(0, MAX_TOLD_ALTERNATIVES).join("; ");
  const more = reasons.length > MAX_TOLD_ALTERNATIVES ? "; …" : "";
  return { at, what: `expected one of ${alternatives} alternatives to fit, got none: ${told}${more}` };
}

/** Keywords that judge the same value by other schemas. Source: JSON Schema 2020-12 Core, 8.2.3 and 10.2. */
export const COMBINED_CHECKS: readonly Keyword[] = [
  keyword("$ref", "any", checkByReference),
  keyword("$dynamicRef", "any", checkByReference),
  keyword("allOf", "any", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    return testEvery(schemas, frame, (schema) => apply(schema, value, frame));
  }),
  keyword("anyOf", "any", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    const fits = (schema: LinkedSchema): boolean => apply(schema, value, silenceFrame(frame));
    // If judged parts are collected, every fitting alternative counts.
    const passed = frame.evaluated === undefined ? schemas.some(fits) : schemas.filter(fits).length > 0;
    return passed || reportAlternatives(schemas, value, frame, apply);
  }),
  keyword("oneOf", "any", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    const passed = [...schemas.keys()].filter((index) => apply(schemas[index] ?? true, value, silenceFrame(frame)));
    if (passed.length === 1) return true;
    if (passed.length === 0) return reportAlternatives(schemas, value, frame, apply);
    return fail(frame, `expected exactly one alternative of "oneOf" to fit, got alternatives ${passed.join(" and ")}`);
  }),
  keyword("not", "any", (schema: LinkedSchema) => (value, frame, apply) => {
    const fits = apply(schema, value, { at: frame.at, report: undefined, evaluated: undefined });
    return !fits || fail(frame, `expected anything but what "not" describes, got ${formatValue(value)}`);
  }),
  keyword("if", "any", (condition: LinkedSchema, { keywords }) => {
    const then = (keywords.get("then") ?? true) as LinkedSchema;
    const otherwise = (keywords.get("else") ?? true) as LinkedSchema;
    return (value, frame, apply) =>
      apply(apply(condition, value, silenceFrame(frame)) ? then : otherwise, value, frame);
  }),
  keyword("dependentSchemas", "object", dependents),
  keyword("dependencies", "object", (wanted: ReadonlyMap<string, LinkedSchema | readonly string[]>) => {
    const names = [...wanted].filter((entry): entry is [string, readonly string[]] => Array.isArray(entry[1]));
    const schemas = [...wanted].filter((entry): entry is [string, LinkedSchema] => !Array.isArray(entry[1]));
    const checks = [dependentRequired(names), dependents(new Map(schemas))];
    return (value, frame, apply) => testEvery(checks, frame, (check) => check(value, frame, apply));
  }),
];

/** Keywords about parts that no other keyword evaluated; they run last. Source: JSON Schema 2020-12 Core, 11. */
export const UNEVALUATED_CHECKS: readonly Keyword[] = [
  keyword("unevaluatedItems", "array", (schema: LinkedSchema) => (value, frame, apply) => {
    const left = [...indexes(value)].filter((index) => frame.evaluated?.items.has(index) !== true);
    return testEvery(left, frame, (index) => item({ value, index, schema }, frame, apply));
  }),
  keyword("unevaluatedProperties", "object", (schema: LinkedSchema) => (value, frame, apply) => {
    const left = Object.keys(value).filter((name) => frame.evaluated?.keys.has(name) !== true);
    return testEvery(left, frame, (name) => field({ value, name, schema }, frame, apply));
  }),
];

/** Returns whether a check by this schema depends on which parts its other keywords evaluated. */
export function asksForEvaluated({ keywords }: LinkedObject): boolean {
  return keywords.has("unevaluatedItems") || keywords.has("unevaluatedProperties");
}

function checkByReference(schema: LinkedSchema): Check<unknown> {
  return (value, frame, apply) => apply(schema, value, frame);
}

function dependents(wanted: ReadonlyMap<string, LinkedSchema>): Check<Readonly<Record<string, unknown>>> {
  return (value, frame, apply) =>
    testEvery(wanted, frame, ([name, schema]) => {
      if (!Object.hasOwn(value, name)) return true;
      if (schema === false) return fail(frame, `unexpected field ${fieldName(name)}`, { aboutField: true });
      return apply(schema, value, frame);
    });
}

function reportAlternatives(schemas: readonly LinkedSchema[], value: unknown, frame: Frame, apply: Apply): false {
  if (frame.report === undefined) return false;
  const branches = schemas.map((schema) => {
    const problems: Problem[] = [];
    apply(schema, value, { at: frame.at, report: (problem) => void problems.push(problem), evaluated: undefined });
    return problems;
  });
  for (const problem of alternativesProblems(branches, value, frame.at)) frame.report(problem);
  return false;
}

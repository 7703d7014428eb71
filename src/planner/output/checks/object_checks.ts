import { formatCountWithNoun } from "#words/names.ts";
import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
import type { WatchedPattern } from "../patterns.ts";
import { formatFieldName } from "../problems.ts";
import {
  type ApplySchema,
  type CheckFrame,
  createKeyword,
  createMemberFrame,
  type KeywordCheck,
  type KeywordDefinition,
  reportProblem,
  testEvery,
  type ValueKinds,
} from "./check.ts";

type ObjectFields = ValueKinds["object"];

/** Keywords for objects. Source: JSON Schema 2020-12 Core, 10.3.2; Validation, 6.5. */
export const OBJECT_CHECKS: readonly KeywordDefinition[] = [
  createKeyword("required", "object", (names: readonly string[]) => (value, frame) => {
    return testEvery(names, frame, (name) => Object.hasOwn(value, name) || reportMissingField(frame, name));
  }),
  createKeyword("dependentRequired", "object", (wanted: Readonly<Record<string, readonly string[]>>) =>
    createDependentRequiredCheck(Object.entries(wanted)),
  ),
  createKeyword("minProperties", "object", (least: number) => (value, frame) => {
    const size = Object.keys(value).length;
    return (
      size >= least || reportProblem(frame, `expected at least ${formatCountWithNoun(least, "field")}, got ${size}`)
    );
  }),
  createKeyword("maxProperties", "object", (most: number) => (value, frame) => {
    const size = Object.keys(value).length;
    return size <= most || reportProblem(frame, `expected at most ${formatCountWithNoun(most, "field")}, got ${size}`);
  }),
  createKeyword("properties", "object", (properties: ReadonlyMap<string, LinkedSchema>) => (value, frame, apply) => {
    return testEvery(properties, frame, ([name, schema]) => {
      return !Object.hasOwn(value, name) || checkField({ value, name, schema }, frame, apply);
    });
  }),
  createKeyword("patternProperties", "object", (patterns: readonly (readonly [WatchedPattern, LinkedSchema])[]) => {
    return (value, frame, apply) =>
      testEvery(Object.keys(value), frame, (name) =>
        testEvery(patterns, frame, ([pattern, schema]) => {
          return !pattern.matches(name) || checkField({ value, name, schema }, frame, apply);
        }),
      );
  }),
  createKeyword("additionalProperties", "object", createAdditionalFieldsCheck),
  createKeyword("propertyNames", "object", (schema: LinkedSchema) => (value, frame, apply) => {
    return testEvery(Object.keys(value), frame, (name) => checkFieldName(schema, name, frame, apply));
  }),
];

/** Checks one field and records it as evaluated. */
export function checkField(
  { value, name, schema }: { value: ObjectFields; name: string; schema: LinkedSchema },
  frame: CheckFrame,
  apply: ApplySchema,
): boolean {
  if (schema === false) return reportProblem(frame, `unexpected field ${formatFieldName(name)}`, { aboutField: true });
  frame.evaluated?.keys.add(name);
  return apply(schema, value[name], createMemberFrame(frame, name));
}

function reportMissingField(frame: CheckFrame, name: string, because = ""): false {
  return reportProblem(frame, `missing required field ${formatFieldName(name)}${because}`, { aboutField: true });
}

/** Creates a check that requires further fields if a field is present. */
export function createDependentRequiredCheck(
  wanted: readonly (readonly [string, readonly string[]])[],
): KeywordCheck<ObjectFields> {
  return (value, frame) =>
    testEvery(wanted, frame, ([name, needed]) => {
      if (!Object.hasOwn(value, name)) return true;
      const because = `, which field ${formatFieldName(name)} needs`;
      return testEvery(
        needed,
        frame,
        (other) => Object.hasOwn(value, other) || reportMissingField(frame, other, because),
      );
    });
}

function createAdditionalFieldsCheck(schema: LinkedSchema, { keywords }: LinkedObject): KeywordCheck<ObjectFields> {
  const named = (keywords.get("properties") ?? new Map()) as ReadonlyMap<string, LinkedSchema>;
  const patterns = (keywords.get("patternProperties") ?? []) as readonly (readonly [WatchedPattern, LinkedSchema])[];
  return (value, frame, apply) =>
    testEvery(Object.keys(value), frame, (name) => {
      if (named.has(name) || patterns.some(([pattern]) => pattern.matches(name))) return true;
      return checkField({ value, name, schema }, frame, apply);
    });
}

function checkFieldName(schema: LinkedSchema, name: string, frame: CheckFrame, apply: ApplySchema): boolean {
  const reasons: string[] = [];
  const report = frame.report && ((problem: { readonly what: string }) => void reasons.push(problem.what));
  if (apply(schema, name, { at: frame.at, report, evaluated: undefined })) return true;
  const reason = reasons[0] === undefined ? "" : `: ${reasons[0]}`;
  return reportProblem(frame, `field name ${formatFieldName(name)} is not allowed${reason}`, { aboutField: true });
}

import { formatCountOf } from "#words/names.ts";
import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
import type { WatchedPattern } from "../patterns.ts";
import { fieldName } from "../problems.ts";
import {
  type Apply,
  type Check,
  type Frame,
  fail,
  inside,
  type Keyword,
  type Kinds,
  keyword,
  testEvery,
} from "./check.ts";

type Fields = Kinds["object"];

/** Keywords about objects. Source: JSON Schema 2020-12 Core, 10.3.2; Validation, 6.5. */
export const OBJECT_CHECKS: readonly Keyword[] = [
  keyword("required", "object", (names: readonly string[]) => (value, frame) => {
    return testEvery(names, frame, (name) => Object.hasOwn(value, name) || reportMissing(frame, name));
  }),
  keyword("dependentRequired", "object", (wanted: Readonly<Record<string, readonly string[]>>) =>
    dependentRequired(Object.entries(wanted)),
  ),
  keyword("minProperties", "object", (least: number) => (value, frame) => {
    const size = Object.keys(value).length;
    return size >= least || fail(frame, `expected at least ${formatCountOf(least, "field")}, got ${size}`);
  }),
  keyword("maxProperties", "object", (most: number) => (value, frame) => {
    const size = Object.keys(value).length;
    return size <= most || fail(frame, `expected at most ${formatCountOf(most, "field")}, got ${size}`);
  }),
  keyword("properties", "object", (properties: ReadonlyMap<string, LinkedSchema>) => (value, frame, apply) => {
    return testEvery(properties, frame, ([name, schema]) => {
      return !Object.hasOwn(value, name) || field({ value, name, schema }, frame, apply);
    });
  }),
  keyword("patternProperties", "object", (patterns: readonly (readonly [WatchedPattern, LinkedSchema])[]) => {
    return (value, frame, apply) =>
      testEvery(Object.keys(value), frame, (name) =>
        testEvery(patterns, frame, ([pattern, schema]) => {
          return !pattern.matches(name) || field({ value, name, schema }, frame, apply);
        }),
      );
  }),
  keyword("additionalProperties", "object", additionalProperties),
  keyword("propertyNames", "object", (schema: LinkedSchema) => (value, frame, apply) => {
    return testEvery(Object.keys(value), frame, (name) => nameFits(schema, name, frame, apply));
  }),
];

/** Judges one field and notes that it was judged. */
export function field(
  { value, name, schema }: { value: Fields; name: string; schema: LinkedSchema },
  frame: Frame,
  apply: Apply,
): boolean {
  if (schema === false) return fail(frame, `unexpected field ${fieldName(name)}`, { aboutField: true });
  frame.evaluated?.keys.add(name);
  return apply(schema, value[name], inside(frame, name));
}

function reportMissing(frame: Frame, name: string, because = ""): false {
  return fail(frame, `missing required field ${fieldName(name)}${because}`, { aboutField: true });
}

/** Names that must be there when another one is. */
export function dependentRequired(wanted: readonly (readonly [string, readonly string[]])[]): Check<Fields> {
  return (value, frame) =>
    testEvery(wanted, frame, ([name, needed]) => {
      if (!Object.hasOwn(value, name)) return true;
      const because = `, which field ${fieldName(name)} needs`;
      return testEvery(needed, frame, (other) => Object.hasOwn(value, other) || reportMissing(frame, other, because));
    });
}

function additionalProperties(schema: LinkedSchema, { keywords }: LinkedObject): Check<Fields> {
  const named = (keywords.get("properties") ?? new Map()) as ReadonlyMap<string, LinkedSchema>;
  const patterns = (keywords.get("patternProperties") ?? []) as readonly (readonly [WatchedPattern, LinkedSchema])[];
  return (value, frame, apply) =>
    testEvery(Object.keys(value), frame, (name) => {
      if (named.has(name) || patterns.some(([pattern]) => pattern.matches(name))) return true;
      return field({ value, name, schema }, frame, apply);
    });
}

function nameFits(schema: LinkedSchema, name: string, frame: Frame, apply: Apply): boolean {
  const reasons: string[] = [];
  const report = frame.report && ((problem: { readonly what: string }) => void reasons.push(problem.what));
  if (apply(schema, name, { at: frame.at, report, evaluated: undefined })) return true;
  const reason = reasons[0] === undefined ? "" : `: ${reasons[0]}`;
  return fail(frame, `field name ${fieldName(name)} is not allowed${reason}`, { aboutField: true });
}

import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
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

type ArrayItems = ValueKinds["array"];

/** Keywords for arrays. Source: JSON Schema 2020-12 Core, 10.3.1; Validation, 6.4. */
export const ARRAY_CHECKS: readonly KeywordDefinition[] = [
  createKeyword("minItems", "array", (least: number) => (value, frame) => {
    return (
      value.length >= least ||
      reportProblem(frame, `expected at least ${formatCountWithNoun(least, "item")}, got ${value.length}`)
    );
  }),
  createKeyword("maxItems", "array", (most: number) => (value, frame) => {
    return (
      value.length <= most ||
      reportProblem(frame, `expected at most ${formatCountWithNoun(most, "item")}, got ${value.length}`)
    );
  }),
  createKeyword(
    "uniqueItems",
    "array",
    (wanted: boolean) => (value, frame) => !wanted || checkUniqueItems(value, frame),
  ),
  createKeyword("prefixItems", "array", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    return testEvery(schemas.slice(0, value.length).entries(), frame, ([index, schema]) => {
      return checkItem({ value, index, schema }, frame, apply);
    });
  }),
  createKeyword("items", "array", (schema: LinkedSchema, { keywords }) => {
    const first = (keywords.get("prefixItems") as readonly unknown[] | undefined)?.length ?? 0;
    return (value, frame, apply) => {
      // `items: true` accepts everything, and a list may have a million items.
      if (schema === true && frame.evaluated === undefined) return true;
      return testEvery(listIndexes(value, first), frame, (index) => checkItem({ value, index, schema }, frame, apply));
    };
  }),
  createKeyword("contains", "array", createContainsCheck),
];

export function* listIndexes(value: ArrayItems, first = 0): Generator<number> {
  for (let index = first; index < value.length; index++) yield index;
}

/** Checks one item and records it as evaluated. */
export function checkItem(
  { value, index, schema }: { value: ArrayItems; index: number; schema: LinkedSchema },
  frame: CheckFrame,
  apply: ApplySchema,
): boolean {
  if (schema === false) return reportProblem(frame, `unexpected item ${index}`);
  frame.evaluated?.items.add(index);
  return apply(schema, value[index], createMemberFrame(frame, index));
}

function checkUniqueItems(value: ArrayItems, frame: CheckFrame): boolean {
  const seen = new Map<string, number>();
  return testEvery(value.entries(), frame, ([index, each]) => {
    const text = formatCanonicalJson(each);
    const first = seen.get(text);
    if (first !== undefined)
      return reportProblem(frame, `expected unique items, got item ${index} equal to item ${first}`);
    seen.set(text, index);
    return true;
  });
}

function createContainsCheck(schema: LinkedSchema, { keywords }: LinkedObject): KeywordCheck<ArrayItems> {
  const least = (keywords.get("minContains") as number | undefined) ?? 1;
  const most = (keywords.get("maxContains") as number | undefined) ?? Number.POSITIVE_INFINITY;
  return (value, frame, apply) => {
    let found = 0;
    for (const [index, each] of value.entries()) {
      if (!apply(schema, each, { at: undefined, report: undefined, evaluated: undefined })) continue;
      found += 1;
      frame.evaluated?.items.add(index);
    }
    const like = 'that "contains" describes';
    if (found < least)
      return reportProblem(frame, `expected at least ${formatCountWithNoun(least, "item")} ${like}, got ${found}`);
    return (
      found <= most ||
      reportProblem(frame, `expected at most ${formatCountWithNoun(most, "item")} ${like}, got ${found}`)
    );
  };
}

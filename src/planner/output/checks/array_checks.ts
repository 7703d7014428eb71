import { canonicalJson } from "#kernel/canonical_json.ts";
import { formatCountOf } from "#words/names.ts";
import type { LinkedObject, LinkedSchema } from "../linked_schema.ts";
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

type Items = Kinds["array"];

/** Keywords about arrays. Source: JSON Schema 2020-12 Core, 10.3.1; Validation, 6.4. */
export const ARRAY_CHECKS: readonly Keyword[] = [
  keyword("minItems", "array", (least: number) => (value, frame) => {
    return (
      value.length >= least || fail(frame, `expected at least ${formatCountOf(least, "item")}, got ${value.length}`)
    );
  }),
  keyword("maxItems", "array", (most: number) => (value, frame) => {
    return value.length <= most || fail(frame, `expected at most ${formatCountOf(most, "item")}, got ${value.length}`);
  }),
  keyword("uniqueItems", "array", (wanted: boolean) => (value, frame) => !wanted || checkUnique(value, frame)),
  keyword("prefixItems", "array", (schemas: readonly LinkedSchema[]) => (value, frame, apply) => {
    return testEvery(schemas.slice(0, value.length).entries(), frame, ([index, schema]) => {
      return item({ value, index, schema }, frame, apply);
    });
  }),
  keyword("items", "array", (schema: LinkedSchema, { keywords }) => {
    const first = (keywords.get("prefixItems") as readonly unknown[] | undefined)?.length ?? 0;
    return (value, frame, apply) => {
      // `items: true` says nothing, and a list may have a million entries.
      if (schema === true && frame.evaluated === undefined) return true;
      return testEvery(indexes(value, first), frame, (index) => item({ value, index, schema }, frame, apply));
    };
  }),
  keyword("contains", "array", checkContains),
];

export function* indexes(value: Items, first = 0): Generator<number> {
  for (let index = first; index < value.length; index++) yield index;
}

/** Judges one item and notes that it was judged. */
export function item(
  { value, index, schema }: { value: Items; index: number; schema: LinkedSchema },
  frame: Frame,
  apply: Apply,
): boolean {
  if (schema === false) return fail(frame, `unexpected item ${index}`);
  frame.evaluated?.items.add(index);
  return apply(schema, value[index], inside(frame, index));
}

function checkUnique(value: Items, frame: Frame): boolean {
  const seen = new Map<string, number>();
  return testEvery(value.entries(), frame, ([index, each]) => {
    const text = canonicalJson(each);
    const first = seen.get(text);
    if (first !== undefined) return fail(frame, `expected unique items, got item ${index} equal to item ${first}`);
    seen.set(text, index);
    return true;
  });
}

function checkContains(schema: LinkedSchema, { keywords }: LinkedObject): Check<Items> {
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
    if (found < least) return fail(frame, `expected at least ${formatCountOf(least, "item")} ${like}, got ${found}`);
    return found <= most || fail(frame, `expected at most ${formatCountOf(most, "item")} ${like}, got ${found}`);
  };
}

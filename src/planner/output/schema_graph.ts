import type { LinkedObject } from "./linked_schema.ts";
import { APPLICATORS } from "./schema_keywords.ts";

/**
 * A schema that judges a value only by judging the same value with itself again, or undefined. Such a
 * schema never ends. Source: JSON Schema 2020-12 Core, 9.4.1. Cost: O(schemas + references), without recursion.
 */
export function findSelfReference(schemas: Iterable<LinkedObject>): LinkedObject | undefined {
  const state = new Map<LinkedObject, "open" | "done">();
  for (const start of schemas) {
    const path: { readonly schema: LinkedObject; readonly next: LinkedObject[] }[] = [];
    const enter = (schema: LinkedObject): void => {
      state.set(schema, "open");
      path.push({ schema, next: judgesSameValue(schema) });
    };
    if (!state.has(start)) enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const schema = last.next.pop();
      if (schema === undefined) {
        state.set(last.schema, "done");
        path.pop();
      } else if (state.get(schema) === "open") return schema;
      else if (!state.has(schema)) enter(schema);
    }
  }
  return undefined;
}

function judgesSameValue({ keywords }: LinkedObject): LinkedObject[] {
  const found: unknown[] = [];
  for (const [keyword, value] of keywords) {
    if (keyword === "$ref" || keyword === "$dynamicRef") found.push(value);
    else if (APPLICATORS.get(keyword)?.inPlace !== true) continue;
    else if (value instanceof Map) found.push(...value.values());
    else found.push(...[value].flat());
  }
  return found.filter((each) => typeof each === "object" && each !== null && "keywords" in each) as LinkedObject[];
}

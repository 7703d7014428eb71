import { equalJson } from "#kernel/equal_json.ts";
import { shown, shownList, typeOf } from "../problems.ts";
import { fail, type Keyword, keyword } from "./check.ts";

/** Keywords that speak about every value. Source: JSON Schema 2020-12 Validation, 6.1. */
export const ANY_CHECKS: readonly Keyword[] = [
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
      const found = typeof value === "string" ? texts.has(value) : others.some((each) => equalJson(each, value));
      return found || fail(frame, `expected ${expectation(wanted)}, got ${shown(value)}`, { allowed: wanted });
    };
  }),
  keyword("const", "any", (wanted: unknown) => (value, frame) => {
    return (
      equalJson(wanted, value) || fail(frame, `expected ${shown(wanted)}, got ${shown(value)}`, { allowed: [wanted] })
    );
  }),
];

function expectation(wanted: readonly unknown[]): string {
  return wanted.length === 1 ? shown(wanted[0]) : `one of ${wanted.length === 0 ? "no values" : shownList(wanted)}`;
}

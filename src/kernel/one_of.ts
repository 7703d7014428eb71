import { Kind, type TUnsafe, Type } from "@sinclair/typebox";

/** TypeBox kind of the schemas of `createEnumSchema`; code that checks values must register it. */
export const ENUM_SCHEMA_KIND = "planner:one_of";

/** TypeBox kind of a parameter that names a criterion: its number, or a part of its text. */
export const CRITERION_SCHEMA_KIND = "planner:criterion";

/** Schema of a parameter that names a criterion. Clients see a text; an integer is taken as the number alone. */
export function createCriterionSchema(description: string): TUnsafe<string | number> {
  return Type.Unsafe<string | number>({ [Kind]: CRITERION_SCHEMA_KIND, type: "string", minLength: 1, description });
}

/** Schema of a text parameter with given values: an `enum` in JSON Schema, a third as long as a union of literals. */
export function createEnumSchema<const Value extends string>(
  values: readonly Value[],
  description: string,
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ [Kind]: ENUM_SCHEMA_KIND, type: "string", enum: [...values], description });
}

import { Kind, type TUnsafe, Type } from "@sinclair/typebox";

/** TypeBox kind of the schemas of `createEnumSchema`; code that checks values must register it. */
export const ENUM_SCHEMA_KIND = "planner:one_of";

/** Schema of a text parameter with given values: an `enum` in JSON Schema, a third as long as a union of literals. */
export function createEnumSchema<const Value extends string>(
  values: readonly Value[],
  description: string,
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ [Kind]: ENUM_SCHEMA_KIND, type: "string", enum: [...values], description });
}

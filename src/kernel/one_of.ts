import { Kind, type TUnsafe, Type } from "@sinclair/typebox";

/** TypeBox kind of the schemas of `oneOf`; code that checks values must register it. */
export const ONE_OF = "planner:one_of";

/**
 * Returns the schema of a text parameter with the given values. It is an `enum` in JSON Schema, a third of the length
 * of a union of literals.
 */
export function oneOf<const Value extends string>(values: readonly Value[], description: string): TUnsafe<Value> {
  return Type.Unsafe<Value>({ [Kind]: ONE_OF, type: "string", enum: [...values], description });
}

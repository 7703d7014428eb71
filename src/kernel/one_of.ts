import { Kind, type TUnsafe, Type } from "@sinclair/typebox";

/** The TypeBox kind of `oneOf`'s schemas; code that checks values registers it. */
export const ONE_OF = "planner:one_of";

/** A text parameter that takes one of `values`, an `enum` in JSON Schema: a third of the length of a union of literals. */
export function oneOf<const Value extends string>(values: readonly Value[], description: string): TUnsafe<Value> {
  return Type.Unsafe<Value>({ [Kind]: ONE_OF, type: "string", enum: [...values], description });
}

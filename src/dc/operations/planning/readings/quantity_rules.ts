import { getOption } from "@bufbuild/protobuf";
import { READING_QUANTITIES, type ReadingQuantity } from "#dc/model/enum_values.ts";
import { broken } from "#dc/model/finding.ts";
import { REF_GRAMMAR, type RefKind } from "#dc/model/ref.ts";
import { Refusal } from "#dc/model/refusal.ts";
import { ReadingQuantitySchema } from "#gen/datacenter/v1/readings_pb.ts";
import { type QuantityRule, quantity as quantityOption } from "#gen/datacenter/v1/rules_pb.ts";

/** The rules of each quantity, as the proto states them. */
const RULES: ReadonlyMap<ReadingQuantity, QuantityRule> = new Map(
  READING_QUANTITIES.map((name, index) => {
    const value = ReadingQuantitySchema.values[index + 1];
    if (value?.name !== `READING_QUANTITY_${name}`) throw new Error(`The proto has no quantity ${name}`);
    return [name, getOption(value, quantityOption)];
  }),
);

/** Checks that an element of a kind has a quantity. @throws Refusal naming the field and what is expected */
export function demandMeasurable(field: string, value: string, kind: RefKind, quantity: ReadingQuantity): void {
  const kinds = RULES.get(quantity)?.elements ?? [];
  if (kinds.includes(kind)) return;
  const expected = kinds.map((one) => REF_GRAMMAR[one as RefKind]).join(", ");
  const message = `Cannot read ${quantity} of "${value}": expected ${expected}`;
  throw new Refusal(broken("INVALID_REF", field, message, { value, expected }));
}

/** Checks a value by the rules of its quantity. @throws Refusal naming the field and what is expected */
export function demandValue(field: string, value: number, quantity: ReadingQuantity): void {
  const { min, max, numbers = [] } = RULES.get(quantity) ?? {};
  const isNumber = Number.isFinite(value) && (numbers.length === 0 || numbers.includes(value));
  if (isNumber && value >= (min ?? value) && value <= (max ?? value)) return;
  const expected = expectedValue(numbers, min, max);
  const message = `Field "${field}" is out of range: ${value}, expected ${expected}`;
  throw new Refusal(broken("FIELD_OUT_OF_RANGE", field, message, { value, expected }));
}

function expectedValue(numbers: readonly number[], min: number | undefined, max: number | undefined): string {
  if (numbers.length > 0) return `one of ${numbers.join(", ")}`;
  if (min === undefined) return "a number";
  return max === undefined ? `a number of at least ${min}` : `a number from ${min} to ${max}`;
}

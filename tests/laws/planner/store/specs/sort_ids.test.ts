import { expect } from "bun:test";
import fc from "fast-check";
import { compareSpecIds, parseSpecId, type SpecId } from "#planner/spec/spec_id.ts";
import { sortItemsById } from "#planner/store/specs/spec_files.ts";
import { law } from "../../../../support/law.ts";

const base36 = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."09az"), minLength: length, maxLength: length });
const day = fc.constantFrom("2026-01-01", "2026-01-02", "2025-12-31");
const suffix = fc.string({ unit: fc.constantFrom(..."0az"), minLength: 1, maxLength: 4 });
const members = fc.array(
  fc.constantFrom("0", "1", "01", "2", "10", "9007199254740993", "123456789012345678901234567890"),
  {
    maxLength: 3,
  },
);
const dated = fc
  .tuple(day, base36(3), suffix, members)
  .map(([date, counter, end, numbers]) => [`${date}-${counter}-${end}`, ...numbers].join("."));
const id = fc
  .oneof({ weight: 4, arbitrary: dated }, { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) })
  .filter((text) => parseSpecId(text) !== undefined) as fc.Arbitrary<SpecId>;

law("sortItemsById orders as compareSpecIds does", [fc.uniqueArray(id, { maxLength: 30 })], (ids) => {
  const sorted = sortItemsById(ids.map((one) => ({ id: one }))).map((item) => item.id);

  expect(sorted).toEqual([...ids].sort(compareSpecIds));
});

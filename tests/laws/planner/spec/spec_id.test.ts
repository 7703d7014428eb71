import { expect } from "bun:test";
import fc from "fast-check";
import { OperationError } from "#kernel/errors.ts";
import {
  AmbiguousSpecId,
  compareSpecIds,
  parseParentId,
  parseSpecId,
  parseSpecIdParts,
  resolveSpecId,
  type SpecId,
} from "#planner/spec/spec_id.ts";
import { sortItemsById } from "#planner/store/specs/spec_files.ts";
import { law } from "../../../support/law.ts";

const base36 = fc.constantFrom(..."0123456789abcxyz");
const dated = fc
  .tuple(
    fc.constantFrom("2026-11-20", "2026-11-21", "2025-01-05"),
    fc.string({ unit: base36, minLength: 3, maxLength: 3 }),
    fc.string({ unit: base36, minLength: 1, maxLength: 3 }),
    fc.array(fc.constantFrom(".1", ".2", ".10", ".01"), { maxLength: 2 }),
  )
  .map(([day, counter, suffix, members]) => `${day}-${counter}-${suffix}${members.join("")}`);
const anyId = fc.oneof(
  dated,
  fc.constantFrom("notes", "a.1", "2026-11-21", "2026-11-21-001"),
  fc.string({ minLength: 1 }),
) as fc.Arbitrary<SpecId>;

law("compareSpecIds is a total order", [anyId, anyId, anyId], (a, b, c) => {
  const sign = (one: string, other: string): number => Math.sign(compareSpecIds(one, other));

  expect(sign(a, b)).toBe(0 - sign(b, a));
  expect(compareSpecIds(a, b) === 0).toBe(a === b);
  if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
});

law("compareSpecIds puts a member behind the spec it hangs under", [dated], (id) => {
  const parent = parseParentId(id as SpecId);

  fc.pre(parent !== undefined);
  expect(compareSpecIds(parent ?? "", id)).toBeLessThan(0);
  expect(parseSpecIdParts(parent ?? "")?.members).toEqual(parseSpecIdParts(id)?.members.slice(0, -1) ?? []);
});

law("resolveSpecId finds every id by its full text", [fc.uniqueArray(dated, { minLength: 1, maxLength: 8 })], (ids) => {
  for (const id of ids) expect(resolveSpecId(id, ids as SpecId[], "2026-11-21")).toBe(id as SpecId);
});

law(
  "resolveSpecId gives an id that contains the text, or says that none or several do",
  [fc.uniqueArray(dated, { maxLength: 8 }), fc.oneof(fc.string({ unit: base36, maxLength: 4 }), anyId)],
  (ids, text) => {
    const wanted = text.trim();
    const containing = ids.filter((id) => id.includes(wanted));
    const found = resolved(text, ids);

    if (typeof found === "string") expect(containing).toContain(found);
    else if (found instanceof AmbiguousSpecId) {
      expect(found.namedIds.length).toBeGreaterThan(1);
      expect(containing).toEqual(expect.arrayContaining([...found.namedIds]));
      expect([...found.namedIds]).toEqual(found.namedIds.toSorted(compareSpecIds));
    } else if (wanted === "") expect(found.kind).toBe("invalid_argument");
    else {
      expect(containing).toEqual([]);
      expect(found.message).toBe(`Spec not found: ${wanted}`);
    }
  },
);

function resolved(text: string, ids: readonly string[]): string | OperationError {
  try {
    return resolveSpecId(text, ids as SpecId[], "2026-11-21");
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return error;
  }
}

const answer = (text: string, ids: readonly string[]): string => {
  try {
    return resolveSpecId(text, ids as SpecId[], "2026-11-21");
  } catch (error) {
    return (error as Error).message;
  }
};

law(
  "resolveSpecId does not depend on the order of the ids",
  [fc.uniqueArray(dated, { maxLength: 6 }), fc.string({ unit: base36, maxLength: 3 })],
  (ids, text) => {
    expect(answer(text, ids)).toBe(answer(text, ids.toReversed()));
  },
);

const sortIdsBase36 = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."09az"), minLength: length, maxLength: length });
const day = fc.constantFrom("2026-01-01", "2026-01-02", "2025-12-31");
const suffix = fc.string({ unit: fc.constantFrom(..."0az"), minLength: 1, maxLength: 4 });
const members = fc.array(
  fc.constantFrom("0", "1", "01", "2", "10", "9007199254740993", "123456789012345678901234567890"),
  {
    maxLength: 3,
  },
);
const sortIdsDated = fc
  .tuple(day, sortIdsBase36(3), suffix, members)
  .map(([date, counter, end, numbers]) => [`${date}-${counter}-${end}`, ...numbers].join("."));
const id = fc
  .oneof({ weight: 4, arbitrary: sortIdsDated }, { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) })
  .filter((text) => parseSpecId(text) !== undefined) as fc.Arbitrary<SpecId>;

law("sortItemsById orders as compareSpecIds does", [fc.uniqueArray(id, { maxLength: 30 })], (ids) => {
  const sorted = sortItemsById(ids.map((one) => ({ id: one }))).map((item) => item.id);

  expect(sorted).toEqual([...ids].sort(compareSpecIds));
});

import { expect } from "bun:test";
import fc from "fast-check";
import {
  addMeasurement,
  computePeakFigures,
  DAY_MS,
  listDaysWithValues,
  type Measurement,
  type StoredQuantity,
} from "#dc/model/readings/reading_store.ts";
import { law } from "../../support/law.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const TODAY = 20_600;
const SLOT_MS = 15 * 60 * 1000;

/** Times of few quarter hours of today and yesterday, so that they meet; values with five digits, as days keep them. */
const measurement: fc.Arbitrary<Measurement> = fc.record({
  at: fc.oneof(
    fc.integer({ min: 0, max: 12 }).map((step) => TODAY * DAY_MS - DAY_MS / 8 + step * 30 * 60 * 1000),
    fc.integer({ min: (TODAY - 1) * DAY_MS, max: (TODAY + 1) * DAY_MS - 1 }),
    fc.integer({ min: (TODAY - 40) * DAY_MS, max: (TODAY - 1) * DAY_MS - 1 }),
  ),
  value: fc.integer({ min: 0, max: 99_999 }).map((value) => value / 10),
  source: fc.constantFrom("a", "b", "c"),
});

function keptOf(all: readonly Measurement[], today = TODAY): StoredQuantity | undefined {
  return all.reduce<StoredQuantity | undefined>(
    (kept, one) => addMeasurement(kept, one, (today + 1) * DAY_MS - 1),
    undefined,
  );
}

law(
  "any order of arrival, some twice, gives the same state",
  [
    fc.array(measurement, { minLength: 1, maxLength: 40 }).chain((list) =>
      fc.record({
        list: fc.constant(list),
        again: fc.shuffledSubarray(list, { minLength: list.length }),
        twice: fc.shuffledSubarray(list),
      }),
    ),
  ],
  ({ list, again, twice }) => {
    expect(keptOf([...again, ...twice])).toEqual(keptOf(list));
  },
);

/** The latest one, by sorting all of them. */
function latestOf(all: readonly Measurement[]): Measurement | undefined {
  return all.toSorted(
    (a, b) => b.at - a.at || (a.source === b.source ? b.value - a.value : a.source < b.source ? -1 : 1),
  )[0];
}

/** The figures of a day, from all of its values. */
function figuresOf(all: readonly Measurement[], day: number) {
  const slots = new Map<number, number>();
  for (const { at, value } of all) {
    if (Math.floor(at / DAY_MS) !== day) continue;
    const slot = Math.floor((at % DAY_MS) / SLOT_MS);
    slots.set(slot, Math.max(slots.get(slot) ?? 0, value));
  }
  const values = [...slots.values()].sort((a, b) => a - b);
  if (values.length === 0) return [];
  return [{ day, p95: values[Math.ceil(0.95 * values.length) - 1] ?? 0, max: values.at(-1) ?? 0 }];
}

law(
  "the latest value and the figures of each day are those of all values together",
  [fc.array(measurement, { minLength: 1, maxLength: 250 })],
  (list) => {
    const kept = keptOf(list);
    if (kept === undefined) throw new Error("nothing was kept");

    expect({ value: kept.value, at: kept.at, source: kept.source }).toEqual(latestOf(list) as Measurement);
    expect(listDaysWithValues(kept.days, TODAY)).toEqual([...figuresOf(list, TODAY - 1), ...figuresOf(list, TODAY)]);
  },
);

law(
  "a day that was closed keeps its figures for 30 days, and no more days are kept",
  [
    fc.array(fc.array(fc.record({ slot: fc.nat(95), value: fc.nat(9999) }), { minLength: 1, maxLength: 30 }), {
      minLength: 35,
      maxLength: 45,
    }),
  ],
  (days) => {
    const lists = days.map((values, index) =>
      values.map(({ slot, value }) => ({ at: (TODAY + index) * DAY_MS + slot * SLOT_MS, value, source: "a" })),
    );
    let kept: StoredQuantity | undefined;
    for (const [index, list] of lists.entries())
      for (const one of list) kept = addMeasurement(kept, one, (TODAY + index + 1) * DAY_MS - 1);
    const last = TODAY + lists.length - 1;
    const expected = lists.slice(-30).flatMap((list, index) => figuresOf(list, last - 29 + index));

    expect(kept === undefined ? [] : listDaysWithValues(kept.days, last)).toEqual(expected);
    expect(kept?.days.closed.length).toBeLessThanOrEqual(30);
    const peak = kept && computePeakFigures(kept.days, last);
    const all = lists.slice(-30).flatMap((list, index) => figuresOf(list, last - 29 + index));
    expect(peak?.max).toBe(Math.max(...all.map(({ max }) => max)));
  },
  { numRuns: Math.ceil(LAW_RUNS / 5) },
);

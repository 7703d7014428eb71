import { expect } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { START } from "../../support/dc/service.ts";
import { smallSite } from "../../support/dc/small_site.ts";
import { law } from "../../support/law.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const FIVE_MINUTES_S = 300;
const NOW_MS = Date.parse(START);

/** Readings of few elements, from two sources, whose clocks are up to a day late or some minutes ahead. */
const reading = fc.record({
  element: fc.constantFrom("device:SRV-1", "device:PDU", "feed:FA", "port:PDU/OUT1"),
  aheadS: fc.oneof(fc.integer({ min: -86_400, max: 600 }), fc.constantFrom(-900, -1, 0, 1, 299, 300, 301)),
  value: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.constantFrom(-1, 1e10)),
  source: fc.constantFrom("a", "b"),
});
type Given = typeof reading extends fc.Arbitrary<infer Value> ? Value : never;

const messageOf = ({ element, aheadS, value }: Given): JsonObject => ({
  element_ref: element,
  quantity: "READING_QUANTITY_POWER_W",
  value,
  time: new Date(NOW_MS + aheadS * 1000).toISOString(),
});

/** What is kept after reports of some readings in this order, a few at a time. */
async function keptAfter(all: readonly Given[], size: number): Promise<unknown> {
  const { call, store } = await smallSite();
  for (let at = 0; at < all.length; at += size) {
    for (const source of ["a", "b"]) {
      const readings = all.slice(at, at + size).filter((one) => one.source === source);
      if (readings.length > 0) await call("ReportReadings", { readings: readings.map(messageOf), source });
    }
  }
  const kept = await call("ListReadings", { include_days: true });
  await store.close();
  return kept.readings ?? [];
}

/** The latest reading of each element, by sorting all that may count. */
function latestOf(all: readonly Given[]): readonly (readonly [string, number, string])[] {
  const counted = all.filter(({ aheadS, value }) => aheadS <= FIVE_MINUTES_S && value >= 0 && value <= 1e9);
  const sorted = counted.toSorted(
    (a, b) => b.aheadS - a.aheadS || (a.source === b.source ? b.value - a.value : a.source < b.source ? -1 : 1),
  );
  const elements = [...new Set(sorted.map(({ element }) => element))].sort();
  return elements.map((element) => {
    const first = sorted.find((one) => one.element === element);
    return [element, first?.value ?? 0, first?.source ?? ""];
  });
}

law(
  "late, doubled and disordered reports of two sources with wrong clocks leave the same readings",
  [
    fc.array(reading, { minLength: 1, maxLength: 30 }).chain((list) =>
      fc.record({
        list: fc.constant(list),
        again: fc.shuffledSubarray(list, { minLength: list.length }),
        twice: fc.shuffledSubarray(list),
        sizes: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 30 })),
      }),
    ),
  ],
  async ({ list, again, twice, sizes }) => {
    const kept = (await keptAfter(list, sizes[0])) as readonly Record<string, unknown>[];

    expect(await keptAfter([...again, ...twice], sizes[1])).toEqual(kept);
    const found = kept.map((one) => [one["element_ref"], one["value"] ?? 0, one["source"]]);
    expect(found.toSorted()).toEqual(latestOf(list).map((one) => [...one]));
  },
  { numRuns: Math.max(5, Math.ceil(LAW_RUNS / 10)) },
);

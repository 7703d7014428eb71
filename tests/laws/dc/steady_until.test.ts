import { expect, test } from "bun:test";
import fc from "fast-check";
import { computeElevation } from "#dc/analysis/racks/rack_elevation.ts";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Rack } from "#dc/model/resources.ts";
import { law } from "../../support/law.ts";

const NOW = Date.parse("2026-06-01T00:00:00.000Z");
const DAYS_MS = 3 * 24 * 3_600_000;
const EMPTY = { racks: [], devices: [], cracs: [], cables: [], fabricLinks: [] };

const moment = fc.integer({ min: -DAYS_MS, max: DAYS_MS }).map((ms) => new Date(NOW + ms).toISOString());
const reservation = fc.record({
  units: fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 3 }),
  status: fc.constantFrom("ACTIVE" as const, "STALE" as const),
  until: fc.option(moment, { nil: undefined }),
});
const rack: fc.Arbitrary<Rack> = fc
  .record({ reservations: fc.array(reservation, { maxLength: 3 }), measuredAt: fc.option(moment, { nil: undefined }) })
  .map(({ reservations, measuredAt }) => ({
    code: "R",
    uHeight: 10,
    reservations: reservations.map(({ until, ...rest }) => ({ ...rest, ...(until !== undefined && { until }) })),
    ...(measuredAt !== undefined && { measuredAt }),
  }));

function said(one: Rack, at: number): unknown {
  const input = { basis: "ALLOCATED" as const, now: new Date(at).toISOString() };
  return [computeElevation(one, [], input), Topology.createFromInventory(EMPTY).computeRackStanding(one, input)];
}

law(
  "nothing that is said of a rack changes before the moment that is told",
  [rack, fc.double({ min: 0, max: 1, noNaN: true })],
  (one, share) => {
    const until = computeNextChangeMs([one], new Date(NOW).toISOString());
    expect(until).toBeGreaterThan(NOW);
    const last = Math.min(until, NOW + 10 * DAYS_MS) - 1;

    for (const at of [NOW + Math.floor(share * (last - NOW)), last]) expect(said(one, at)).toEqual(said(one, NOW));
  },
);

law("the moment is not too early for a measurement", [moment], (measuredAt) => {
  const one: Rack = { code: "R", uHeight: 10, measuredAt };
  const until = computeNextChangeMs([one], new Date(NOW).toISOString());

  expect(said(one, until)).not.toEqual(said(one, NOW));
});

test("time changes nothing about racks without dates", () => {
  expect(computeNextChangeMs([], new Date(NOW).toISOString())).toBe(Number.POSITIVE_INFINITY);
  expect(computeNextChangeMs([{ code: "R", reservations: [{ units: [1] }] }], new Date(NOW).toISOString())).toBe(
    Number.POSITIVE_INFINITY,
  );
});

law(
  "what is kept of a rack is what would be worked out anew at every moment, later or earlier",
  [rack, fc.array(moment, { minLength: 2, maxLength: 5 })],
  (one, moments) => {
    const keeping = Topology.createFromInventory(EMPTY);
    for (const now of moments) {
      const input = { basis: "ALLOCATED" as const, now };

      expect(keeping.computeRackStanding(one, input)).toEqual(
        Topology.createFromInventory(EMPTY).computeRackStanding(one, input),
      );
    }
  },
);

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BlastOptions } from "#dc/analysis/blast_radius.ts";
import type { Outcome } from "#dc/analysis/rehearsal/outcome.ts";
import { siteFailures } from "#dc/analysis/rehearsal/site_failures.ts";
import { slowFailure } from "#dc/analysis/rehearsal/slow_failure.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { atOnce } from "#kernel/steps.ts";
import { inventory, load } from "../../../support/dc/power.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

// After a change the outcomes are those of a site that was read anew; on circles of supply they are those of a blast radius.

const OPTIONS: BlastOptions = { basis: "ALLOCATED", cascade: true, assumeBattery: false };
const CODES = [..."ABCDEFGHIJKL"];

const plan = fc.record({
  sources: fc.array(fc.nat(CODES.length - 1), { maxLength: 3 }),
  kind: fc.constantFrom("SERVER" as const, "RACK_PDU" as const, "TRANSFER_SWITCH" as const),
  status: fc.constantFrom("ACTIVE" as const, "ACTIVE" as const, "ACTIVE" as const, "FAILED" as const),
  rackCode: fc.constantFrom("R1", "R2", "R3", undefined),
  allocatedDrawW: fc.constantFrom(0, 64, 128),
  capacityW: fc.constantFrom(100, 200, undefined),
});
type Plan = typeof plan extends fc.Arbitrary<infer One> ? One : never;

const plans = fc.array(plan, { minLength: CODES.length, maxLength: CODES.length });
const changes = fc.array(fc.record({ at: fc.nat(CODES.length - 1), to: fc.option(plan, { nil: undefined }) }), {
  minLength: 1,
  maxLength: 4,
});

/** @param tangled lets a device hang on any other; else the even and the odd ones are two sites */
function device({ sources, rackCode, capacityW, ...rest }: Plan, index: number, tangled: boolean) {
  const allowed = CODES.map((_, at) => at).filter((at) => tangled || (at < index && at % 2 === index % 2));
  const refs = allowed.length === 0 ? [] : sources.map((one) => `device:${CODES[allowed[one % allowed.length] ?? 0]}`);
  return load(CODES[index] ?? "", refs, {
    ...rest,
    ...(rackCode !== undefined && { rackCode: tangled ? rackCode : `${rackCode}-${index % 2}` }),
    ...(capacityW !== undefined && { power: { capacityW } }),
  });
}

/** Outcomes by the names of what they concern: a changed site numbers its nodes differently. */
function told({ power }: Topology, outcomes: readonly Outcome[]) {
  const names = (indexes: readonly number[]) => indexes.map((index) => power.nodes[index]?.ref ?? "").sort();
  return outcomes.map((outcome) => ({
    elements: names(outcome.elements.map(({ index }) => index)),
    impact: outcome.impact,
    direct: names(outcome.direct),
    offline: names(outcome.offline),
    degraded: names(outcome.degraded),
    dark: outcome.racksDark.toSorted(),
    byTrip: outcome.racksDarkByTrip.toSorted(),
    partial: outcome.racksPartial.toSorted(),
    trips: outcome.trips.map(({ ref, loadW }) => [ref, loadW]),
    overloads: outcome.overloads.map(({ ref, loadAfterW }) => [ref, loadAfterW]),
  }));
}

for (const tangled of [false, true]) {
  test(`outcomes follow every change${tangled ? ", in circles as well" : ", and keep those of other islands"}`, () => {
    let kept = 0;
    fc.assert(
      fc.property(plans, changes, (given, steps) => {
        const devices = new Map(given.map((one, index) => [index, device(one, index, tangled)]));
        const built = () => Topology.of(inventory(...[...devices].sort(([a], [b]) => a - b).map(([, one]) => one)));
        let topology = built();
        let site = atOnce(siteFailures(topology, OPTIONS));
        for (const { at, to } of steps) {
          if (to === undefined) devices.delete(at);
          else devices.set(at, device(to, at, tangled));
          const after = devices.get(at);
          const keys = { device: [(CODES[at] ?? "").toLowerCase()], rack: [], crac: [], cable: [], fabric_link: [] };
          topology = topology.changed(keys, inventory(...(after === undefined ? [] : [after])));
          site = atOnce(siteFailures(topology, OPTIONS, site));
          kept += site.outcomes.length - site.renewed;

          const fresh = built();
          expect(told(topology, site.outcomes)).toEqual(told(fresh, atOnce(siteFailures(fresh, OPTIONS)).outcomes));
        }
      }),
      { numRuns: LAW_RUNS },
    );
    // In circles most changes touch everything.
    if (!tangled) expect(kept).toBeGreaterThan(0);
  });
}

test("outcomes on circles of supply are those of a blast radius", () => {
  fc.assert(
    fc.property(plans, (given) => {
      const topology = Topology.of(inventory(...given.map((one, index) => device(one, index, true))));
      const { outcomes } = atOnce(siteFailures(topology, OPTIONS));

      const slow = outcomes.map(({ elements }) => atOnce(slowFailure(topology, elements, OPTIONS)));
      expect(told(topology, outcomes)).toEqual(told(topology, slow));
    }),
    { numRuns: LAW_RUNS },
  );
});

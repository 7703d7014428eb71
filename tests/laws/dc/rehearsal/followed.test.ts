import { expect, test } from "bun:test";
import fc from "fast-check";
import type { FindDeviceByKey } from "#dc/analysis/fabric/fabric_tiers.ts";
import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import type { PowerOutcome } from "#dc/analysis/rehearsal/elements.ts";
import { type Rehearsal, type RehearsalChoice, rehearseFailures } from "#dc/analysis/rehearsal/rehearse.ts";
import { failEachElement } from "#dc/analysis/rehearsal/site_failures.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Crac, FabricLink } from "#dc/model/resources.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { inventory, load } from "../../../support/dc/power.ts";
import { slowFailure } from "../../../support/dc/slow_failure.ts";
import { law } from "../../../support/law.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

// After a change the outcomes are those of a site that was read anew, and fold into the same lines; on circles of supply they
// are those of a blast radius.

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
function told({ power }: Topology, outcomes: readonly PowerOutcome[]) {
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

/** Units that cool two of the racks, and links between devices of both sites. */
const CRACS: readonly Crac[] = ["A", "B", "C"].map((code, index) => ({
  code: `CRAC-${code}`,
  kind: "CRAH",
  sensibleCapacityKw: 0.15,
  serves: ["rack:R1-0", "rack:R2-1"],
  powerInputs: [{ sourceRef: `device:${CODES[index]}` }],
}));
const LINKS: readonly FabricLink[] = [...CODES.slice(1).entries()].map(([index, code]) => ({
  a: { deviceCode: code, portName: "" },
  b: { deviceCode: CODES[index] ?? "", portName: "" },
  fabricId: "F",
  capacityMbps: 2 ** index,
}));

/** Lines by the names of what they concern. */
function toldLines({ power }: Topology, { lines, fabrics, elements, harmless }: Rehearsal) {
  const names = (indexes: Iterable<number>) => [...indexes].map((index) => power.nodes[index]?.ref ?? "").sort();
  const failing = (failures: Rehearsal["lines"][number]["failures"]) =>
    failures.map((failure) => names(failure.elements.map(({ index }) => index)).join()).sort();
  const told = lines.map(({ severity, elementKind, failures, includingFailures: alsoBy, loss, impact }) => ({
    severity,
    elementKind,
    failures: failing(failures),
    alsoBy: failing(alsoBy),
    offline: names(loss.offline),
    direct: names(loss.direct),
    degraded: names(loss.degraded),
    racks: [loss.racksDark, loss.racksPartial, loss.racksProtected, loss.racksDarkByTrip].map((keys) =>
      [...keys].sort(),
    ),
    trips: names(loss.trips.keys()),
    overloads: names(loss.overloads.keys()),
    zones: [...loss.zones.entries()].sort(([a], [b]) => (a < b ? -1 : 1)),
    mbps: fabrics.sumMbps(loss.links),
    cutOff: names(loss.cutOff),
    impact,
  }));
  const key = (line: object) => JSON.stringify(line);
  return { elements, harmless, lines: told.sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
}

/** As the service asks: one function as long as it answers the same. */
const NO_PORTS: FindDeviceByKey = () => undefined;
const EVERYTHING: RehearsalChoice = {
  deviceOf: NO_PORTS,
  isChosen: () => true,
  hostPaths: undefined,
  pairs: false,
};

for (const tangled of [false, true]) {
  test(`outcomes and lines follow every change${tangled ? ", in circles as well" : ", and keep those of other islands"}`, () => {
    let [kept, groupsKept] = [0, 0];
    fc.assert(
      fc.property(plans, changes, (given, steps) => {
        const devices = new Map(given.map((one, index) => [index, device(one, index, tangled)]));
        const all = () => [...devices].sort(([a], [b]) => a - b).map(([, one]) => one);
        const built = () => Topology.createFromInventory({ ...inventory(...all()), cracs: CRACS, fabricLinks: LINKS });
        let topology = built();
        let site = runAllSteps(failEachElement(topology, OPTIONS));
        let rehearsal = runAllSteps(rehearseFailures(site, EVERYTHING));
        for (const { at, to } of steps) {
          if (to === undefined) devices.delete(at);
          else devices.set(at, device(to, at, tangled));
          const after = devices.get(at);
          const keys = { device: [(CODES[at] ?? "").toLowerCase()], rack: [], crac: [], cable: [], fabric_link: [] };
          topology = topology.createChanged(keys, inventory(...(after === undefined ? [] : [after])));
          site = runAllSteps(failEachElement(topology, OPTIONS, site));
          kept += site.outcomes.length - site.renewedCount;

          const fresh = built();
          const anew = runAllSteps(failEachElement(fresh, OPTIONS));
          expect(told(topology, site.outcomes)).toEqual(told(fresh, anew.outcomes));

          const { groups } = rehearsal.followed;
          rehearsal = runAllSteps(rehearseFailures(site, EVERYTHING, rehearsal));
          expect(toldLines(topology, rehearsal)).toEqual(
            toldLines(fresh, runAllSteps(rehearseFailures(anew, EVERYTHING))),
          );
          for (const [island, group] of rehearsal.followed.groups) if (groups.get(island) === group) groupsKept += 1;
        }
      }),
      { numRuns: LAW_RUNS },
    );
    // In circles most changes touch everything.
    if (!tangled) expect([kept > 0, groupsKept > 0]).toEqual([true, true]);
  }, 300_000);
}

law("outcomes on circles of supply are those of a blast radius", [plans], (given) => {
  const topology = Topology.createFromInventory(inventory(...given.map((one, index) => device(one, index, true))));
  const { outcomes } = runAllSteps(failEachElement(topology, OPTIONS));

  const slow = outcomes.map(({ elements }) => slowFailure(topology, elements, OPTIONS));
  expect(told(topology, outcomes)).toEqual(told(topology, slow));
});

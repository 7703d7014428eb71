import { expect, test } from "bun:test";
import fc from "fast-check";
import { computeFailover, type Failover, type WorstLoads } from "#dc/analysis/power/power_failover.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Device } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { inventory, load, panel, source } from "../../support/dc/power.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// After a change the loads after every single loss are those of a site that is looked at anew. Losses count on the whole site: a
// loss on one island of supply leaves the loads of all others as they are.

const CODES = [..."ABCDEFGHIJKLMNOP"];

const plan = fc.record({
  sources: fc.array(fc.nat(CODES.length - 1), { maxLength: 3 }),
  kind: fc.constantFrom("SERVER" as const, "RACK_PDU" as const, "UPS" as const),
  status: fc.constantFrom("ACTIVE" as const, "ACTIVE" as const, "ACTIVE" as const, "FAILED" as const),
  allocatedDrawW: fc.constantFrom(0, 64, 128),
  minLiveInlets: fc.constantFrom(1, 1, 2),
  isPanel: fc.boolean(),
  // Now and then volt-amperes differ from watts, and do not after a change.
  powerFactor: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 0.5),
});
type Plan = typeof plan extends fc.Arbitrary<infer One> ? One : never;

const plans = fc.array(plan, { minLength: CODES.length, maxLength: CODES.length });
const changes = fc.array(
  fc.record({ at: fc.nat(CODES.length - 1), to: fc.option(plan, { nil: undefined }), isAsked: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
);

/** @param sites a device hangs on earlier ones of its site, or, where there is one, on any other */
function device({ sources, minLiveInlets, isPanel, ...rest }: Plan, index: number, sites: number): Device {
  const allowed = CODES.flatMap((_, at) => (sites === 1 || (at < index && at % sites === index % sites) ? [at] : []));
  const code = CODES[index] ?? "";
  const refs = allowed.length === 0 ? [] : sources.map((one) => `device:${CODES[allowed[one % allowed.length] ?? 0]}`);
  const power = { minLiveInlets, capacityW: 100 };
  const made = isPanel ? panel(code, refs, [`F-${code}`]) : load(code, refs);
  return { ...made, ...rest, power };
}

/** The result of all steps and their number. */
function counted<Result>(steps: Steps<Result>): readonly [Result, number] {
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return [value, count];
  }
}

for (const sites of [1, 2, 4]) {
  test(`loads after each single loss follow every change of ${sites === 1 ? "a tangle" : `${sites} sites`}`, () => {
    let [followedSteps, freshSteps] = [0, 0];
    fc.assert(
      fc.property(plans, changes, (given, steps) => {
        let topology = Topology.createFromInventory(inventory(...given.map((one, index) => device(one, index, sites))));
        topology.computeCarriedLoads("ALLOCATED");
        let short: Failover | undefined;
        for (const { at, to, isAsked } of steps) {
          const keys = { device: [(CODES[at] ?? "").toLowerCase()], rack: [], crac: [], cable: [], fabric_link: [] };
          topology = topology.createChanged(keys, inventory(...(to === undefined ? [] : [device(to, at, sites)])));
          if (!isAsked) continue;
          const { power: graph, live } = topology;
          const input = { graph, live, loads: topology.apparentLoads("ALLOCATED"), basis: "ALLOCATED" as const };
          const listed = ({ loads, lost }: WorstLoads) => ({ loads: [...loads], lost: [...lost] });
          const told = ({ phases, ...watts }: Failover) => [listed(watts), phases && listed(phases)];

          const [whole] = counted(computeFailover(input));
          expect(told(topology.computeCarriedLoads("ALLOCATED").failover)).toEqual(told(whole));

          const [anew, most] = counted(computeFailover(input, { whole: 0 }));
          const [next, some] = counted(computeFailover(input, { whole: 0, earlier: short }));
          expect(told(next)).toEqual(told(anew));
          short = next;
          followedSteps += some;
          freshSteps += most;
        }
      }),
      { numRuns: LAW_RUNS },
    );
    if (sites > 1) expect(followedSteps).toBeLessThan(freshSteps);
  }, 300_000);
}

test("the losses that a large site leaves out change no load of generated sites", () => {
  // A loss on another island leaves every load as it is, as on a large site.
  const island = inventory(source("ISLAND"), load("ISLE", ["device:ISLAND"])).devices;
  const tried = { all: 0, some: 0 };
  for (let seed = 1; seed <= 10 * LAW_RUNS; seed += 1) {
    const drawn = drawnInventory(seed);
    const topology = Topology.createFromInventory({ ...drawn, devices: [...drawn.devices, ...island] });
    const { power: graph, live } = topology;
    const input = { graph, live, loads: topology.apparentLoads("ALLOCATED"), basis: "ALLOCATED" as const };
    const [all, most] = counted(computeFailover(input));
    const [some, fewer] = counted(computeFailover(input, { whole: 0 }));
    tried.all += most;
    tried.some += fewer;
    const differing = graph.nodes.flatMap(({ ref }, index) => {
      const [left = 0, right = 0] = [all.loads[index], some.loads[index]];
      return Math.abs(left - right) > 1e-6 ? [`${ref} ${left} ${right}`] : [];
    });
    expect({ seed, differing }).toEqual({ seed, differing: [] });
  }
  expect(tried.some).toBeLessThan(tried.all);
});

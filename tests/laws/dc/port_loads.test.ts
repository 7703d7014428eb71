import { expect, test } from "bun:test";
import { computePortLoad, type PortLoad } from "#dc/analysis/power/port_load.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { ModelLoads, type Phases } from "../../support/dc/power_model/loads.ts";
import { NOTHING_FAILED, PowerModel } from "../../support/dc/power_model/model.ts";
import { refOf } from "../../support/dc/power_model/redundancy.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// What every outlet, inlet and phase carries, now and after each single loss, against a slow model that computes every loss
// from the inventory alone.

const FIRST_SEED = Number(process.env["PLANNER_LAW_SEED"] ?? 1);
const SEEDS = Array.from({ length: Math.ceil(LAW_RUNS / 2) }, (_, at) => FIRST_SEED + at);

/** Loads of the whole site: as things are, and after each loss, by the lost element. */
interface States {
  readonly model: PowerModel;
  readonly now: ModelLoads;
  readonly live: ReadonlySet<string>;
  readonly after: ReadonlyMap<string, ModelLoads>;
}

function statesOf(model: PowerModel): States {
  const live = model.live(NOTHING_FAILED);
  const lost = model.elements.filter((element) => live.has(element) && model.isSupply(element));
  const after = lost.map((element) => {
    const rest = model.live({ ...NOTHING_FAILED, failed: new Set([element]) });
    return [element, new ModelLoads(model, rest, "ALLOCATED")] as const;
  });
  return { model, live, now: new ModelLoads(model, live, "ALLOCATED"), after: new Map(after) };
}

/** The figures of a port by some measure: now, the largest after a loss, and the losses that give it. */
function figures({ model, now, after }: States, own: string, measure: (loads: ModelLoads) => number) {
  const others = [...after].filter(([element]) => element !== own);
  const load = measure(now);
  const failover = others.length === 0 ? load : Math.max(...others.map(([, loads]) => measure(loads)));
  const isWorst = ([, loads]: (typeof others)[number]) => Math.abs(measure(loads) - failover) < 1e-6;
  const by = others.filter(isWorst).map(([element]) => refOf(model, element).toLowerCase());
  // A loss that leaves the load as it is counts for all losses elsewhere.
  return { load, failover, by: [...by, ...(Math.abs(load - failover) < 1e-6 ? [""] : [])] };
}

function same(context: object, found: number, wanted: number): void {
  expect({ ...context, isEqual: Math.abs(found - wanted) < 1e-6, found }).toEqual({ ...context, isEqual: true, found });
}

/** Compares a port with the model. @param phases of the port in some state @param judge the outlet that judges them */
function compare(
  context: object,
  load: PortLoad,
  states: States,
  port: { readonly own: string; readonly judge: string; readonly phases: (loads: ModelLoads) => Phases },
): number {
  const { own, judge, phases } = port;
  const all = figures(states, own, (loads) => loads.judgedVa(judge, phases(loads)));
  same({ ...context, what: "now" }, load.loadVa, all.load);
  same({ ...context, what: "failover" }, load.failoverVa, all.failover);
  expect({ ...context, by: all.by }).toMatchObject({
    by: expect.arrayContaining([(load.failoverRef ?? "").toLowerCase()]),
  });
  const { phase, leg } = states.model.outlets.get(judge)?.port.powerOut ?? {};
  expect([context, load.phases.length]).toEqual([context, phase === "THREE" || leg !== undefined ? 3 : 0]);
  for (const [at, one] of load.phases.entries()) {
    const wanted = figures(states, own, (loads) => phases(loads)[at] ?? 0);
    same({ ...context, leg: one.leg }, one.loadVa, wanted.load);
    same({ ...context, leg: one.leg, what: "failover" }, one.failoverVa, wanted.failover);
    expect({ ...context, leg: one.leg, by: wanted.by }).toMatchObject({
      by: expect.arrayContaining([(one.failoverRef ?? "").toLowerCase()]),
    });
  }
  return all.failover > all.load ? 1 : 0;
}

test("every outlet carries what the slow model says, now and after the worst loss, on every phase", () => {
  let [outlets, raised] = [0, 0];
  for (const seed of SEEDS) {
    const inventory = drawnInventory(seed);
    const [topology, states] = [Topology.createFromInventory(inventory), statesOf(new PowerModel(inventory))];
    for (const [own, { device, port }] of states.model.outlets) {
      const code = device.slice(2);
      const load = runAllSteps(computePortLoad(topology, topology.device(code) as Device, port));
      if (load === undefined) throw new Error(`${seed} ${own} has no load`);
      outlets += 1;
      same({ seed, own, what: "watts" }, load.loadW, states.now.watts(own));
      expect([seed, own, load.live]).toEqual([seed, own, states.live.has(own)]);
      raised += compare({ seed, own }, load, states, { own, judge: own, phases: (loads) => loads.phases(own) });
      const capacity = states.now.capacity(own);
      expect([seed, own, load.capacityVa ?? 0]).toEqual([seed, own, capacity]);
      if (capacity > 0)
        same({ seed, own, what: "pct" }, load.used?.normalPct ?? -1, states.now.utilizationPct(own) ?? -1);
    }
  }
  expect([outlets > SEEDS.length, raised > SEEDS.length / 4]).toEqual([true, true]);
}, 600_000);

/** Compares an inlet with the model. @returns whether a loss raises its load; undefined for one without a recorded source */
function compareInlet(
  seed: number,
  topology: Topology,
  states: States,
  element: string,
  port: Port,
): number | undefined {
  const { model, now, live } = states;
  const inlet = model.inletsOf(element).find(({ name }) => name === port.name);
  const load = runAllSteps(computePortLoad(topology, model.devices.get(element) as Device, port));
  const context = { seed, element, inlet: port.name };
  expect([context, load === undefined]).toEqual([context, inlet?.source === undefined]);
  if (load === undefined || inlet === undefined) return undefined;
  same({ ...context, what: "watts" }, load.loadW, now.inlet(element, inlet).watts);
  expect([context, load.live]).toEqual([context, live.has(inlet.source ?? "")]);
  if (inlet.source === "CUT") return 0;
  const phases = (loads: ModelLoads) => loads.inlet(element, inlet).phases;
  return compare(context, load, states, { own: element, judge: inlet.source ?? "", phases });
}

test("every inlet takes what the slow model says, now and after the worst loss, on every phase", () => {
  const raised: number[] = [];
  for (const seed of SEEDS) {
    const inventory = drawnInventory(seed);
    const [topology, states] = [Topology.createFromInventory(inventory), statesOf(new PowerModel(inventory))];
    for (const [element, { ports = [] }] of states.model.devices) {
      for (const port of ports.filter(({ kind }) => kind === "POWER_IN")) {
        const one = compareInlet(seed, topology, states, element, port);
        if (one !== undefined) raised.push(one);
      }
    }
  }
  const count = raised.reduce((sum, one) => sum + one, 0);
  expect([raised.length > SEEDS.length, count > SEEDS.length]).toEqual([true, true]);
}, 600_000);

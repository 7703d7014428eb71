import { expect, test } from "bun:test";
import { insertInletNodes } from "#dc/analysis/power/blast_radius.ts";
import { CoolingAndFabricEffects, FAILED_PORT, PathIndex } from "#dc/analysis/rehearsal/further_effects.ts";
import { failEachElement, NearFailureFinder, type SiteFailures } from "#dc/analysis/rehearsal/site_failures.ts";
import { Topology } from "#dc/analysis/topology.ts";
import {
  AcceptedLosses,
  collectOutageLosses,
  findNextFailures,
  type WindowInput,
  WindowSite,
} from "#dc/analysis/window/outage.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { codeKey } from "#dc/model/ref.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { ams1Store } from "../../../support/dc/ams1_inventory.ts";
import { cooledWorld } from "../../../support/dc/cooled_world.ts";
import { furnished } from "../../../support/dc/furnished.ts";
import { type Networked, networked } from "../../../support/dc/networked.ts";
import { inventory as inventoryOf, load } from "../../../support/dc/power.ts";
import { drawnInventory } from "../../../support/dc/power_model/inventory.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";
import { SeededRandom } from "../../../support/seeded_random.ts";

// Beside a window, the elements that are left out add nothing: failing every element one by one finds the same.

const SITES = Math.ceil(LAW_RUNS * 0.3);
const WINDOWS = 8;
const OPTIONS = [
  { basis: "ALLOCATED", cascade: true, assumeBattery: false },
  { basis: "MAX", cascade: true, assumeBattery: true },
] as const;

/** A site, and the data paths of its hosts by node. */
interface Site {
  readonly topology: Topology;
  readonly paths: PathIndex["pathsByHost"];
}

function siteOf(inventory: Inventory, network?: Networked): Site {
  const topology = Topology.createFromInventory(inventory);
  const nodeOf = (code: string) => topology.power.indexOf.get(`device:${codeKey(code)}`) ?? -1;
  const routes = (network?.routes ?? []).filter(({ a, isLink }) => !isLink && !network?.switches.has(a.deviceCode));
  const paths = [...Map.groupBy(routes, ({ a }) => nodeOf(a.deviceCode))].map(([host, own]) => {
    const fabric = own.filter(({ b }) => network?.switches.has(b.deviceCode));
    const used = fabric.length > 0 ? fabric : own;
    return [host, used.map(({ panels, b }) => [...panels, b.deviceCode].map(nodeOf))] as const;
  });
  return { topology, paths: new Map(paths) };
}

/** Some paths of a host lead through a port that is out of service. */
function withFailedPort([host, paths]: readonly [number, readonly (readonly number[])[]], random: SeededRandom) {
  return [host, paths.map((path) => (random.below(2) === 0 ? path : [FAILED_PORT, ...path]))] as const;
}

class EveryFailure extends NearFailureFinder {
  override *findNearFailures() {
    yield;
    return this.site.outcomes;
  }
}

/** Elements that are out of service: devices and cooling units, outlets, feeds, and at times an inlet and a fabric link. */
function drawnGround({ topology, paths }: Site, near: NearFailureFinder, random: SeededRandom): WindowInput {
  const inlets = topology.inventory.devices.flatMap(({ code: deviceCode, ports = [] }) =>
    ports.flatMap(({ kind, name: portName }) => (kind === "POWER_IN" ? [{ deviceCode, portName }] : [])),
  );
  const drawn = inlets.length > 0 && random.below(5) === 0 ? [random.pick(inlets)] : [];
  const { site, nodes } = insertInletNodes(topology, drawn);
  const count = topology.power.nodes.length;
  const supplying = near.site.outcomes.flatMap(({ elements }) => elements.map(({ index }) => index));
  const passed = [...paths.values()].flat(2);
  const draw = () => {
    if (passed.length > 0 && random.below(2) === 0) return random.pick(passed);
    return random.below(3) === 0 ? random.below(count) : (supplying[random.below(supplying.length)] ?? 0);
  };
  const sources = Array.from({ length: 1 + random.below(3) }, draw);
  const links = near.effects.fabrics.listLinkNumbers(() => random.below(8) === 0);
  return {
    topology,
    site,
    sources: new Set([...sources, ...nodes.values()]),
    near,
    cutLinks: random.below(3) === 0 ? links : [],
    cutPaths: new Map([...paths].filter(() => random.below(6) === 0).map((one) => withFailedPort(one, random))),
    basis: near.site.options.basis,
    durationS: 60,
  };
}

/** Further failures of a window, by what they take. */
function found(ground: WindowInput) {
  const window = new WindowSite(ground);
  const outage = runAllSteps(window.computeOutage());
  const harm = collectOutageLosses(ground.topology, outage);
  const accepted = new AcceptedLosses(ground.topology, [], []);
  return runAllSteps(findNextFailures(window, { outage, harm, accepted })).failures;
}

function nearOf(topology: Topology): NearFailureFinder {
  return new NearFailureFinder(
    runAllSteps(failEachElement(topology, OPTIONS[0])),
    effectsOf({ topology, paths: new Map() }, "ALLOCATED"),
  );
}

function effectsOf({ topology, paths }: Site, basis: LoadBasis): CoolingAndFabricEffects {
  const deviceOf = (key: string) => topology.device(key);
  return new CoolingAndFabricEffects(topology, { deviceOf, basis, hostPaths: new PathIndex(paths) });
}

/** Compares some windows. Returns how many further failures take more, and how many of them take a data path. */
function compare(say: string, drawn: Site, site: SiteFailures, random: SeededRandom, windows: number) {
  const effects = effectsOf(drawn, site.options.basis);
  const [near, every] = [new NearFailureFinder(site, effects), new EveryFailure(site, effects)];
  let [worse, isolating] = [0, 0];
  for (let window = 0; window < windows; window += 1) {
    const ground = drawnGround(drawn, near, random);
    const expected = found({ ...ground, near: every });
    expect([say, [...ground.sources], found(ground)]).toEqual([say, [...ground.sources], expected]);
    worse += expected.length;
    isolating += expected.filter(({ harm }) => harm.isolated.size > 0).length;
  }
  return { worse, isolating };
}

function drawn(seed: number): Networked {
  const random = new SeededRandom(seed);
  const inventory = furnished(seed % 2 === 0 ? drawnInventory(seed) : cooledWorld(random), random);
  return seed % 3 > 0 ? networked(inventory, random) : { inventory, routes: [], switches: new Set() };
}

/** The same with capacities not far above the loads: two failures may trip what one does not. */
function tight(inventory: Inventory, random: SeededRandom): Inventory {
  const { power, loadsW } = Topology.createFromInventory(inventory);
  const devices = inventory.devices.map((device) => {
    const load = loadsW[power.indexOf.get(`device:${codeKey(device.code)}`) ?? -1] ?? 0;
    if (!isPowerKind(device.kind) || load === 0) return device;
    const capacityW = Math.ceil(load * (1.02 + random.below(20) / 100));
    return { ...device, power: { minLiveInlets: 1, ...device.power, capacityW } };
  });
  return { ...inventory, devices };
}

test("elements that are left out beside a window take nothing more with it than apart", () => {
  let [worse, isolating] = [0, 0];
  for (let seed = 0; seed < SITES; seed += 1) {
    const random = new SeededRandom(seed);
    const network = drawn(seed);
    for (const inventory of [network.inventory, tight(network.inventory, random)])
      for (const options of OPTIONS) {
        const site = siteOf(inventory, network);
        const failed = runAllSteps(failEachElement(site.topology, options));
        const counts = compare(`site ${seed}`, site, failed, random, WINDOWS / 2);
        worse += counts.worse;
        isolating += counts.isolating;
      }
  }
  expect(worse).toBeGreaterThan(SITES);
  expect(isolating).toBeGreaterThan(SITES / 3);
}, 3_600_000);

test("the same holds for the sample site", async () => {
  const inventory = await (await ams1Store()).read((reader) => reader.powerInventory());
  const random = new SeededRandom(1);
  for (const one of [inventory, tight(inventory, random)]) {
    const site = siteOf(one);
    const failed = runAllSteps(failEachElement(site.topology, OPTIONS[0]));
    expect(compare("AMS1", site, failed, random, Math.ceil(LAW_RUNS / 50)).worse).toBeGreaterThan(0);
  }
}, 3_600_000);

test("two failures that only share the supply that takes over meet by its load", () => {
  const ups = { minLiveInlets: 1, capacityW: 750 };
  const racks = [1, 2, 3, 4, 5, 6];
  const sides = ["A", "B"].map((side) => load(`UPS-${side}`, [], { kind: "UPS", power: ups }));
  const pdus = racks.flatMap((rack) => ["A", "B"].map((side) => ({ rack, side })));
  const site = inventoryOf(
    ...sides,
    ...pdus.map(({ rack, side }) => load(`PDU-${rack}${side}`, [`device:UPS-${side}`], { kind: "RACK_PDU" })),
    ...racks.map((rack) =>
      load(`S${rack}`, [`device:PDU-${rack}A`, `device:PDU-${rack}B`], { allocatedDrawW: 200, rackCode: `R${rack}` }),
    ),
  );
  const topology = Topology.createFromInventory(site);
  const near = nearOf(topology);
  const sources = new Set([topology.power.indexOf.get("device:pdu-1a") ?? -1]);
  const cut = { cutLinks: [], cutPaths: new Map() };
  const ground = { topology, site: topology, sources, near, ...cut, basis: "ALLOCATED", durationS: 60 } as const;
  const tripping = found(ground).filter(({ harm }) => harm.trips.size > 0);
  expect(tripping.map(({ index }) => topology.power.nodes[index]?.ref)).toContain("device:PDU-2A");
});

/**
 * Times rehearsals of a database: the reading of its cabling, all single failures, the same after a change, loads after
 * each single loss, and pairs.
 *
 *     planner dc sample --racks 1960 --db big.sqlite
 *     bun tests/bench/dc_rehearsal.ts big.sqlite
 *
 * Prints wall-clock time and the processor time of this process, which says more on a busy machine.
 */
import { computeFailover } from "#dc/analysis/power/power_failover.ts";
import { type FailingElement, suppliesOtherSuppliers } from "#dc/analysis/rehearsal/elements.ts";
import { rehearseFailures } from "#dc/analysis/rehearsal/rehearse.ts";
import { failEachElement, type SiteFailures } from "#dc/analysis/rehearsal/site_failures.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { codeKey, getResourceKey } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { readHostPaths } from "#dc/operations/answers/data_paths.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { timed } from "./measure.ts";
import { givenDatabase } from "./opened_site.ts";

const ROUNDS = 5;
const MAX_PAIRED = 5000;
const OPTIONS = { basis: "ALLOCATED", cascade: true, assumeBattery: false } as const;

const print = (line: string) => process.stdout.write(`${line}\n`);

const store = await openSqlite(givenDatabase("dc_rehearsal.ts <database file>"));
let topology = Topology.createFromInventory(await store.read((reader) => reader.powerInventory()));
topology.apparentLoads(OPTIONS.basis);
print(`${topology.inventory.devices.length} devices, ${topology.power.nodes.length} nodes`);

for (const name of ["read the cabling", "read the cabling again after no change", "after 1,000 changed data cables"]) {
  if (name.startsWith("after")) {
    const cables = (await store.read((reader) => reader.page("cable", "", 4000))).filter(
      ({ type }) => type !== "POWER",
    );
    const cable = cables.slice(0, 1000).map(getResourceKey);
    const none = { racks: [], devices: [], cracs: [], cables: [], fabricLinks: [] };
    topology = topology.createChanged({ rack: [], device: [], crac: [], fabric_link: [], cable }, none);
  }
  await timed(name, () =>
    store.read((reader) => readHostPaths({ topology, reader, scheduler: new CooperativeScheduler() })),
  );
}

/** The middle of several rounds, in milliseconds. */
function middle<Result>(name: string, rounds: number, work: () => Result): Result {
  const wall: number[] = [];
  const used: number[] = [];
  let result: Result | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    result = work();
    const { user, system } = process.cpuUsage(before);
    wall.push(performance.now() - began);
    used.push((user + system) / 1000);
  }
  const at = (list: number[], place: number) => Math.round(list.sort((a, b) => a - b)[place] ?? 0);
  print(`${name}: ${at(wall, rounds >> 1)} ms, processor ${at(used, rounds >> 1)} ms, at least ${at(used, 0)} ms`);
  return result as Result;
}

const ends = topology.inventory.fabricLinks.flatMap(({ a, b }) => [codeKey(a.deviceCode), codeKey(b.deviceCode)]);
const switches = new Map(ends.map((key) => [key, topology.device(key)]));
const all = {
  deviceOf: (key: string) => switches.get(key),
  isChosen: () => true,
  hostPaths: undefined,
  pairs: false,
};
let site: SiteFailures = middle("fail every element", ROUNDS, () => runAllSteps(failEachElement(topology, OPTIONS)));
let whole = middle("fold into causes", ROUNDS, () => runAllSteps(rehearseFailures(site, all)));
print(`${site.outcomes.length} elements, ${whole.lines.length} causes`);

const server = topology.inventory.devices.find(({ kind }) => kind === "SERVER");
if (server === undefined) throw new Error("there is no server to change");
let draw = 100;
const change = () => {
  draw += 10;
  const changed: Device = { ...server, allocatedDrawW: draw };
  const keys = { device: [codeKey(server.code)], rack: [], crac: [], cable: [], fabric_link: [] };
  const part = { racks: [], devices: [changed], cracs: [], cables: [], fabricLinks: [] };
  topology = topology.createChanged(keys, part);
};
middle("fail again after a change of one server", ROUNDS, () => {
  change();
  site = runAllSteps(failEachElement(topology, OPTIONS, site));
});
print(`${site.renewedCount} elements failed again`);
middle("fail and fold again after a change of one server", ROUNDS, () => {
  change();
  site = runAllSteps(failEachElement(topology, OPTIONS, site));
  whole = runAllSteps(rehearseFailures(site, all, whole));
});

const { power: graph, live } = topology;
const input = { graph, live, loads: topology.apparentLoads(OPTIONS.basis), basis: OPTIONS.basis };
middle("loads after each single loss", ROUNDS, () => runAllSteps(computeFailover(input)));
topology.computeCarriedLoads(OPTIONS.basis);
middle("the same after a change of one server", ROUNDS, () => {
  change();
  topology.computeCarriedLoads(OPTIONS.basis);
});

const upstream = site.outcomes
  .flatMap(({ elements }) => elements)
  .filter(({ index, kind }) => kind === "POWER" || (kind === "OUTLET" && suppliesOtherSuppliers(topology, index)))
  .slice(0, MAX_PAIRED);
const chosen = new Set(upstream.map(({ index }) => index));
const isChosen = ({ index }: FailingElement) => chosen.has(index);
const pairs = middle("pairs", 1, () => runAllSteps(rehearseFailures(site, { ...all, isChosen, pairs: true })));
print(`${upstream.length} upstream elements, ${pairs.pairs} pairs, ${pairs.lines.length} causes`);
await store.close();

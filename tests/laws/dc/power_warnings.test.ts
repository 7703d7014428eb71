import { expect, test } from "bun:test";
import { listNodeLoadReasons } from "#dc/analysis/power/power_failover.ts";
import { isRedundancyUnmet } from "#dc/analysis/power/power_figures.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { codeKey, formatPortReference, toPortKey } from "#dc/model/ref.ts";
import type { Device, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { findPowerWarnings } from "#dc/operations/writes/mutations.ts";
import { ams1Inventory } from "../../support/dc/ams1_inventory.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

// Writes warn about what the analyses find: the former look at the surroundings of a device, the latter at everything.

const LOADS = ["SOURCE_NEAR_LIMIT", "FAILOVER_OVERLOAD"];

async function storeOf(inventory: Inventory) {
  const store = openMemory();
  await store.write(async (writer) => {
    const put = async <Kind extends ResourceKind>(kind: Kind, resources: readonly ResourceByKind[Kind][]) => {
      for (const resource of resources) await writer.put(kind, { resource, etag: "x", createTime: "", updateTime: "" });
    };
    await put("rack", inventory.racks);
    await put("device", inventory.devices);
    await put("crac", inventory.cracs);
    await put("cable", inventory.cables);
  });
  return store;
}

/** The device and everything upstream of it, by the whole graph. */
function upstreamOf({ power }: Topology, code: string): ReadonlySet<string> {
  const seen = new Set([power.indexOf.get(`device:${codeKey(code)}`) ?? -1]);
  const codes = new Set<string>();
  for (const index of seen) {
    const node = power.nodes[index];
    if (node?.kind === "DEVICE") codes.add(codeKey(node.device.code));
    const owner = node?.kind === "OUTLET" ? power.indexOf.get(`device:${codeKey(node.end.deviceCode)}`) : undefined;
    if (owner !== undefined) seen.add(owner);
    for (const { from } of power.inlets.listEdges(index)) seen.add(from);
  }
  return codes;
}

/** References of a device and its outlets, by their keys in the graph. */
function elementsOf({ code, ports = [] }: Device): readonly (readonly [key: string, ref: string])[] {
  const ends = ports.map(({ name }) => ({ deviceCode: code, portName: name }));
  return [
    [`device:${codeKey(code)}`, `device:${code}`],
    ...ends.map((end) => [`port:${toPortKey(end)}`, formatPortReference(end)] as const),
  ];
}

function expectedLoads(topology: Topology, code: string): readonly string[] {
  const carried = topology.computeCarriedLoads("ALLOCATED");
  const supplies = [...upstreamOf(topology, code)].flatMap((key) => topology.device(key) ?? []);
  const found = supplies.flatMap(elementsOf).flatMap(([key, ref]) => {
    const index = topology.power.indexOf.get(key);
    return (index === undefined ? [] : listNodeLoadReasons(carried, index)).flatMap((reason) => {
      if (reason.code === "POWER_NORMAL") return [`SOURCE_NEAR_LIMIT ${ref}`];
      return (reason.limit ?? 0) >= 100 ? [`FAILOVER_OVERLOAD ${ref}`] : [];
    });
  });
  return found.toSorted();
}

async function compare(name: string, inventory: Inventory, codes = inventory.devices): Promise<number> {
  const topology = Topology.createFromInventory(inventory);
  const store = await storeOf(inventory);
  let warned = 0;
  for (const { code, power } of codes) {
    const warnings = await store.read((reader) => findPowerWarnings(reader, [code], 1_000_000));
    const found = warnings(code);
    const loads = found.filter((one) => LOADS.includes(one.code)).map((one) => `${one.code} ${one.ref}`);
    const verdict = topology.redundancy.listVerdicts(undefined, [topology.device(code) ?? { code, kind: "OTHER" }]);
    const isShort = power?.requiredRedundancy !== undefined && verdict.some(isRedundancyUnmet);

    expect({ name, code, loads: loads.toSorted() }).toEqual({ name, code, loads: [...expectedLoads(topology, code)] });
    expect({ name, code, isShort: found.some((one) => one.code === "REDUNDANCY_UNMET") }).toEqual({
      name,
      code,
      isShort,
    });
    warned += found.length;
  }
  return warned;
}

test("writes warn about generated supplies as the analyses judge them", async () => {
  let warned = 0;
  for (let seed = 1; seed <= LAW_RUNS; seed += 1) {
    const inventory = drawnInventory(seed);
    warned += await compare(
      `seed ${seed}`,
      inventory,
      inventory.devices.filter((_, at) => at % 3 === seed % 3),
    );
  }

  expect(warned).toBeGreaterThan(LAW_RUNS / 2);
}, 300_000);

test("writes warn about the sample as the analyses judge it", async () => {
  const inventory = await ams1Inventory();
  // RPP-A-D and RPP-B-D, which supply these, trip when the other side is lost.
  const crowded = inventory.devices.filter(({ rackCode }) => rackCode === "D01");
  const others = inventory.devices.filter((_, at) => at % 199 === 0);

  expect(await compare("AMS1", inventory, [...new Set([...crowded, ...others])])).toBeGreaterThan(0);
}, 300_000);

import { describe, expect, test } from "bun:test";
import { type BlastOptions, type BlastRadius, computeBlastRadius } from "#dc/analysis/power/blast_radius.ts";
import { computeFailover } from "#dc/analysis/power/power_failover.ts";
import type { PowerGraph } from "#dc/analysis/power/power_nodes.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { resolveSourceNodes } from "#dc/operations/answers/failing_sources.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { ams1Inventory } from "../../../../support/dc/ams1_inventory.ts";
import { inventory, load, panel, source } from "../../../../support/dc/power.ts";

function blast(
  site: Inventory,
  ref: string,
  options: Partial<BlastOptions> = {},
): BlastRadius & { readonly graph: PowerGraph } {
  const topology = Topology.createFromInventory(site);
  const { power: graph } = topology;
  const { nodes, equipment } = resolveSourceNodes(topology, ref, "source_ref");
  const all = { basis: "ALLOCATED" as const, cascade: false, assumeBattery: false, ...options };
  return { graph, ...computeBlastRadius(topology, { sources: nodes, unlisted: equipment }, all) };
}

function states({ graph, hits }: ReturnType<typeof blast>): Record<string, string> {
  return Object.fromEntries(hits.map(({ index, state }) => [graph.nodes[index]?.ref ?? "", state]));
}

test("the losses that a large site leaves out change no figure of the sample site", async () => {
  const topology = Topology.createFromInventory(await ams1Inventory());
  const { power: graph, live } = topology;
  const input = { graph, live, loads: topology.apparentLoads("ALLOCATED"), basis: "ALLOCATED" as const };

  const [whole, short] = [{ whole: graph.nodes.length }, { whole: 0 }].map((how) =>
    runAllSteps(computeFailover(input, how)),
  );

  const rated = [...graph.nodes.keys()].filter((index) => graph.nodes[index]?.capacityW !== undefined);
  expect(rated.map((index) => short?.loads[index])).toEqual(rated.map((index) => whole?.loads[index]));
});

test("the losses that a large site leaves out are not those of one outlet of two that supply a device", () => {
  const topology = Topology.createFromInventory(
    inventory(
      source("U"),
      panel("P", ["device:U"], ["F1", "F2"]),
      load("S", ["feed:F1", "feed:F2"], { allocatedDrawW: 400 }),
    ),
  );
  const { power: graph, live } = topology;
  const input = { graph, live, loads: topology.apparentLoads("ALLOCATED"), basis: "ALLOCATED" as const };

  const { loads } = runAllSteps(computeFailover(input, { whole: 0 }));

  expect(loads[graph.indexOf.get("feed:f2") ?? -1]).toBe(400);
});

//  device:U ── device:P (UPS) ── feed:F ── L1
//                              device:V ── L2 (both), L1 (second inlet)
describe("computeBlastRadius", () => {
  test("keeps what a UPS carries on battery when asked to", () => {
    const ups = load("ups", ["device:U"], { kind: "UPS", power: { runtimeS: 600 } });
    const site = inventory(source("U"), ups, load("a", ["device:ups"]));

    const plain = blast(site, "device:U");
    const battery = blast(site, "device:U", { assumeBattery: true });

    expect(states(plain)).toEqual({ "device:ups": "OFFLINE", "device:a": "OFFLINE" });
    expect(plain.impact.minRideThroughS).toBe(600);
    expect(battery.impact.devicesOffline).toBe(0);
    expect(states(battery)["device:a"]).toBe("ON_BATTERY");
  });

  test("takes a rack as everything in it, its power equipment as the source", () => {
    const site = inventory(
      source("U"),
      load("pdu", ["device:U"], { kind: "RACK_PDU", rackCode: "R1" }),
      load("server", ["device:pdu"], { rackCode: "R1" }),
      load("elsewhere", ["device:U"], { rackCode: "R2" }),
    );

    expect(states(blast(site, "rack:R1"))).toEqual({ "device:server": "OFFLINE" });
  });

  test("loses nothing with a rack, row or floor without devices", () => {
    const location = { siteId: "S", floorNumber: 1, room: "R", row: "A" };
    const site = { ...inventory(source("U")), racks: [{ code: "R1", heightU: 42, location }] };

    for (const ref of ["rack:r1", "row:S/1/A", "room:S/1/R", "floor:S/1", "site:S"])
      expect(blast(site, ref)).toMatchObject({ hits: [], impact: { racksDark: 0, devicesOffline: 0, itLoadLostW: 0 } });
    expect(() => blast(site, "rack:R2")).toThrow('Cannot find power source "rack:R2"');
    expect(() => blast(site, "floor:S/2")).toThrow('Cannot find power source "floor:S/2"');
  });
});

import { describe, expect, test } from "bun:test";
import { type BlastOptions, type BlastRadius, computeBlastRadius } from "#dc/analysis/power/blast_radius.ts";
import { computeFailover } from "#dc/analysis/power/power_failover.ts";
import type { PowerGraph } from "#dc/analysis/power/power_nodes.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { DeviceStatus } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { resolveSourceNodes } from "#dc/operations/answers/failing_sources.ts";
import { runAllSteps } from "#kernel/clock.ts";
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

describe("computeBlastRadius on the sample site", () => {
  const rows = [
    // source, dark, partial, protected, offline, of them IT
    ["device:UTIL-A", 0, 0, 40, 0, 0],
    ["device:UPS-A1", 1, 19, 0, 66, 43],
    ["feed:AMS1-A08-A", 1, 0, 0, 25, 23],
    ["feed:AMS1-B03-B", 0, 0, 1, 1, 0],
  ] as const;

  for (const [ref, dark, partial, guarded, offline, it] of rows) {
    test(`counts what the loss of ${ref} does`, async () => {
      const { impact } = blast(await ams1Inventory(), ref);

      expect(impact).toMatchObject({
        racksDark: dark,
        racksPartial: partial,
        racksProtected: guarded,
        devicesOffline: offline,
        itDevicesOffline: it,
        powerDevicesOffline: offline - it,
      });
    });
  }

  test("cascades from UPS-A2 over the panel that the failure overloads", async () => {
    const { impact, steps, overloads } = blast(await ams1Inventory(), "device:UPS-A2", { cascade: true });

    expect(steps).toMatchObject([{ step: 1, trippedRefs: ["device:RPP-B-D"], devicesOffline: 93 }]);
    expect(steps[0]?.trips).toMatchObject([
      { ref: "device:RPP-B-D", loadW: expect.closeTo(238_800), capacityW: 218_200 },
    ]);
    expect(overloads).toEqual([]);
    expect(impact).toMatchObject({
      racksDark: 10,
      racksPartial: 10,
      racksProtected: 0,
      devicesOffline: 93,
      itDevicesOffline: 60,
      itLoadLostW: 227_520,
      cracsOffline: 2,
    });
  });

  test("finds that RPP-A-D carries 54.8 %, and 109.5 % after one failure", async () => {
    const topology = Topology.createFromInventory(await ams1Inventory());
    const index = topology.power.indexOf.get("device:rpp-a-d") ?? -1;
    const { loads, failover } = topology.computeCarriedLoads("ALLOCATED");

    expect([Math.round(loads.watts[index] ?? 0), failover.loads[index]]).toEqual([119_520, 238_920]);
  });
});

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
  test("darkens a load with one inlet, protects one with a second live inlet", () => {
    const site = inventory(source("U"), source("V"), load("one", ["device:U"]), load("two", ["device:U", "device:V"]));

    expect(states(blast(site, "device:U"))).toEqual({ "device:one": "OFFLINE", "device:two": "DEGRADED" });
  });

  test("darkens a load that needs more inlets than are left", () => {
    const site = inventory(
      source("U"),
      source("V"),
      load("gpu", ["device:U", "device:V"], { power: { minLiveInlets: 2 } }),
    );

    expect(states(blast(site, "device:U"))).toEqual({ "device:gpu": "OFFLINE" });
  });

  test("counts what hangs behind a degraded element alone as degraded too", () => {
    const site = inventory(
      source("U"),
      source("V"),
      load("ats", ["device:U", "device:V"]),
      load("behind", ["device:ats"]),
    );

    expect(states(blast(site, "device:U"))).toEqual({ "device:ats": "DEGRADED", "device:behind": "DEGRADED" });
  });

  test("takes a feed that nobody declares as live supply that can fail", () => {
    const site = inventory(load("one", ["feed:F"]));

    expect(states(blast(site, "feed:f"))).toEqual({ "device:one": "OFFLINE" });
  });

  test("follows a feed from the outlet that declares it", () => {
    const site = inventory(
      source("U"),
      panel("P", ["device:U"], ["F1", "F2"]),
      load("a", ["feed:F1"]),
      load("b", ["feed:F2"]),
    );

    expect(states(blast(site, "feed:F1"))).toEqual({ "device:a": "OFFLINE" });
    expect(states(blast(site, "device:P"))).toEqual({ "device:a": "OFFLINE", "device:b": "OFFLINE" });
  });

  test("follows a power cable where no source is named", () => {
    const site = {
      ...inventory(source("U"), panel("P", ["device:U"], ["F1"]), load("a", [""])),
      cables: [{ a: { deviceCode: "P", portName: "out1" }, b: { deviceCode: "a", portName: "psu1" } }],
    };

    expect(states(blast(site, "device:U"))).toEqual({ "device:P": "OFFLINE", "device:a": "OFFLINE" });
  });

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

  test("counts a battery's time at the load that it carries", () => {
    const of = (status: DeviceStatus) => {
      const power = { runtimeS: 600, capacityW: 1000 };
      const one = load("one", ["device:U"], { kind: "UPS", power });
      const two = load("two", ["device:V"], { kind: "UPS", power, status });
      const consumer = load("a", ["device:one", "device:two"], { allocatedDrawW: 200 });
      const { impact } = blast(inventory(source("U"), source("V"), one, two, consumer), "device:U");
      return [impact.minRideThroughS, impact.minRideThroughAtLoadS];
    };

    expect(of("ACTIVE")).toEqual([600, 6000]);
    expect(of("FAILED")).toEqual([600, 3000]);
  });

  test("leaves planned devices and those that were off before out of the counts", () => {
    const site = inventory(
      source("U"),
      load("planned", ["device:U"], { status: "PLANNED" }),
      load("off", ["device:U"], { status: "OFFLINE" }),
      load("on", ["device:U"]),
    );

    expect(blast(site, "device:U").impact.devicesOffline).toBe(1);
  });

  test("never guesses a device without inlets offline, but counts it", () => {
    const site = inventory(
      source("U"),
      load("known", ["device:U"], { rackCode: "R1" }),
      load("unknown", [], { rackCode: "R1", allocatedDrawW: 100 }),
    );

    const { impact } = blast(site, "device:U");

    expect([impact.devicesOffline, impact.devicesUndocumented]).toEqual([1, 1]);
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

  test("refuses a source that is not there, and one of another kind", () => {
    const site = inventory(source("U"));

    expect(() => blast(site, "device:nobody")).toThrow('Cannot find power source "device:nobody"');
    expect(() => blast(site, "crac:C1")).toThrow('Cannot read source_ref "crac:C1"');
  });
});

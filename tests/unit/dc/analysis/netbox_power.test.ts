import { describe, expect, test } from "bun:test";
import { computeBlastRadius } from "#dc/analysis/power/blast_radius.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import type { Cable, Device, Port } from "#dc/model/resources.ts";
import { inventory } from "../../../support/dc/power.ts";

// The shape of a NetBox inventory: outlets carry the power port that they belong to, everything is cabled, panels' feeds
// are known for some PDUs only, and many devices record nothing.

const inlet = (name: string, feed?: string): Port => ({
  name,
  kind: "POWER_IN",
  powerIn: feed === undefined ? {} : { sourceRef: `feed:${feed}` },
});

function pdu(code: string, feed: string | undefined, outlets: number): Device {
  const ports = Array.from({ length: outlets }, (_, at): Port => {
    return { name: `Outlet ${at + 1}`, kind: "POWER_OUT", powerOut: { inletName: "Power Port 1" } };
  });
  return { code, kind: "RACK_PDU", status: "ACTIVE", rackCode: "R1", ports: [inlet("Power Port 1", feed), ...ports] };
}

const server = (code: string, inlets: number): Device => ({
  code,
  kind: "SERVER",
  status: "ACTIVE",
  rackCode: "R1",
  allocatedDrawW: 200,
  ports: Array.from({ length: inlets }, (_, at) => inlet(`PSU${at + 1}`)),
});

const cord = (from: string, outlet: number, to: string, psu: number): Cable => ({
  a: { deviceCode: from, portName: `Outlet ${outlet}` },
  b: { deviceCode: to, portName: `PSU${psu}` },
  status: "CONNECTED",
});

function lost(site: Inventory, ref: string) {
  const topology = Topology.createFromInventory(site);
  const index = topology.power.indexOf.get(ref.toLowerCase()) ?? -1;
  const failing = { sources: new Set([index]), unlisted: new Set([index]) };
  const { hits, racks, impact } = computeBlastRadius(topology, failing, {
    basis: "ALLOCATED",
    cascade: false,
    assumeBattery: false,
  });
  const offline = hits.filter(({ state }) => state === "OFFLINE").map((hit) => topology.power.nodes[hit.index]?.ref);
  return { offline, rack: racks.get("r1"), undocumented: impact.devicesUndocumented };
}

describe("an inventory in NetBox's shape", () => {
  const cables = [cord("P1", 1, "one", 1), cord("P1", 2, "two", 1), cord("P2", 1, "two", 2)];

  for (const [what, feed] of [
    ["known", "F1"],
    ["unknown", undefined],
  ] as const) {
    const site = { ...inventory(pdu("P1", feed, 4), pdu("P2", feed, 4), server("one", 1), server("two", 2)), cables };

    test(`a PDU whose feed is ${what} darkens what is plugged into it alone`, () => {
      expect(lost(site, "device:P1")).toEqual({ offline: ["device:one"], rack: "PARTIAL", undocumented: 0 });
    });

    test(`a PDU whose feed is ${what} carries what draws through its outlets`, () => {
      const topology = Topology.createFromInventory(site);

      expect(Math.round(topology.loadsW[topology.power.indexOf.get("device:p1") ?? -1] ?? 0)).toBe(300);
    });
  }

  test("a rack with a device that records nothing is never dark", () => {
    const site = {
      ...inventory(pdu("P1", "F1", 4), server("one", 1), server("silent", 0)),
      cables: cables.slice(0, 1),
    };

    expect(lost(site, "device:P1")).toEqual({ offline: ["device:one"], rack: "PARTIAL", undocumented: 1 });
    expect(lost(site, "feed:F1")).toMatchObject({ rack: "PARTIAL", undocumented: 1 });
  });

  test("a PDU that has failed leaves what is plugged into it without supply", () => {
    const failed = { ...pdu("P1", "F1", 4), status: "FAILED" as const };
    const site = {
      ...inventory(failed, server("one", 1)),
      cables: cables.slice(0, 1),
      racks: [{ code: "R1", uHeight: 42 }],
    };

    const { reasons } = Topology.createFromInventory(site).computeRackStanding(site.racks[0] ?? { code: "" }, {
      basis: "ALLOCATED",
      now: "2026-06-01T00:00:00.000Z",
    });

    expect(reasons.filter(({ health }) => health === "FAULT").map(({ code, ref }) => [code, ref])).toEqual([
      ["NO_LIVE_SUPPLY", "device:one"],
      ["DEVICE_FAILED", "device:P1"],
    ]);
  });
});

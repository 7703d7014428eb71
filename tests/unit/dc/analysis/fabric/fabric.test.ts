import { describe, expect, test } from "bun:test";
import { completeCablePath } from "#dc/analysis/cabling/supply_trace.ts";
import { type FabricOptions, matchCablePath } from "#dc/analysis/fabric/fabric.ts";
import type { Device, FabricLink, Port } from "#dc/model/resources.ts";
import { ams1Inventory } from "../../../../support/dc/ams1_inventory.ts";
import { wholeFabric } from "../../../../support/dc/whole_fabric.ts";

const port = (name: string, parts: Partial<Port> = {}): Port => ({
  name,
  kind: "NETWORK",
  speedMbps: 25_000,
  ...parts,
});
const device = (code: string, ports: readonly Port[] = []): Device => ({ code, kind: "SWITCH", ports });

const link = (leaf: string, spine: string, parts: Partial<FabricLink> = {}): FabricLink => ({
  a: { deviceCode: leaf, portName: "" },
  b: { deviceCode: spine, portName: "" },
  fabricId: "F",
  capacityMbps: 100_000,
  ...parts,
});

const hosts = [1, 2, 3, 4].map((number) => port(`h${number}`, { netRole: "DOWNLINK" }));
const DEVICES = [device("l1", hosts), device("l2"), device("s1"), device("s2")];
const MESH = [link("l1", "s1"), link("l1", "s2"), link("l2", "s1"), link("l2", "s2")];

function topology(links: readonly FabricLink[], options: Partial<FabricOptions> = {}) {
  return wholeFabric(links, DEVICES, { congestionPct: 80, watchPct: 60, failedDeviceCodes: [], ...options });
}

describe("analyseFabric", () => {
  test("tells how far a leaf is oversubscribed, and with a spine lost", () => {
    const { nodes, summary, missing } = topology([link("l1", "s1"), link("l1", "s2", { capacityMbps: 50_000 })]);

    expect(nodes.map(({ device: { code } }) => code)).toEqual(["s1", "s2", "l1"]);
    expect(nodes[2]).toMatchObject({
      downlinkMbps: 100_000,
      uplinkMbps: 150_000,
      oversubscription: 100_000 / 150_000,
      oversubscriptionN1: 2,
      uplinksUp: 2,
    });
    expect(summary.bisectionMbps).toBe(75_000);
    expect(missing).toEqual([]);
  });

  test("rates links by their busier direction", () => {
    const { links, congested, summary } = topology([
      link("l1", "s1", { aToBMbps: 10_000, bToAMbps: 80_000 }),
      link("l1", "s2", { aToBMbps: 60_000 }),
      link("l2", "s1", { aToBMbps: 59_000 }),
    ]);

    expect(links.map(({ utilizationPct, health }) => [utilizationPct, health])).toEqual([
      [80, "WATCH"],
      [60, "WATCH"],
      [59, "OK"],
    ]);
    expect(congested).toEqual(["fabric_link:l1~s1"]);
    expect(summary).toMatchObject({ congested: 1, maxUtilPct: 80, p95UtilPct: 80 });
  });

  test("rates a link as a fault only when it is full, and a congested one as to be watched", () => {
    const { links } = topology([
      link("l1", "s1", { aToBMbps: 100_000 }),
      link("l1", "s2", { aToBMbps: 99_000 }),
      link("l2", "s1", { aToBMbps: 85_900 }),
    ]);

    expect(links.map(({ health }) => health)).toEqual(["FAULT", "WATCH", "WATCH"]);
  });

  test("names the pairs of the full mesh that no link joins", () => {
    expect(topology(MESH.slice(0, 3)).missing).toEqual([{ leafCode: "l2", spineCode: "s2" }]);
  });

  test("asks for no mesh between fabrics", () => {
    const apart = [link("l1", "s1", { fabricId: "one" }), link("l2", "s2", { fabricId: "two" })];

    expect(topology(apart).missing).toEqual([]);
  });

  test("takes a failed spine's links as down", () => {
    const { summary, nodes, findings } = topology(MESH, { failedDeviceCodes: ["S1"] });

    expect(summary).toMatchObject({ linksUp: 2, linksDown: 2 });
    expect(nodes.find(({ device: { code } }) => code === "s1")?.failed).toBe(true);
    const down = findings.filter(({ code }) => code === "LINK_DOWN");
    expect(down).toHaveLength(2);
    expect(down[0]).toMatchObject({
      message: 'The link carries no traffic: "s1" is taken as failed',
      value: "failed: s1",
      expected: "both ends working",
    });
  });

  test("finds uneven links and uneven loads", () => {
    const uneven = topology([...MESH, link("l1", "s1", { ecmpGroup: "x" })]);
    const loaded = topology([link("l1", "s1", { aToBMbps: 10_000 }), link("l1", "s2", { aToBMbps: 20_000 })]);

    expect(uneven.findings).toMatchObject([{ code: "UNEQUAL_LINKS", ref: "device:l1", value: "1 to 2" }]);
    expect(loaded.findings).toMatchObject([{ code: "ECMP_IMBALANCE", value: "67 %", severity: "INFO" }]);
  });

  test("answers an empty fabric with zeros", () => {
    expect(topology([]).summary).toEqual({
      linksUp: 0,
      linksDown: 0,
      congested: 0,
      maxUtilPct: 0,
      p95UtilPct: 0,
      bisectionMbps: 0,
      bisectionCounted: "No links between tiers",
    });
  });

  test("finds the sample's full mesh of 68 leaves and 4 spines with two congested links", async () => {
    const { fabricLinks, devices } = await ams1Inventory();
    const found = wholeFabric(fabricLinks, devices);

    expect(found.nodes).toHaveLength(72);
    expect(found.missing).toEqual([]);
    expect(found.summary).toMatchObject({ linksUp: 272, congested: 2 });
    expect(found.nodes.at(-1)?.oversubscription).toBeGreaterThan(0);
  }, 240_000);
});

test("matchCables compares where the cables end with where the link says", () => {
  const ends = { a: { deviceCode: "l", portName: "1" }, b: { deviceCode: "s", portName: "2" } };
  const path = (destination: typeof ends.b | undefined, status: "COMPLETE" | "OPEN" | "UNCONNECTED") =>
    completeCablePath({ origin: ends.a, destination, status, hops: [], segments: [] });

  expect(matchCablePath(ends, path(ends.b, "COMPLETE"))).toBe("MATCHED");
  expect(matchCablePath(ends, path({ deviceCode: "s", portName: "3" }, "COMPLETE"))).toBe("MISMATCH");
  expect(matchCablePath(ends, path(undefined, "OPEN"))).toBe("MISMATCH");
  expect(matchCablePath(ends, path(undefined, "UNCONNECTED"))).toBe("MISSING");
  expect(matchCablePath(link("l", "s"), undefined)).toBe("UNKNOWN");
});

import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { Topology } from "#dc/analysis/topology.ts";
import { answerPowerBlastRadius } from "#dc/operations/power_blast_radius.ts";
import { PowerBlastRadiusRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ams1Inventory } from "../../support/dc/ams1_inventory.ts";
import { readingOf } from "../../support/dc/topology_reader.ts";

type Impact = readonly [
  racksDark: number,
  racksPartial: number,
  racksProtected: number,
  devicesOffline: number,
  devicesDegraded: number,
  itLoadLostW: number,
];

/** What version 0.1.0 answered for the loss of a device or feed of the sample, without and with a cascade. */
const KEPT: Readonly<Record<string, readonly [Impact, Impact]>> = await Bun.file(
  new URL("../../fixtures/ams1_impacts.json", import.meta.url),
).json();
/** What it answered for all others. */
const NOTHING: readonly [Impact, Impact] = [
  [0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0],
];

/** Sources with another answer: a transfer switch that loses its standby inlet is degraded, and all behind it alone (P4). */
const DEGRADED: Readonly<Record<string, number>> = { "device:UTIL-A": 104, "device:GEN-A": 104 };

test("the impact of each of 904 power sources is what version 0.1.0 said, but for what a law changed", async () => {
  const topology = Topology.createFromInventory(await ams1Inventory());
  const feeds = topology.inventory.devices.flatMap(({ ports = [] }) => ports.map(({ powerOut }) => powerOut?.feedId));
  const sources = new Set([
    ...topology.inventory.devices.map(({ code }) => `device:${code}`),
    ...feeds.flatMap((feed) => (feed === undefined ? [] : [`feed:${feed}`])),
  ]);
  expect([sources.size, Object.keys(KEPT).filter((ref) => !sources.has(ref))]).toEqual([904, []]);
  for (const sourceRef of sources) {
    const kept = KEPT[sourceRef] ?? NOTHING;
    for (const [at, [dark, partial, guarded, offline, degraded, watts]] of kept.entries()) {
      const request = create(PowerBlastRadiusRequestSchema, { sourceRef, cascade: at === 1 });
      const { reply } = await answerPowerBlastRadius(readingOf(topology), request);
      const { impact } = reply;
      expect([
        `${sourceRef} ${at}`,
        impact?.racksDark,
        impact?.racksPartial,
        impact?.racksProtected,
        impact?.devicesOffline,
        impact?.devicesDegraded,
        impact?.itLoadLostW,
      ]).toEqual([`${sourceRef} ${at}`, dark, partial, guarded, offline, DEGRADED[sourceRef] ?? degraded, watts]);
    }
  }
}, 300_000);

test("loads after a cascade are those at its end: what tripped or was relieved is no overload (P7)", async () => {
  const topology = Topology.createFromInventory(await ams1Inventory());
  for (const { code } of topology.inventory.devices) {
    const index = topology.power.indexOf.get(`device:${code}`.toLowerCase()) ?? -1;
    if (topology.power.supplies.count(index) === 0) continue;
    const request = create(PowerBlastRadiusRequestSchema, { sourceRef: `device:${code}`, cascade: true });
    const { reply } = await answerPowerBlastRadius(readingOf(topology), request);
    expect([code, reply.overloads.length]).toEqual([code, 0]);
  }
}, 300_000);

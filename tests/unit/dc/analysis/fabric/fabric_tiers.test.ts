import { expect, test } from "bun:test";
import { analyseFabric } from "#dc/analysis/fabric/fabric.ts";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import { wholeFabric } from "../../../../support/dc/whole_fabric.ts";

const link = (a: string, b: string, parts: Partial<FabricLink> = {}): FabricLink => ({
  a: { deviceCode: a, portName: "" },
  b: { deviceCode: b, portName: "" },
  capacityMbps: 100,
  ...parts,
});
const node = (code: string, role: string, parts: Partial<Device> = {}): Device => ({
  code,
  kind: "SWITCH",
  role,
  ...parts,
});

// Two pods of two leaves and two spines; super-spines x1 and x2.
const DEVICES = [
  ...["a1", "a2", "b1", "b2"].map((code) => node(code, "leaf")),
  ...["as1", "as2", "bs1", "bs2"].map((code) => node(code, "spine")),
  ...["x1", "x2"].map((code) => node(code, "super-spine")),
];
const LINKS = [
  ...["a", "b"].flatMap((pod) =>
    [1, 2].flatMap((leaf) => [1, 2].map((spine) => link(`${pod}${leaf}`, `${pod}s${spine}`))),
  ),
  ...["as1", "as2", "bs1", "bs2"].flatMap((spine) => ["x1", "x2"].map((above) => link(spine, above))),
];

test("three tiers expect a mesh between neighbouring tiers of one pod", () => {
  const whole = wholeFabric(LINKS, DEVICES);
  const less = wholeFabric(LINKS.slice(1), DEVICES);

  expect(whole.missing).toEqual([]);
  expect(whole.nodes.map(({ tier }) => tier)).toEqual([2, 2, 1, 1, 1, 1, 0, 0, 0, 0]);
  expect(less.missing).toEqual([{ leafCode: "a1", spineCode: "as1" }]);
  expect(whole.nodes.find(({ device }) => device.code === "as1")).toMatchObject({
    downlinkMbps: 200,
    uplinkMbps: 200,
    oversubscription: 1,
    oversubscriptionN1: 2,
  });
});

test("a scope limits what is listed, not what a switch has", () => {
  const listed = LINKS.filter(({ a }) => a.deviceCode === "a1");
  const byCode = new Map(DEVICES.map((device) => [device.code, device]));
  const options = { congestionPct: 80, watchPct: 60, failedDeviceCodes: [], inScope: (code: string) => code === "a1" };
  const found = analyseFabric({ listed, mesh: LINKS, own: LINKS }, (key) => byCode.get(key), options);

  expect(found.links).toHaveLength(2);
  expect(found.nodes.find(({ device }) => device.code === "as1")).toMatchObject({ downlinkMbps: 200, uplinkMbps: 200 });
});

test("a link is up only if its devices are in service", () => {
  const devices = DEVICES.map((device) => (device.code === "x1" ? { ...device, status: "OFFLINE" as const } : device));

  expect(wholeFabric(LINKS, devices).summary).toMatchObject({ linksUp: 12, linksDown: 4 });
});

test("uneven load is a warning only above the watch limit", () => {
  const loaded = (high: number) =>
    wholeFabric([link("a1", "as1", { aToBMbps: 10 }), link("a1", "as2", { aToBMbps: high })], DEVICES).findings;

  expect(loaded(60)).toMatchObject([{ code: "ECMP_IMBALANCE", severity: "INFO" }]);
  expect(loaded(61)).toMatchObject([{ code: "ECMP_IMBALANCE", severity: "WARNING" }]);
});

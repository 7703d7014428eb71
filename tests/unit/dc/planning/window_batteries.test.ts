import { beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { START, type TestService, testService } from "../../../support/dc/service.ts";

// A UPS with a battery of ten minutes on two supplies, and what it feeds. tests/laws/dc/windows.test.ts compares the risk of
// batteries of generated sites with longer windows.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

const BEGIN = Date.parse(START) + 3_600_000;

async function siteOf(fed: readonly (readonly [code: string, kind: string, sources: readonly string[]])[], need = 1) {
  const site = await testService();
  const put = (code: string, kind: string, sources: readonly string[], power: JsonObject = {}) =>
    site.call("UpsertDevice", {
      device: {
        code,
        kind: `DEVICE_KIND_${kind}`,
        status: "DEVICE_STATUS_ACTIVE",
        power,
        location: { site_id: "S" },
        ports: sources.map((source, at) => ({
          name: `in${at}`,
          kind: "PORT_KIND_POWER_IN",
          power_in: { source_ref: `device:${source}` },
        })),
      },
    });
  for (const code of ["U1", "U2", "U3"]) await put(code, "UTILITY", []);
  await put("UPS1", "UPS", ["U1", "U2"], { runtime_s: 600, capacity_w: 9000, min_live_inlets: need });
  for (const [code, kind, sources] of fed) await put(code, kind, sources);
  return site;
}

async function batteries(site: TestService, refs: readonly string[], minutes: number, more: JsonObject = {}) {
  const ends_at = new Date(BEGIN + minutes * 60_000).toISOString();
  const request = { element_refs: [...refs], starts_at: new Date(BEGIN).toISOString(), ends_at, ...more };
  const { verdict, reasons = [] }: Json = await site.call("CheckWindow", request);
  const found = reasons.filter(({ kind }: Json) => kind.endsWith("ON_BATTERY"));
  return [verdict, ...found.map((reason: Json) => `${reason.ref} ${reason.verdict}`)].map((text) =>
    text.replaceAll("WINDOW_VERDICT_", ""),
  );
}

const BOTH = ["device:U1", "device:U2"];

describe("a UPS on battery", () => {
  let single: TestService;
  beforeAll(async () => {
    single = await siteOf([["S1", "SERVER", ["UPS1"]]]);
  });

  test("is a risk if what it carries is lost once it is empty", async () => {
    expect(await batteries(single, BOTH, 9)).toEqual(["GO_WITH_RISK", "device:UPS1 GO_WITH_RISK"]);
    expect(await batteries(single, BOTH, 11)).toEqual(["NO_GO"]);
  });

  test("is a note if that is accepted, or part of the work", async () => {
    const accepted = { accepted_refs: ["device:S1"] };
    expect(await batteries(single, BOTH, 9, accepted)).toEqual(["GO", "device:UPS1 GO"]);
    expect(await batteries(single, BOTH, 11, accepted)).toEqual(["GO"]);
    expect(await batteries(single, [...BOTH, "device:S1"], 9)).toEqual(["GO", "device:UPS1 GO"]);
  });

  test("is a note if it carries nothing, or what has other supply", async () => {
    expect(await batteries(await siteOf([]), BOTH, 9)).toEqual(["GO", "device:UPS1 GO"]);
    const double = await siteOf([["S1", "SERVER", ["UPS1", "U3"]]]);
    expect(await batteries(double, BOTH, 9)).toEqual(["GO", "device:UPS1 GO"]);
    expect(await batteries(double, BOTH, 11)).toEqual(["GO"]);
  });

  test("is one that still has a live inlet, but needs two", async () => {
    const needy = await siteOf([["S1", "SERVER", ["UPS1"]]], 2);
    expect(await batteries(needy, ["device:U1"], 9)).toEqual(["GO_WITH_RISK", "device:UPS1 GO_WITH_RISK"]);
    expect(await batteries(needy, ["device:U1"], 11)).toEqual(["NO_GO"]);
    expect(await batteries(single, ["device:U1"], 11)).toEqual(["GO"]);
  });
});

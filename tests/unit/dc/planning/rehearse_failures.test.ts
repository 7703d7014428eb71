import { beforeAll, expect, test } from "bun:test";
import { ams1Store } from "../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

let site: TestService;

beforeAll(async () => {
  site = await testService({ store: await ams1Store() });
});

test("RehearseFailures ranks what AMS1 loses in about ten causes", async () => {
  const reply = await site.call("RehearseFailures", { cascade: true });
  const lines = reply.causes.map(({ severity, summary }: { severity: string; summary: string }) => [severity, summary]);

  expect(reply.elements_failed).toBe(531);
  expect(lines.slice(0, 4)).toEqual([
    [
      "FAILURE_SEVERITY_CRITICAL",
      "RPP-A-D and RPP-B-D: each 10 racks dark, 50 devices offline, 226.9 kW of IT load, 108 kW of cooling, 27.2 Tbit/s of fabric links, 528 devices without a data path",
    ],
    [
      "FAILURE_SEVERITY_HIGH",
      "AMS1-A08-A: 1 rack dark, 23 devices offline, 8.1 kW of IT load, 800 Gbit/s of fabric links",
    ],
    ["FAILURE_SEVERITY_MEDIUM", "PDU-B03-A: 1 rack partly dark, 2 devices offline, 440 W of IT load"],
    // Each of these leaves is the only switch of four servers.
    [
      "FAILURE_SEVERITY_MEDIUM",
      "8 switches, such as LEAF-D01-1: each 400 Gbit/s of fabric links, 4 devices without a data path",
    ],
  ]);
  expect(lines[4]).toEqual(["FAILURE_SEVERITY_MEDIUM", "8 cooling units, such as CRAH-A1: each 54 kW of cooling"]);
  expect([reply.worst.refs, reply.worst.devices_without_data_path_count]).toEqual([["device:ATS-A"], 507]);
  expect(reply.causes[0].elements[0].tripped_refs).toEqual(["device:RPP-B-D"]);
  expect(reply.causes[0].reason).toBe("RPP-A-D alone: RPP-B-D trips at 109.4 %, and 10 racks go dark");
  expect(lines.length).toBeGreaterThanOrEqual(8);
  expect(lines.length).toBeLessThanOrEqual(12);
});

test("pages continue, and min_severity, kinds and scope_ref leave out causes and elements", async () => {
  const whole = await site.call("RehearseFailures", { cascade: true });
  const first = await site.call("RehearseFailures", { cascade: true, page_size: 4 });
  const next = await site.call("RehearseFailures", { cascade: true, page_size: 4, page_token: first.next_page_token });
  const severe = await site.call("RehearseFailures", { cascade: true, min_severity: "FAILURE_SEVERITY_HIGH" });
  const cooling = await site.call("RehearseFailures", { scope_ref: "row:AMS1/1/A", kinds: ["FAILURE_KIND_COOLING"] });

  expect([...first.causes, ...next.causes]).toEqual(whole.causes.slice(0, 8));
  expect(first.total_count).toBe(whole.causes.length);
  expect(first.critical_count + first.high_count).toBe(severe.total_count);
  expect(severe.causes).toEqual(whole.causes.slice(0, severe.total_count));
  expect(cooling.elements_failed).toBe(2);
  expect(cooling.causes[0].elements.map(({ refs }: { refs: string[] }) => refs)).toEqual([
    ["crac:CRAH-A1"],
    ["crac:CRAH-A2"],
  ]);
});

test("pairs list what two failures do that neither does alone, with the impact of two sources", async () => {
  const { causes, pairs_failed } = await site.call("RehearseFailures", {
    cascade: true,
    pairs: true,
    scope_ref: "rack:A01",
    kinds: ["FAILURE_KIND_POWER"],
  });
  const [{ elements }] = causes;
  const [one, other] = elements[0].refs;
  const blast = await site.call("PowerBlastRadius", {
    source_ref: one,
    additional_source_refs: [other],
    cascade: true,
  });

  expect(pairs_failed).toBe(1);
  expect([one, other]).toEqual(["device:PDU-A01-A", "device:PDU-A01-B"]);
  expect(causes[0].racks_dark).toEqual(["A01"]);
  expect(elements[0].impact).toEqual(blast.impact);
});

test("refuses wrong fields by their names", async () => {
  const refused = (request: object) =>
    site.call("RehearseFailures", request as never).then(
      () => "answered",
      (error: Error) => error.message,
    );

  expect(await refused({ scope_ref: "rack:NONE" })).toContain('Cannot find rack "rack:NONE"');
  expect(await refused({ scope_ref: "device:UPS-A1" })).toContain("Cannot read scope_ref");
  expect(await refused({ kinds: ["FAILURE_KIND_UNSPECIFIED"] })).toContain('Field "kinds[0]" names no kind');
  expect(await refused({ page_size: -1 })).toContain('Field "page_size" is negative');
  expect(await refused({ max_elements: -1 })).toContain('Field "max_elements" is negative');
  expect(await refused({ page_token: "x" })).toContain("Cannot use page_token");
  expect(await refused({ min_severity: 9 })).toContain('Field "min_severity" has no value 9');
});

test("rehearseFailures, fails patch panels with what is behind them, if they are named", async () => {
  const service = await testService({ store: await ams1Store() });
  const reply = await service.call("RehearseFailures", { kinds: ["FAILURE_KIND_PANEL"] });
  expect([reply.elements_failed, reply.causes[0].kind, reply.causes[0].severity]).toEqual([
    40,
    "FAILURE_KIND_PANEL",
    "FAILURE_SEVERITY_MEDIUM",
  ]);
  expect(reply.causes[0].reason).toBe("PP-A01-1 alone: 20 devices lose their last data path");
  expect(reply.causes[0].devices_without_data_path_count).toBe(560);
});

test("rehearseFailures, fails what has an end or a part in the scope, if it is named", async () => {
  const service = await testService({ store: await ams1Store() });
  const failed = async (kind: string, scope_ref: string) =>
    (await service.call("RehearseFailures", { kinds: [`FAILURE_KIND_${kind}`], scope_ref })).elements_failed;
  expect(await failed("PANEL", "rack:A01")).toBe(1);
  expect(await failed("ZONE", "rack:A01")).toBe(1);
  expect(await failed("RACK", "row:AMS1/1/A")).toBe(10);
  expect(await failed("LINK", "rack:A01")).toBe(8);
});

test("rehearseFailures, refuses by name, pairs of kinds that do not pair", async () => {
  const service = await testService({ store: await ams1Store() });
  const asked = { kinds: ["FAILURE_KIND_POWER", "FAILURE_KIND_ZONE"], pairs: true };
  expect(service.call("RehearseFailures", asked)).rejects.toThrow('Field "kinds[1]" names no kind for pairs: ZONE');
});

import { beforeAll, expect, test } from "bun:test";
import { ams1Store } from "../../../support/dc/ams1_estate.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

let site: TestService;

beforeAll(async () => {
  site = await testService({ store: await ams1Store() });
}, 120_000);

test("RehearseFailures ranks what AMS1 loses in about ten causes", async () => {
  const reply = await site.call("RehearseFailures", { cascade: true });
  const lines = reply.causes.map(({ severity, summary }: { severity: string; summary: string }) => [severity, summary]);

  expect(reply.elements_failed).toBe(501);
  expect(lines.slice(0, 4)).toEqual([
    [
      "FAILURE_SEVERITY_CRITICAL",
      "RPP-A-D and RPP-B-D: 10 racks dark, 50 devices offline, 226.9 kW of IT load, 108 kW of cooling, 27200 Gbit/s of fabric links",
    ],
    ["FAILURE_SEVERITY_HIGH", "AMS1-A08-A: 1 rack dark, 23 devices offline, 8.1 kW of IT load"],
    ["FAILURE_SEVERITY_MEDIUM", "PDU-B03-A: 1 rack partly dark, 2 devices offline, 0.4 kW of IT load"],
    ["FAILURE_SEVERITY_MEDIUM", "8 of kind crac, such as CRAH-A1: 432 kW of cooling"],
  ]);
  expect(lines.length).toBeGreaterThanOrEqual(8);
  expect(lines.length).toBeLessThanOrEqual(12);
}, 120_000);

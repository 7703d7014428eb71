import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { createInventoryFactsReader } from "#cli/dc/serve/inventory_facts.ts";
import { Metrics } from "#interfaces/http/metrics.ts";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { served } from "../../../support/dc/served.ts";
import { testService } from "../../../support/dc/service.ts";
import { fromDebian } from "../../../support/debian.ts";
import { http1 } from "../../../support/http_client.ts";

/** Prometheus' own linter of metrics. */
const PROMTOOL = "/usr/bin/promtool";

function check(text: string) {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, ["check", "metrics"], { input: text, encoding: "utf8" });
  return { status, told: `${stdout}${stderr}` };
}

describe.skipIf(!fromDebian(PROMTOOL, "prometheus"))("promtool", () => {
  test("finds nothing wrong with the metrics", async () => {
    const at = await served();
    await at.site.call("SearchDevices", {});
    await at.site.call("GetDevice", { code: "none" }).catch(() => {});
    await http1(`${at.url}/nothing"here`);

    const { text } = await http1(`${at.url}/metrics`);

    expect(text).toContain("planner_dc_call_duration_seconds_bucket");
    expect(check(text)).toEqual({ status: 0, told: "" });
  });

  test("finds nothing wrong with those of the inventory, its windows and its readings", async () => {
    const site = await testService({ store: await storeOf(ams1) });
    const [startsAt, endsAt] = ["2999-01-01T00:00:00Z", "2999-01-01T01:00:00Z"];
    await site.call("UpsertWindow", { window: { code: "MW-1", elementRefs: ["device:UPS-A1"], startsAt, endsAt } });
    const reading = { elementRef: "device:SRV-A01-01", quantity: "READING_QUANTITY_POWER_W", value: 400 };
    await site.call("ReportReadings", { readings: [reading] });

    const inventory = await createInventoryFactsReader(site.store, site.service)();
    const facts = { version: "1", startTimeS: 1, cpuSeconds: 1, residentMemoryBytes: 1, inventory };
    const text = new Metrics().formatMetrics("prometheus", facts);

    for (const { name, samples } of inventory) {
      if (samples.length > 0) expect(text).toContain(`# TYPE ${name} gauge\n${name}`);
    }
    expect(check(text)).toEqual({ status: 0, told: "" });
  });

  test("would find something", () => {
    expect(check("# TYPE planner_calls counter\nplanner_calls 1\n").status).not.toBe(0);
  });
});

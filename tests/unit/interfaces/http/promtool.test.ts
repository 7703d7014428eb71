import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { Metrics } from "#interfaces/http/metrics.ts";
import { served } from "../../../support/dc/served.ts";
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

  test("finds nothing wrong with those of windows", () => {
    const windows = { planned: 2, begun: 1, overdue: 1, nextInS: 5400, verdicts: [["MW-1", 4]] as const };
    const facts = { version: "1", startTimeS: 1, cpuSeconds: 1, residentMemoryBytes: 1, windows };
    expect(check(new Metrics().text("prometheus", facts))).toEqual({ status: 0, told: "" });
  });

  test("would find something", () => {
    expect(check("# TYPE planner_calls counter\nplanner_calls 1\n").status).not.toBe(0);
  });
});

import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { served } from "../../../support/dc/served.ts";
import { keepFromPackage } from "../../../support/debian_package.ts";
import { http1 } from "../../../support/http_client.ts";

/** Prometheus' own linter of metrics: the machine's, or the one of Debian's package, unpacked. */
const INSTALLED = "/usr/bin/promtool";
const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache/promtool");
const missing = existsSync(INSTALLED) ? undefined : keepFromPackage("prometheus", "usr/bin/promtool", CACHE);
if (missing !== undefined) process.stderr.write(`SKIPPED: promtool: ${missing}\n`);

function check(text: string) {
  const program = existsSync(INSTALLED) ? INSTALLED : CACHE;
  const { status, stdout, stderr } = spawnSync(program, ["check", "metrics"], { input: text, encoding: "utf8" });
  return { status, told: `${stdout}${stderr}` };
}

describe.skipIf(missing !== undefined)("promtool", () => {
  test("finds nothing wrong with the metrics", async () => {
    const at = await served();
    await at.site.call("SearchDevices", {});
    await at.site.call("GetDevice", { code: "none" }).catch(() => {});
    await http1(`${at.url}/nothing"here`);

    const { text } = await http1(`${at.url}/metrics`);

    expect(text).toContain("planner_dc_call_duration_seconds_bucket");
    expect(check(text)).toEqual({ status: 0, told: "" });
  });

  test("would find something", () => {
    expect(check("# TYPE planner_calls counter\nplanner_calls 1\n").status).not.toBe(0);
  });
});

import { describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parse } from "yaml";
import dashboard from "../../docs/monitoring/dashboard.json" with { type: "json" };
import { emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { fromDebian } from "../support/debian.ts";
import { endAfterTest, serveDc } from "../support/end_after_test.ts";
import { freePort } from "../support/free_port.ts";
import { http1 } from "../support/http_client.ts";

const FILES = join(import.meta.dirname, "../../docs/monitoring");
const [PROMETHEUS, PROMTOOL] = ["/usr/bin/prometheus", "/usr/bin/promtool"];

const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
/** Series that the sample site has only with readings, windows that are open, or faults. */
const MAY_BE_EMPTY = ["Age of the newest reading", "Power of rooms", "Calls per second", "Duration of calls, 99 %"];

function promtool(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, words, { cwd: FILES, encoding: "utf8" });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** Asks until the answer holds; the test's own limit ends it. */
async function until(url: string, holds: (text: string) => boolean): Promise<void> {
  for (;;) {
    const answer = await http1(url).catch(() => undefined);
    if (answer !== undefined && holds(answer.text)) return;
    await pause(100);
  }
}

async function startPrometheus(target: string): Promise<string> {
  const [cwd, port] = [emptyFolder(), await freePort()];
  cpSync(join(FILES, "rules.yml"), join(cwd, "rules.yml"));
  const { alerting: _, global: __, ...config } = parse(readFileSync(join(FILES, "prometheus.yml"), "utf8"));
  config.global = { scrape_interval: "1s", evaluation_interval: "1s" };
  config.scrape_configs[0].static_configs = [{ targets: [target] }];
  writeFileSync(join(cwd, "prometheus.yml"), JSON.stringify(config));
  const flags = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn(PROMETHEUS, flags, { cwd, stdio: "ignore" });
  endAfterTest(() => child.kill("SIGKILL"));
  return `http://127.0.0.1:${port}`;
}

describe.skipIf(!fromDebian(PROMETHEUS, "prometheus"))("docs/monitoring", () => {
  test("rules and configuration pass promtool, with tests of the rules", () => {
    expect(promtool("check", "rules", "rules.yml")).toBe("");
    expect(promtool("test", "rules", "rules_test.yml")).toBe("");
    expect(promtool("check", "config", "prometheus.yml")).toBe("");
  });

  test("Prometheus loads the rules, scrapes a server and answers every query of the dashboard", async () => {
    const cwd = emptyFolder();
    await sampleDatabase(cwd, "site.sqlite");
    const server = await serveDc(cwd, ["--db", "site.sqlite"]);
    const url = await startPrometheus(new URL(server.url).host);
    const query = (expr: string) => `${url}/api/v1/query?query=${encodeURIComponent(expr)}`;
    await until(query("planner_dc_area_racks"), (text) => text.includes('"room":"DH1"'));

    const { data } = JSON.parse((await http1(`${url}/api/v1/rules`)).text);
    expect(data.groups.map(({ name }: { name: string }) => name)).toEqual([
      "planner-risk",
      "planner-service",
      "planner-windows",
    ]);
    for (const { title, expr } of queries) {
      const { text } = await http1(query(expr.replaceAll("$site", ".*")));
      const { status, error, data: answer } = JSON.parse(text);
      expect([expr, status, error]).toEqual([expr, "success", undefined]);
      if (!MAY_BE_EMPTY.includes(title)) expect([expr, answer.result.length]).not.toEqual([expr, 0]);
    }
    await until(`${url}/api/v1/alerts`, (text) => text.includes("PlannerRedundancyUnmet"));
  }, 240_000);
});

test("compose.yaml uses files that are there, and the port of the scraped server", () => {
  const { services } = parse(readFileSync(join(FILES, "compose.yaml"), "utf8"));
  const mounted = Object.values<{ readonly volumes?: readonly string[] }>(services)
    .flatMap(({ volumes = [] }) => volumes)
    .filter((one) => one.startsWith("./"));
  expect(mounted.length).toBeGreaterThan(3);
  for (const one of mounted) expect(readFileSync(join(FILES, one.split(":")[0] ?? ""), "utf8")).not.toBe("");
  const { scrape_configs } = parse(readFileSync(join(FILES, "prometheus.yml"), "utf8"));
  expect(scrape_configs[0].static_configs[0].targets).toEqual(["planner:8081"]);
});

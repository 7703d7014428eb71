import { expect, test } from "bun:test";
import { Metrics } from "#interfaces/http/metrics.ts";

const FACTS = { version: "1.2.3", startTimeS: 1700000000, cpuSeconds: 1.5, residentMemoryBytes: 1024 };
const FULL = {
  ...FACTS,
  commit: "abc",
  engine: "Bun 1.2",
  openFds: 7,
  certificateEndS: 1_800_000_000,
  database: {
    up: true,
    revision: 12,
    changeLogSeq: 30,
    deadLettersKept: 2,
    use: { read: { limit: 4, running: 1, waiting: 0 }, write: { limit: 1, running: 1, waiting: 5 } },
  },
};
const METHOD = { method: "GetRack", interface: "REST" } as const;

function counted(...seconds: readonly number[]): Metrics {
  const metrics = new Metrics();
  for (const one of seconds) metrics.observe({ ...METHOD, outcome: "ok", seconds: one });
  return metrics;
}

test("Metrics.text counts calls by method, interface and outcome", () => {
  const metrics = counted(0.001, 0.001);
  metrics.observe({ ...METHOD, outcome: "not_found", seconds: 0.001 });

  const lines = metrics.formatMetrics("prometheus", FACTS).split("\n");

  expect(lines).toContain('planner_dc_calls_total{method="GetRack",interface="REST",outcome="ok"} 2');
  expect(lines).toContain('planner_dc_calls_total{method="GetRack",interface="REST",outcome="not_found"} 1');
});

test("Metrics.text adds up durations into buckets that include the smaller ones", () => {
  const lines = counted(0.001, 0.002, 0.3, 99).formatMetrics("prometheus", FACTS).split("\n");

  const labels = 'method="GetRack",interface="REST"';
  const name = "planner_dc_call_duration_seconds";
  expect(lines).toContain(`${name}_bucket{${labels},le="0.001"} 1`);
  expect(lines).toContain(`${name}_bucket{${labels},le="0.25"} 2`);
  expect(lines).toContain(`${name}_bucket{${labels},le="0.5"} 3`);
  expect(lines).toContain(`${name}_bucket{${labels},le="10"} 3`);
  expect(lines).toContain(`${name}_bucket{${labels},le="+Inf"} 4`);
  expect(lines).toContain(`${name}_count{${labels}} 4`);
  expect(lines.find((line) => line.startsWith(`${name}_sum`))).toMatch(/ 99\.303\d*$/);
});

test("Metrics.text names a counter's family as each format does", () => {
  const prometheus = counted(1).formatMetrics("prometheus", FACTS);
  const openMetrics = counted(1).formatMetrics("openMetrics", FACTS);

  expect(prometheus).toContain("# TYPE planner_dc_calls_total counter\n");
  expect(openMetrics).toContain("# TYPE planner_dc_calls counter\n");
  expect(openMetrics).toContain("\nplanner_dc_calls_total{");
  expect(openMetrics).toEndWith("\n# EOF\n");
  expect(prometheus).not.toContain("# EOF");
});

test("Metrics.text declares every sample's family once and before it", () => {
  const declared = new Set<string>();

  for (const line of counted(1).formatMetrics("prometheus", FULL).trimEnd().split("\n")) {
    const type = /^# TYPE (\S+) /.exec(line)?.[1];
    if (type !== undefined) {
      expect(declared.has(type)).toBe(false);
      declared.add(type);
    } else if (!line.startsWith("#")) {
      const name = /^[a-z_]+/.exec(line)?.[0] ?? "";
      expect(declared.has(name) || declared.has(name.replace(/_(?:bucket|sum|count)$/, ""))).toBe(true);
    }
  }
});

test("Metrics.text tells of the database, and nothing that it does not know", () => {
  const { use } = FULL.database;
  const lines = counted().formatMetrics("prometheus", FULL).split("\n");
  const away = counted().formatMetrics("prometheus", { ...FULL, database: { up: false, use } });

  expect(lines).toContain("planner_dc_database_up 1");
  expect(lines).toContain("planner_dc_revision 12");
  expect(lines).toContain("planner_dc_change_log_head_seq 30");
  expect(lines).toContain("planner_dc_dead_letters_kept 2");
  expect(lines).toContain('planner_dc_transactions_waiting{effect="write"} 5');
  expect(lines).toContain('planner_dc_build_info{version="1.2.3",commit="abc",engine="Bun 1.2"} 1');
  expect(away).toContain("\nplanner_dc_database_up 0\n");
  expect(away).not.toContain("planner_dc_revision");
});

test("Metrics.text tells units in OpenMetrics alone", () => {
  const unit = "# UNIT planner_dc_call_duration_seconds seconds\n";

  expect(counted(1).formatMetrics("openMetrics", FULL)).toContain(unit);
  expect(counted(1).formatMetrics("openMetrics", FULL)).toContain("# UNIT process_resident_memory_bytes bytes\n");
  expect(counted(1).formatMetrics("prometheus", FULL)).not.toContain("# UNIT");
});

test("Metrics.text states figures of the inventory with their labels, those without a value left out", () => {
  const inventory = [
    { name: "planner_dc_area_racks", help: "Racks.", samples: [{ labels: { site: 'A"1\\\n', room: "" }, value: 2 }] },
    { name: "planner_dc_areas_omitted", help: "Areas.", samples: [{ value: 0 }] },
    { name: "planner_dc_readings", help: "Readings.", samples: [] },
  ];
  const text = new Metrics().formatMetrics("prometheus", { ...FACTS, inventory });
  expect(text).toContain('# TYPE planner_dc_area_racks gauge\nplanner_dc_area_racks{site="A\\"1\\\\\\n"} 2\n');
  expect(text).toContain("\nplanner_dc_areas_omitted 0\n");
  expect(text).not.toContain("planner_dc_readings");
});

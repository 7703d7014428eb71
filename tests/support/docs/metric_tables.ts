import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  createReadingGauges,
  createWindowGauges,
  type MetricsReader,
  readAreaGauges,
  readRiskGauges,
} from "#cli/dc/serve/inventory_facts.ts";
import { GetCapacityResponseSchema } from "#gen/datacenter/v1/capacity_pb.ts";
import { ListInventoryResponseSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { ListedWindowSchema, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import { type GaugeFamily, Metrics } from "#interfaces/http/metrics.ts";

const USE = { running: 0, waiting: 0, limit: 1 };
const LEFT = { freeKw: 1, failoverFreeKw: 1 };
const LATER = timestampFromMs(1);

/** One place of each kind and one of everything that has a series. */
const REPLIES: Readonly<Record<string, object>> = {
  GetCapacity: create(GetCapacityResponseSchema, {
    areas: ["site:S", "floor:S/1", "room:S/1/R", "zone:S/1/Z"].map((ref) => ({
      ref,
      drawKw: 1,
      power: LEFT,
      air: LEFT,
      liquid: LEFT,
    })),
    measuredLoad: {},
  }),
  ListInventory: create(ListInventoryResponseSchema, {
    rows: ["OK", "WATCH", "FAULT", "UNKNOWN"].map((health) => ({
      texts: { site: "S", floor: "1", room: "R", health, redundancy: health === "OK" ? "UNKNOWN" : "UNMET" },
    })),
    totalCount: 4,
  }),
};

const ASKING = {
  caller: {},
  service: {
    readOverview: async () => ({ sites: [{ site_id: "S" }] }),
    call: async ({ method }: { readonly method: { readonly name: string; readonly output: never } }) =>
      REPLIES[method.name] ?? create(method.output),
  },
} as unknown as MetricsReader;

/** Every metric with its labels and what it means, as `/metrics` says it. */
export async function metricsTable(): Promise<string> {
  const ages = [{ quantity: "POWER_W", count: 1, oldest: 1, newest: 1 }] as Parameters<typeof readAreaGauges>[1];
  const window = create(ListedWindowSchema, { window: { code: "W", state: WindowState.PLANNED, startsAt: LATER } });
  const inventory: readonly GaugeFamily[] = [
    ...(await readAreaGauges(ASKING, ages)),
    ...(await readRiskGauges(ASKING)),
    ...createReadingGauges(ages),
    ...createWindowGauges([window], 0),
  ];
  const database = { up: true, revision: 1, changeLogSeq: 1, deadLettersKept: 0, use: { read: USE, write: USE } };
  const process = { startTimeS: 1, cpuSeconds: 1, residentMemoryBytes: 1, openFds: 1, certificateEndS: 1 };
  const metrics = new Metrics();
  metrics.observe({ method: "M", interface: "REST", outcome: "ok", seconds: 1 });
  const facts = { version: "V", commit: "C", engine: "E", openStreams: 0, ...process, database, inventory };
  const text = metrics.formatMetrics("prometheus", facts);
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(
    ([, name = "", help]) => `| \`${name}\` | ${labelsOf(text, name)} | ${help} |\n`,
  );
  return `| Metric | Labels | Meaning |\n| --- | --- | --- |\n${rows.join("")}`;
}

/** Labels of a family; of those with several values in it, the values. */
function labelsOf(text: string, name: string): string {
  const values = new Map<string, Set<string>>();
  for (const [, labels = ""] of text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, "gm"))) {
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      if (label !== "le") values.set(label, (values.get(label) ?? new Set()).add(value));
    }
  }
  return [...values]
    .map(([label, seen]) => (seen.size > 1 ? `\`${label}\` (${[...seen].join(", ")})` : `\`${label}\``))
    .join(", ");
}

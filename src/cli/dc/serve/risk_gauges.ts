import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "#dc/context.ts";
import { FAILURE_SEVERITIES } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { listNotices } from "#dc/operations/notices/notice_rpcs.ts";
import { listInventory } from "#dc/operations/planning/list_inventory.ts";
import { listFindings } from "#dc/operations/planning/readings/list_findings.ts";
import { rehearseFailures } from "#dc/operations/planning/rehearse_failures.ts";
import type { DcService } from "#dc/service.ts";
import { ListFindingsRequestSchema, type ListFindingsResponse } from "#gen/datacenter/v1/findings_pb.ts";
import { ListNoticesRequestSchema, type ListNoticesResponse } from "#gen/datacenter/v1/notices_pb.ts";
import {
  InventoryKind,
  type InventoryRow,
  ListInventoryRequestSchema,
  type ListInventoryResponse,
} from "#gen/datacenter/v1/planning_pb.ts";
import {
  type FailedElement,
  RehearseFailuresRequestSchema,
  type RehearseFailuresResponse,
} from "#gen/datacenter/v1/rehearsal_pb.ts";
import type { GaugeFamily, MetricSample } from "#interfaces/http/metric_text.ts";

/** Service and caller for the reads of metrics. */
export interface MetricsReader {
  readonly service: DcService;
  readonly caller: Caller;
}

/** Maximum number of sites and rooms with series of risks. */
const MAX_SITES = 100;
const MAX_ROOMS = 1000;
const PAGE_SIZE = 1000;

/** Returns metrics of causes of loss, findings, notices, racks by health and devices without their redundancy. */
export async function readRiskGauges(asking: MetricsReader): Promise<readonly GaugeFamily[]> {
  const { sites } = await asking.service.readOverview(asking.caller);
  const bySite: MetricSample[] = [];
  for (const { site_id: site } of sites.slice(0, MAX_SITES)) {
    bySite.push(...createCauseSamples(await rehearse(asking, `site:${site}`), { site }));
  }
  const whole = await rehearse(asking, "");
  const racks = await readAllRows(asking, { kind: InventoryKind.RACK });
  const column = "redundancy";
  const conditions = [{ column, values: ["UNMET", "UNKNOWN"] }];
  const devices = await readAllRows(asking, { kind: InventoryKind.DEVICE, conditions });
  return [
    {
      name: "planner_dc_failure_causes",
      help: "Causes of loss by severity: groups of elements whose failure does the same.",
      samples: createCauseSamples(whole, {}),
    },
    {
      name: "planner_dc_site_failure_causes",
      help: "Causes of loss by the site of the elements that fail.",
      samples: bySite,
    },
    ...createWorstFamilies(whole),
    {
      name: "planner_dc_findings",
      help: "Differences between readings and the inventory, by severity.",
      samples: await readFindingSamples(asking),
    },
    {
      name: "planner_dc_notices",
      help: "Notices of changed risks that wait to be sent, and dead letters.",
      samples: await readNoticeSamples(asking),
    },
    { name: "planner_dc_racks", help: "Racks by place and health.", samples: countRowsByRoom(racks, "health") },
    {
      name: "planner_dc_devices_redundancy",
      help: "Devices whose required redundancy is not met, or is not proven by the record.",
      samples: countRowsByRoom(devices, column),
    },
  ];
}

/** Fails every element of a scope in turn, as the console does: overloads trip. */
async function rehearse({ service, caller }: MetricsReader, scopeRef: string): Promise<RehearseFailuresResponse> {
  const request = create(RehearseFailuresRequestSchema, { scopeRef, cascade: true, pageSize: 1, maxElements: 1 });
  return (await service.call(rehearseFailures, request, caller)) as RehearseFailuresResponse;
}

function createCauseSamples(
  reply: RehearseFailuresResponse,
  labels: NonNullable<MetricSample["labels"]>,
): readonly MetricSample[] {
  const counts = {
    CRITICAL: reply.criticalCount,
    HIGH: reply.highCount,
    MEDIUM: reply.mediumCount,
    LOW: reply.lowCount,
    INFO: reply.infoCount,
  };
  return FAILURE_SEVERITIES.map((severity) => ({
    labels: { ...labels, severity: severity.toLowerCase() },
    value: counts[severity],
  }));
}

/** Creates the metrics of the single failure that takes most; without samples if none takes anything. */
function createWorstFamilies({ worst }: RehearseFailuresResponse): readonly GaugeFamily[] {
  const createFamily = (name: string, help: string, getFigure: (failure: FailedElement) => number): GaugeFamily => ({
    name: `planner_dc_worst_failure_${name}`,
    help,
    samples: worst === undefined ? [] : [{ labels: { element: worst.refs.join(" ") }, value: getFigure(worst) }],
  });
  return [
    createFamily(
      "devices",
      "Devices that go offline or lose their last data path with the single failure that takes most.",
      ({ impact, devicesWithoutDataPathCount }) => (impact?.itDevicesOffline ?? 0) + devicesWithoutDataPathCount,
    ),
    createFamily("racks_dark", "Racks that go dark with that failure.", ({ impact }) => impact?.racksDark ?? 0),
    createFamily("it_load_watts", "IT load lost with that failure.", ({ impact }) => impact?.itLoadLostW ?? 0),
    createFamily(
      // Prometheus counts in bytes.
      "fabric_bytes_per_second",
      "Capacity of the fabric links that go down with that failure.",
      ({ fabricLostMbps }) => fabricLostMbps * 125_000,
    ),
  ];
}

async function readFindingSamples({ service, caller }: MetricsReader): Promise<readonly MetricSample[]> {
  const request = create(ListFindingsRequestSchema, { pageSize: 1 });
  const { faultCount, watchCount } = (await service.call(listFindings, request, caller)) as ListFindingsResponse;
  return createSamples("severity", { fault: faultCount, watch: watchCount });
}

async function readNoticeSamples({ service, caller }: MetricsReader): Promise<readonly MetricSample[]> {
  const request = create(ListNoticesRequestSchema, { pageSize: 1 });
  const { waitingCount, deadCount } = (await service.call(listNotices, request, caller)) as ListNoticesResponse;
  return createSamples("state", { waiting: waitingCount, dead: deadCount });
}

function createSamples(label: string, counts: Readonly<Record<string, number>>): readonly MetricSample[] {
  return Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** Reads a list page by page and returns the rows of all pages. */
async function readAllRows(
  { service, caller }: MetricsReader,
  wanted: MessageInitShape<typeof ListInventoryRequestSchema>,
): Promise<readonly InventoryRow[]> {
  const rows: InventoryRow[] = [];
  for (;;) {
    const init = { ...wanted, pageSize: PAGE_SIZE, skip: rows.length };
    const request = create(ListInventoryRequestSchema, init as MessageInitShape<typeof ListInventoryRequestSchema>);
    const page = (await service.call(listInventory, request, caller)) as ListInventoryResponse;
    rows.push(...page.rows);
    if (page.rows.length < PAGE_SIZE || rows.length >= page.totalCount) return rows;
  }
}

/** Counts the rows of each room by the value of a column. */
function countRowsByRoom(rows: readonly InventoryRow[], column: string): readonly MetricSample[] {
  const counts = new Map<
    string,
    Map<string, { readonly labels: NonNullable<MetricSample["labels"]>; value: number }>
  >();
  for (const { texts } of rows) {
    const { site, floor, room } = texts;
    const place = JSON.stringify([site, floor, room]);
    const byValue = counts.get(place) ?? new Map();
    counts.set(place, byValue);
    const value = texts[column]?.toLowerCase();
    const known = byValue.get(value) ?? { labels: { site, floor, room, [column]: value }, value: 0 };
    byValue.set(value, known);
    known.value++;
  }
  const rooms = [...counts].sort(([a], [b]) => compareText(a, b)).slice(0, MAX_ROOMS);
  return rooms.flatMap(([, byValue]) => [...byValue.values()]);
}

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Caller } from "#dc/context.ts";
import { FAILURE_SEVERITIES } from "#dc/model/enum_values.ts";
import type { ReadingAge } from "#dc/model/readings/reading_store.ts";
import { compareText, parseRef } from "#dc/model/ref.ts";
import { IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";
import { listNotices } from "#dc/operations/notices/notice_rpcs.ts";
import { getCapacity } from "#dc/operations/planning/get_capacity.ts";
import { listInventory } from "#dc/operations/planning/list_inventory.ts";
import { listFindings } from "#dc/operations/planning/readings/list_findings.ts";
import { rehearseFailures } from "#dc/operations/planning/rehearse_failures.ts";
import type { DcStore } from "#dc/ports.ts";
import { listAllWindows, readPages } from "#dc/read_pages.ts";
import type { DcService } from "#dc/service.ts";
import {
  type AreaCapacity,
  AreaKind,
  GetCapacityRequestSchema,
  type GetCapacityResponse,
} from "#gen/datacenter/v1/capacity_pb.ts";
import { LoadBasis } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ListFindingsRequestSchema, type ListFindingsResponse } from "#gen/datacenter/v1/findings_pb.ts";
import { ListNoticesRequestSchema, type ListNoticesResponse } from "#gen/datacenter/v1/notices_pb.ts";
import {
  InventoryKind,
  type InventoryRow,
  ListInventoryRequestSchema,
  type ListInventoryResponse,
} from "#gen/datacenter/v1/planning_pb.ts";
import { RehearseFailuresRequestSchema, type RehearseFailuresResponse } from "#gen/datacenter/v1/rehearsal_pb.ts";
import { type ListedWindow, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import type { GaugeFamily, MetricSample } from "#interfaces/http/metrics.ts";
import { getKnownCooling } from "#words/capacity_figures.ts";
import { isSumUnknown } from "#words/figures.ts";
import { CachedFacts } from "./facts.ts";

type Labels = NonNullable<MetricSample["labels"]>;

/** Milliseconds for which values are cached; scrapes come every 15 to 60 seconds. */
const CACHE_MS = 15_000;
/** Maximum share of the time that is spent on computing values of readings, risks and areas. */
const MAX_COMPUTE_SHARE = 0.05;

/** Caller for the server itself, which needs no token. Calls of other callers take precedence. */
const METRICS_CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "metrics", roles: [], authMethod: "none" },
  peer: IDLE_PEER,
};

/**
 * Creates a function that returns metrics of the inventory. They come from cached replies of RPCs, so that they cost
 * nothing without changes. A scrape gets the previous values if the new ones take longer than its wait.
 */
export function createInventoryFactsReader(store: DcStore, service: DcService): () => Promise<readonly GaugeFamily[]> {
  const asking: MetricsReader = { service, caller: METRICS_CALLER };
  const createCache = <Facts>(ask: () => Promise<Facts>, share = 1) =>
    new CachedFacts({ ask, cacheMs: CACHE_MS, maxShare: share, returnsOutdated: true });
  const states = [WindowState.PLANNED, WindowState.BEGUN];
  const windows = createCache(async () => (await listAllWindows(service, METRICS_CALLER, { states })).windows);
  const readings = createCache(() => store.read((reader) => reader.readingAges()), MAX_COMPUTE_SHARE);
  const risks = createCache(() => readRiskGauges(asking), MAX_COMPUTE_SHARE);
  const areas = createCache(
    async () => readAreaGauges(asking, await store.read((reader) => reader.readingAges())),
    MAX_COMPUTE_SHARE,
  );
  return async () => {
    // The reads run concurrently, so that a scrape waits only for the slowest.
    const [open, ages, risk, area] = await Promise.all([
      windows.getFacts(),
      readings.getFacts(),
      risks.getFacts(),
      areas.getFacts(),
    ]);
    return [
      ...(open === undefined ? [] : createWindowGauges(open, Date.now())),
      ...(risk ?? []),
      ...(area ?? []),
      ...(ages === undefined ? [] : createReadingGauges(ages)),
    ];
  };
}

/** Returns the number of readings and the times of their measurement. A query computes ages by subtraction. */
export function createReadingGauges(ages: readonly ReadingAge[]): readonly GaugeFamily[] {
  const createSamples = (value: (age: ReadingAge) => number) =>
    ages.map((age) => ({ labels: { quantity: age.quantity.toLowerCase() }, value: value(age) }));
  return [
    { name: "planner_dc_readings", help: "Readings that are kept.", samples: createSamples(({ count }) => count) },
    {
      name: "planner_dc_oldest_reading_timestamp_seconds",
      help: "When the oldest of the latest readings was measured, in seconds since 1970.",
      samples: createSamples(({ oldest }) => oldest / 1000),
    },
    {
      name: "planner_dc_newest_reading_timestamp_seconds",
      help: "When the newest reading was measured, in seconds since 1970.",
      samples: createSamples(({ newest }) => newest / 1000),
    },
  ];
}

/** Maximum number of windows with a verdict series, the earliest first. A collector stores each series for weeks. */
const MAX_SERIES = 100;

/** Returns metrics of open windows, which are planned or begun. */
export function createWindowGauges(open: readonly ListedWindow[], now: number): readonly GaugeFamily[] {
  const inState = (state: WindowState) => open.filter(({ window }) => window?.state === state);
  const overdue = open.filter(({ window }) => window?.endsAt !== undefined && timestampMs(window.endsAt) <= now);
  const starts = inState(WindowState.PLANNED).flatMap(({ window }) => {
    const start = window?.startsAt === undefined ? 0 : timestampMs(window.startsAt);
    return start > now ? start : [];
  });
  return [
    {
      name: "planner_dc_windows",
      help: "Maintenance windows that are open, by state.",
      samples: [
        { labels: { state: "planned" }, value: inState(WindowState.PLANNED).length },
        { labels: { state: "begun" }, value: inState(WindowState.BEGUN).length },
      ],
    },
    {
      name: "planner_dc_windows_overdue",
      help: "Open windows that should be over.",
      samples: [{ value: overdue.length }],
    },
    {
      name: "planner_dc_next_window_seconds",
      help: "Seconds until the next planned window begins.",
      samples: starts.length === 0 ? [] : [{ value: (Math.min(...starts) - now) / 1000 }],
    },
    {
      name: "planner_dc_window_verdict",
      help: "Verdict of an open window: 1 GO, 2 GO_WITH_RISK, 3 UNKNOWN, 4 NO_GO.",
      samples: open
        .slice(0, MAX_SERIES)
        .map(({ window, verdict }) => ({ labels: { window: window?.code ?? "" }, value: verdict })),
    },
  ];
}

/** Maximum number of areas with series, about 15 each. Sites come first, then floors, rooms and zones. */
const MAX_AREAS = 1000;

const GAUGE_AREA_KINDS = [AreaKind.SITE, AreaKind.FLOOR, AreaKind.ROOM, AreaKind.ZONE] as const;

/** Values of GetCapacity, by metric name without its prefix. A value that a reply does not set has no series. */
const AREA_FIGURES: readonly (readonly [name: string, help: string, of: (area: AreaCapacity) => number | undefined])[] =
  [
    ["racks", "Racks that take devices.", ({ racks }) => racks],
    ["racks_without_supply", "Racks to which no power can be added.", ({ racksWithoutSupply }) => racksWithoutSupply],
    ["power_planned_watts", "Planned draw of devices in service.", getDrawW],
    ["power_free_watts", "What racks may still draw together.", ({ power }) => convertToWatts(power?.freeKw)],
    [
      "power_free_after_failure_watts",
      "What racks may still draw together so that every supply withstands the worst single failure.",
      ({ power }) => convertToWatts(power?.failoverFreeKw),
    ],
    [
      "air_cooling_free_watts",
      "Air cooling that is left, in total over the areas that units serve.",
      ({ air }) => convertToWatts(getKnownCooling(air)?.freeKw),
    ],
    [
      "air_cooling_free_after_failure_watts",
      "Air cooling that is left after the worst single failure, in total over the areas that units serve.",
      ({ air }) => convertToWatts(getKnownCooling(air)?.failoverFreeKw),
    ],
    [
      "liquid_cooling_free_watts",
      "Liquid cooling that is left, in total over the areas that units serve.",
      ({ liquid }) => convertToWatts(getKnownCooling(liquid)?.freeKw),
    ],
    [
      "liquid_cooling_free_after_failure_watts",
      "Liquid cooling that is left after the worst single failure, in total over the areas that units serve.",
      ({ liquid }) => convertToWatts(getKnownCooling(liquid)?.failoverFreeKw),
    ],
    ["rack_units", "Rack units.", ({ totalU }) => totalU],
    ["rack_units_free", "Rack units that are neither used nor reserved.", ({ freeU }) => freeU],
    ["largest_free_block_units", "Most adjacent free units in one rack.", ({ largestFreeBlockU }) => largestFreeBlockU],
  ];

/** Returns the capacity of areas as GetCapacity computes it. */
export async function readAreaGauges(
  asking: MetricsReader,
  ages: readonly ReadingAge[],
): Promise<readonly GaugeFamily[]> {
  const { areas, omitted } = await readAreas(asking, LoadBasis.ALLOCATED);
  const hasReadings = ages.some(({ quantity }) => quantity === "POWER_W");
  const measured = hasReadings ? await readAreas(asking, LoadBasis.MEASURED) : undefined;
  const createFamily = (name: string, help: string, samples: readonly MetricSample[]) => ({
    name: `planner_dc_area_${name}`,
    help,
    samples,
  });
  return [
    ...AREA_FIGURES.map(([name, help, of]) => createFamily(name, help, createAreaSamples(areas, of))),
    createFamily(
      "power_measured_watts",
      "Draw of devices in service by readings, by the recorded draw for want of one.",
      measured === undefined ? [] : createAreaSamples(measured.areas, getDrawW),
    ),
    {
      name: "planner_dc_measured_load_watts",
      help: "Load of the inventory with a reading that is new enough, and without one.",
      samples:
        measured?.load === undefined
          ? []
          : [
              { labels: { source: "reading" }, value: measured.load.measuredW },
              { labels: { source: "record" }, value: measured.load.plannedW },
            ],
    },
    { name: "planner_dc_areas_omitted", help: "Areas that have no series.", samples: [{ value: omitted }] },
  ];
}

async function readAreas({ service, caller }: MetricsReader, loadBasis: LoadBasis) {
  const areas: AreaCapacity[] = [];
  let all = 0;
  let load: GetCapacityResponse["measuredLoad"];
  for (const by of GAUGE_AREA_KINDS) {
    const init = { by, loadBasis, pageSize: MAX_AREAS };
    const asked = { schema: GetCapacityRequestSchema, init, caller };
    const left = Math.max(1, MAX_AREAS - areas.length);
    const reply = await readPages(service, getCapacity, asked, (page: GetCapacityResponse) => page.areas, left);
    areas.push(...reply.areas.slice(0, MAX_AREAS - areas.length));
    all += reply.totalCount;
    load = reply.measuredLoad;
  }
  return { areas, omitted: all - areas.length, load };
}

function createAreaSamples(
  areas: readonly AreaCapacity[],
  of: (area: AreaCapacity) => number | undefined,
): readonly MetricSample[] {
  return areas.flatMap((area) => {
    const value = of(area);
    return value === undefined ? [] : [{ labels: createAreaLabels(area.ref), value }];
  });
}

/** Returns an area's labels, the kind first, because only areas of one kind can be summed: a site contains floors. */
function createAreaLabels(text: string): Labels {
  const ref = parseRef(text);
  switch (ref?.kind) {
    case "site":
      return { area: ref.kind, site: ref.site };
    case "floor":
      return { area: ref.kind, site: ref.site, floor: String(ref.floor) };
    case "room":
    case "zone":
      return { area: ref.kind, site: ref.site, floor: String(ref.floor), [ref.kind]: ref.name };
    default:
      return { area: text };
  }
}

/** Returns the draw of an area in watts; undefined if nothing of it is recorded. */
function getDrawW({ drawKw, devicesWithoutDraw }: AreaCapacity): number | undefined {
  return isSumUnknown(drawKw, devicesWithoutDraw) ? undefined : convertToWatts(drawKw);
}

/** Converts kilowatts to watts, rounded to thousandths. */
function convertToWatts(kw: number | undefined): number | undefined {
  return kw === undefined ? undefined : Math.round(kw * 1e6) / 1000;
}

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

function createCauseSamples(reply: RehearseFailuresResponse, labels: Labels): readonly MetricSample[] {
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
  const { refs = [], impact } = worst ?? {};
  const createFamily = (name: string, help: string, value: number | undefined): GaugeFamily => ({
    name: `planner_dc_worst_failure_${name}`,
    help,
    samples: value === undefined ? [] : [{ labels: { element: refs.join(" ") }, value }],
  });
  const { itLoadLostW, itDevicesWithoutDraw = 0 } = impact ?? {};
  return [
    createFamily(
      "devices",
      "Devices that go offline or lose their last data path with the single failure that takes most.",
      worst && (impact?.itDevicesOffline ?? 0) + worst.devicesWithoutDataPathCount,
    ),
    createFamily("racks_dark", "Racks that go dark with that failure.", worst && (impact?.racksDark ?? 0)),
    createFamily(
      "it_load_watts",
      "IT load lost with that failure.",
      isSumUnknown(itLoadLostW ?? 0, itDevicesWithoutDraw) ? undefined : itLoadLostW,
    ),
    createFamily(
      // Prometheus counts in bytes.
      "fabric_bytes_per_second",
      "Capacity of the fabric links that go down with that failure.",
      worst && worst.fabricLostMbps * 125_000,
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
  const counts = new Map<string, Map<string, { readonly labels: Labels; value: number }>>();
  for (const { texts } of rows) {
    const { site, floor, room } = texts;
    const byValue = counts.getOrInsertComputed(JSON.stringify([site, floor, room]), () => new Map());
    const value = texts[column]?.toLowerCase() ?? "";
    byValue.getOrInsert(value, { labels: { site, floor, room, [column]: value }, value: 0 }).value++;
  }
  const rooms = [...counts].sort(([a], [b]) => compareText(a, b)).slice(0, MAX_ROOMS);
  return rooms.flatMap(([, byValue]) => [...byValue.values()]);
}

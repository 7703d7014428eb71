import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Caller } from "#dc/context.ts";
import { listAllWindows } from "#dc/every_window.ts";
import type { ReadingAge } from "#dc/model/readings/reading_store.ts";
import { IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { type ListedWindow, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import type { GaugeFamily } from "#interfaces/http/metric_text.ts";
import { readAreaGauges } from "./area_gauges.ts";
import { CachedFacts } from "./held_facts.ts";
import { type MetricsReader, readRiskGauges } from "./risk_gauges.ts";

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

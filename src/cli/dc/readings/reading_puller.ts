import { setTimeout as sleep } from "node:timers/promises";
import type { DcService } from "#dc/service.ts";
import { Outage } from "#kernel/outage.ts";
import { formatCountOf } from "#words/names.ts";
import { queryPrometheus } from "./ask_prometheus.ts";
import type { ReadingMapping, ReadingQuery } from "./mapping_file.ts";
import { type StoredSeries, storeSeries } from "./take_series.ts";

/** Maximum number of series that one log line names. */
const NAMED = 3;

/** A query, the time of its next run, and the last message about it. */
interface ScheduledQuery {
  readonly query: ReadingQuery;
  readonly outage: Outage;
  due: number;
  said: string;
}

interface Needs {
  readonly service: DcService;
  readonly mapping: ReadingMapping;
  /** Writes a log line. */
  readonly say: (message: string) => void;
}

/**
 * Runs the queries of a mapping repeatedly, one after another, and stores their series as readings, until the signal
 * aborts. A query that fails runs again at its next time. The start and the end of a failure are each logged once.
 */
export async function pullReadings({ service, mapping, say }: Needs, signal: AbortSignal): Promise<void> {
  const all = mapping.queries.map((query): ScheduledQuery => {
    const shown = `Query ${JSON.stringify(query.query)}`;
    const words = { gone: (why: string) => `${shown} failed: ${why}`, back: `${shown} works again` };
    return { query, outage: new Outage(words, say), due: performance.now(), said: "" };
  });
  while (!signal.aborted) {
    const next = all.reduce((first, one) => (one.due < first.due ? one : first));
    const waitMs = next.due - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    next.due = performance.now() + next.query.everyS * 1000;
    try {
      const series = await queryPrometheus(mapping.address, next.query.query, signal);
      const { source } = mapping;
      const taken = await storeSeries(service, { query: next.query, source }, { series, isTrial: false });
      next.outage.worked();
      logSkippedSeries(next, taken, say);
    } catch (error) {
      if (!signal.aborted) next.outage.failed((error as Error).message);
    }
  }
}

/** Logs the number of skipped series and the first ones when they change. */
function logSkippedSeries(
  asked: ScheduledQuery,
  { series, untakenCount, untaken }: StoredSeries,
  say: (message: string) => void,
): void {
  const first = untaken.slice(0, NAMED).map((one) => `${one.series}: ${one.reason}`);
  const line =
    untakenCount === 0
      ? ""
      : `${untakenCount} of ${formatCountOf(series, "series", "series")} not taken, such as ${first.join("; ")}`;
  if (line !== asked.said && line !== "") say(`Query ${JSON.stringify(asked.query.query)}: ${line}`);
  asked.said = line;
}

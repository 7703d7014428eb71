import { setTimeout as sleep } from "node:timers/promises";
import type { DcService } from "#dc/service.ts";
import { OutageReporter } from "#kernel/outage.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { queryPrometheus, type ReadingMapping, type ReadingQuery } from "./mapping_file.ts";
import { type StoredSeries, storeSeries } from "./take_series.ts";

/** Maximum number of series that one log line names. */
const MAX_NAMED_SERIES = 3;

/** A query, the time of its next run, and the last message about it. */
interface ScheduledQuery {
  readonly query: ReadingQuery;
  readonly outage: OutageReporter;
  dueAt: number;
  lastMessage: string;
}

/**
 * Runs the queries of a mapping repeatedly, one after another, and stores their series as readings, until the signal
 * aborts. A query that fails runs again at its next time. The start and the end of a failure are each logged once.
 */
export async function pullReadings(
  service: DcService,
  mapping: ReadingMapping,
  say: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const all = mapping.queries.map((query): ScheduledQuery => {
    const shown = `Query ${JSON.stringify(query.query)}`;
    const words = { gone: (why: string) => `${shown} failed: ${why}`, back: `${shown} works again` };
    return { query, outage: new OutageReporter(words, say), dueAt: performance.now(), lastMessage: "" };
  });
  while (!signal.aborted) {
    const next = all.reduce((first, one) => (one.dueAt < first.dueAt ? one : first));
    const waitMs = next.dueAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    next.dueAt = performance.now() + next.query.intervalS * 1000;
    try {
      const series = await queryPrometheus(mapping.address, next.query.query, signal);
      const { source } = mapping;
      const taken = await storeSeries(service, { query: next.query, source }, { series, isTrial: false });
      next.outage.recordSuccess();
      logSkippedSeries(next, taken, say);
    } catch (error) {
      if (!signal.aborted) next.outage.recordFailure((error as Error).message);
    }
  }
}

/** Logs the number of skipped series and the first ones when they change. */
function logSkippedSeries(
  asked: ScheduledQuery,
  { seriesCount, skippedCount, skipped }: StoredSeries,
  say: (message: string) => void,
): void {
  const first = skipped.slice(0, MAX_NAMED_SERIES).map((one) => `${one.series}: ${one.reason}`);
  const line =
    skippedCount === 0
      ? ""
      : `${skippedCount} of ${formatCountWithNoun(seriesCount, "series", "series")} not taken, such as ${first.join("; ")}`;
  if (line !== asked.lastMessage && line !== "") say(`Query ${JSON.stringify(asked.query.query)}: ${line}`);
  asked.lastMessage = line;
}

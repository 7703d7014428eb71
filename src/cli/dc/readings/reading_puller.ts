import { setTimeout as sleep } from "node:timers/promises";
import type { DcService } from "#dc/service.ts";
import { Outage } from "#kernel/outage.ts";
import { formatCountOf } from "#words/names.ts";
import { askPrometheus } from "./ask_prometheus.ts";
import type { ReadingMapping, ReadingQuery } from "./mapping_file.ts";
import { type Taken, takeSeries } from "./take_series.ts";

/** Series that a line of the log names. */
const NAMED = 3;

/** A query, when it is due, and what was last said about it. */
interface Asked {
  readonly query: ReadingQuery;
  readonly outage: Outage;
  due: number;
  said: string;
}

interface Needs {
  readonly service: DcService;
  readonly mapping: ReadingMapping;
  /** Writes a line of the log. */
  readonly say: (message: string) => void;
}

/**
 * Asks the queries of a mapping again and again, one after another, and reports their series as readings, until the signal
 * aborts. A query that fails is asked again at its next time; it is logged once, and once when it works again.
 */
export async function pullReadings({ service, mapping, say }: Needs, signal: AbortSignal): Promise<void> {
  const all = mapping.queries.map((query): Asked => {
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
      const series = await askPrometheus(mapping.address, next.query.query, signal);
      const { source } = mapping;
      const taken = await takeSeries(service, { query: next.query, source }, { series, isTrial: false });
      next.outage.worked();
      sayUntaken(next, taken, say);
    } catch (error) {
      if (!signal.aborted) next.outage.failed((error as Error).message);
    }
  }
}

/** Logs how many series were not taken whenever that changes. */
function sayUntaken(asked: Asked, { series, untakenCount, untaken }: Taken, say: (message: string) => void): void {
  const first = untaken.slice(0, NAMED).map((one) => `${one.series}: ${one.reason}`);
  const line =
    untakenCount === 0
      ? ""
      : `${untakenCount} of ${formatCountOf(series, "series", "series")} not taken, such as ${first.join("; ")}`;
  if (line !== asked.said && line !== "") say(`Query ${JSON.stringify(asked.query.query)}: ${line}`);
  asked.said = line;
}

import { setTimeout as sleep } from "node:timers/promises";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Caller } from "#dc/context.ts";
import { reportReadings } from "#dc/operations/planning/readings/readings.ts";
import type { DcService } from "#dc/service.ts";
import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import {
  ReadingQuantity,
  type ReadingSchema,
  ReportReadingsRequestSchema,
  type ReportReadingsResponse,
} from "#gen/datacenter/v1/readings_pb.ts";
import { OutageReporter } from "#kernel/notices.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { print, printJson, sanitizeLine } from "../../output/print.ts";
import type { DatabaseLocation } from "../database.ts";
import { withService } from "../with_service.ts";
import {
  convertValue,
  type MeasuredSeries,
  queryPrometheus,
  type ReadingMapping,
  type ReadingQuery,
  readReadingMapping,
} from "./mapping_file.ts";

/** Maximum number of series that one log line names. */
const MAX_NAMED_SERIES = 3;

/** Maximum number of skipped series that are printed per query. */
const MAX_PRINTED_SERIES = 20;

const MAX_EXAMPLES = 3;
const MAX_LISTED_SERIES = 1000;
/** Maximum time of a date, in milliseconds. Source: ECMAScript, 21.4.1.1. */
const MAX_TIME_MS = 8.64e15;
/** Maximum length of a series or a reason that is printed, in characters. */
const MAX_SHOWN_CHARS = 300;

/** Caller for the server itself, which may only report readings. */
const READINGS_CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "readings", roles: ["meter"], authMethod: "none" },
};

/** A query, the time of its next run, and the last message about it. */
interface ScheduledQuery {
  readonly query: ReadingQuery;
  readonly outage: OutageReporter;
  dueAt: number;
  lastMessage: string;
}

/** A series that was not stored as a reading, and the reason. */
export interface SkippedSeries {
  /** Labels of the series, as PromQL writes them. */
  readonly series: string;
  readonly reason: string;
}

/** Numbers of series of a query that were stored, and of those that were skipped. */
interface StoredSeries {
  readonly seriesCount: number;
  readonly storedCount: number;
  /** Number of all skipped series, of which at most a thousand are listed. */
  readonly skippedCount: number;
  readonly skipped: readonly SkippedSeries[];
  /** The first readings, for a person to compare. */
  readonly examples: readonly string[];
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

/** Runs each query of a mapping once and prints the readings that would be stored. Stores nothing. */
export async function checkReadings(
  file: string,
  database: DatabaseLocation,
  { json }: { readonly json: boolean },
): Promise<ExitStatus> {
  const { address, source, queries } = await readReadingMapping(file);
  const checked = await withService(database, async (service) => {
    const all: CheckedQuery[] = [];
    for (const query of queries) {
      try {
        const series = await queryPrometheus(address, query.query);
        all.push({ query, result: await storeSeries(service, { query, source }, { series, isTrial: true }) });
      } catch (error) {
        all.push({ query, failure: (error as Error).message });
      }
    }
    return all;
  });
  if (json) printJson({ queries: checked.map(convertQueryToJson) });
  else for (const [index, one] of checked.entries()) print(formatQuery(index + 1, one));
  const isClean = checked.every(
    ({ result }) => result !== undefined && result.skippedCount === 0 && result.seriesCount > 0,
  );
  return isClean ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

/** Stores the series of a query as readings; with `isTrial`, only checks them. */
export async function storeSeries(
  service: DcService,
  { query, source }: { readonly query: ReadingQuery; readonly source: string },
  { series, isTrial }: { readonly series: readonly MeasuredSeries[]; readonly isTrial: boolean },
): Promise<StoredSeries> {
  const { readings, untaken } = convertSeries(query, series);
  const failed: SkippedSeries[] = [...untaken];
  const examples: ConvertedSeries[] = [];
  let failures = untaken.length;
  for (let at = 0; at < readings.length; at += LIST_SIZES.ReportReadingsRequest.readings) {
    const some = readings.slice(at, at + LIST_SIZES.ReportReadingsRequest.readings);
    const request = create(ReportReadingsRequestSchema, {
      readings: some.map(({ reading }) => reading),
      source,
      validateOnly: isTrial,
    });
    const reply = (await service.call(reportReadings, request, READINGS_CALLER)) as ReportReadingsResponse;
    failures += reply.failed;
    for (const { index, error } of reply.failures) {
      failed.push({ series: some[index]?.shown ?? "", reason: shortenText(error?.message ?? "") });
    }
    // A reply lists only the first failures, so the result of later series is unknown.
    if (reply.failed === reply.failures.length) {
      const lost = new Set(reply.failures.map(({ index }) => index));
      examples.push(...some.filter((_, index) => !lost.has(index)).slice(0, MAX_EXAMPLES));
    }
  }
  return {
    seriesCount: series.length,
    storedCount: series.length - failures,
    skippedCount: failures,
    skipped: failed.slice(0, MAX_LISTED_SERIES),
    examples: examples.slice(0, MAX_EXAMPLES).map(({ reading }) => `${reading.elementRef} ${reading.value}`),
  };
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

/** A query with the result for its series, or the reason of its failure. */
interface CheckedQuery {
  readonly query: ReadingQuery;
  readonly result?: StoredSeries;
  readonly failure?: string;
}

function convertQueryToJson({ query: { query, quantity }, result, failure }: CheckedQuery) {
  if (result === undefined) return { query, quantity, failure };
  const { seriesCount, storedCount: count, skippedCount, skipped } = result;
  return { query, quantity, series: seriesCount, taken: count, untaken_count: skippedCount, untaken: skipped };
}

function formatQuery(number: number, { query: { query, quantity }, result, failure }: CheckedQuery): string {
  const head = `${number}. ${quantity}: ${sanitizeLine(query)}`;
  if (result === undefined) return `${head}\n   failed: ${sanitizeLine(failure ?? "")}\n`;
  const { seriesCount, examples, skipped, skippedCount } = result;
  const counts = `${formatCountWithNoun(seriesCount, "series", "series")}, ${result.storedCount} taken, ${skippedCount} not`;
  const shown = skipped
    .slice(0, MAX_PRINTED_SERIES)
    .map((one) => `   not: ${sanitizeLine(one.series)}: ${sanitizeLine(one.reason)}`);
  const more = skippedCount > shown.length ? [`   and ${skippedCount - shown.length} more`] : [];
  return `${[head, `   ${counts}`, ...examples.map((one) => `   ${sanitizeLine(one)}`), ...shown, ...more].join("\n")}\n`;
}

type GivenReading = MessageInitShape<typeof ReadingSchema> & { readonly elementRef: string };

interface ConvertedSeries {
  readonly shown: string;
  readonly reading: GivenReading;
}

/** Converts series to readings. An element with several series gets none, because the right one is unknown. */
function convertSeries({ quantity, element, conversion }: ReadingQuery, series: readonly MeasuredSeries[]) {
  const untaken: SkippedSeries[] = [];
  const byElement = new Map<string, ConvertedSeries[]>();
  for (const { labels, value, at } of series) {
    const shown = formatSeries(labels);
    const elementRef = fillTemplate(element, labels);
    if (typeof elementRef !== "string") {
      untaken.push({ series: shown, reason: `It has no label "${elementRef.missing}"` });
      continue;
    }
    if (Math.abs(at) > MAX_TIME_MS) {
      untaken.push({ series: shown, reason: `Its time is ${at / 1000}: expected seconds since 1970` });
      continue;
    }
    const reading = {
      elementRef,
      quantity: ReadingQuantity[quantity],
      value: convertValue(value, conversion),
      ...(Number.isFinite(at) && { time: timestampFromMs(at) }),
    };
    const key = elementRef.toLowerCase();
    const known = byElement.get(key);
    if (known === undefined) byElement.set(key, [{ shown, reading }]);
    else known.push({ shown, reading });
  }
  const readings: ConvertedSeries[] = [];
  for (const [, all] of byElement) {
    if (all.length === 1) readings.push(...all);
    else {
      const reason = shortenText(`${all.length} series name ${all[0]?.reading.elementRef}: expected one`);
      untaken.push(...all.map(({ shown }) => ({ series: shown, reason })));
    }
  }
  return { readings, untaken };
}

/** Replaces the labels in a template by those of the series. */
function fillTemplate(template: string, labels: MeasuredSeries["labels"]): string | { readonly missing: string } {
  let missing: string | undefined;
  const text = template.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    if (typeof value === "string" && value !== "") return value;
    missing ??= name;
    return "";
  });
  return missing === undefined ? text : { missing };
}

function formatSeries({ __name__: name = "", ...labels }: MeasuredSeries["labels"]): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return shortenText(`${name}{${pairs.join(",")}}`);
}

function shortenText(given: string): string {
  const text = given.slice(0, 2 * MAX_SHOWN_CHARS).replace(/\p{C}/gu, " ");
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : text;
}

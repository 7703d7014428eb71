import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Caller } from "#dc/context.ts";
import { MAX_READINGS } from "#dc/limits.ts";
import { reportReadings } from "#dc/operations/planning/readings/report_readings.ts";
import type { DcService } from "#dc/service.ts";
import {
  ReadingQuantity,
  type ReadingSchema,
  ReportReadingsRequestSchema,
  type ReportReadingsResponse,
} from "#gen/datacenter/v1/readings_pb.ts";
import type { Series } from "./ask_prometheus.ts";
import type { ReadingQuery } from "./mapping_file.ts";
import { convertValue } from "./units.ts";

/** A series that is no reading, and why. */
export interface Untaken {
  /** Its labels, as PromQL writes them. */
  readonly series: string;
  readonly reason: string;
}

/** Counts of the series of a query that are readings, and of the others. */
export interface Taken {
  readonly series: number;
  readonly taken: number;
  /** Those that were not taken: all are counted, the first thousand listed. */
  readonly untakenCount: number;
  readonly untaken: readonly Untaken[];
  /** The first readings, for a person to compare. */
  readonly examples: readonly string[];
}

const EXAMPLES = 3;
const LISTED = 1000;
/** Times that a date can have, in milliseconds. Source: ECMAScript, 21.4.1.1. */
const MOST_MS = 8.64e15;
/** Longest text of a series, or of a reason, that is shown. */
const MAX_SHOWN_CHARS = 300;

/** The server itself, which reports and does nothing else. */
const CALLER: Caller = { interface: "SYSTEM", principal: { name: "readings", roles: ["meter"], authMethod: "none" } };

/** Reports the series of a query. @param isTrial checks them, and keeps none */
export async function takeSeries(
  service: DcService,
  { query, source }: { readonly query: ReadingQuery; readonly source: string },
  { series, isTrial }: { readonly series: readonly Series[]; readonly isTrial: boolean },
): Promise<Taken> {
  const { readings, untaken } = readingsOf(query, series);
  const failed: Untaken[] = [...untaken];
  const examples: Read[] = [];
  let failures = untaken.length;
  for (let at = 0; at < readings.length; at += MAX_READINGS) {
    const some = readings.slice(at, at + MAX_READINGS);
    const request = create(ReportReadingsRequestSchema, {
      readings: some.map(({ reading }) => reading),
      source,
      validateOnly: isTrial,
    });
    const reply = (await service.call(reportReadings, request, CALLER)) as ReportReadingsResponse;
    failures += reply.failed;
    for (const { index, error } of reply.failures) {
      failed.push({ series: some[index]?.shown ?? "", reason: shownText(error?.message ?? "") });
    }
    // A reply lists the first failures only: of the series behind them nothing is known.
    if (reply.failed === reply.failures.length) {
      const lost = new Set(reply.failures.map(({ index }) => index));
      examples.push(...some.filter((_, index) => !lost.has(index)).slice(0, EXAMPLES));
    }
  }
  return {
    series: series.length,
    taken: series.length - failures,
    untakenCount: failures,
    untaken: failed.slice(0, LISTED),
    examples: examples.slice(0, EXAMPLES).map(exampleOf),
  };
}

type GivenReading = MessageInitShape<typeof ReadingSchema> & { readonly elementRef: string };

interface Read {
  readonly shown: string;
  readonly reading: GivenReading;
}

/** Readings of series. An element of two series has none: nothing says which one is meant. */
function readingsOf({ quantity, element, conversion }: ReadingQuery, series: readonly Series[]) {
  const untaken: Untaken[] = [];
  const byElement = new Map<string, Read[]>();
  for (const { labels, value, at } of series) {
    const shown = shownSeries(labels);
    const elementRef = fillTemplate(element, labels);
    if (typeof elementRef !== "string") {
      untaken.push({ series: shown, reason: `It has no label "${elementRef.missing}"` });
      continue;
    }
    if (Math.abs(at) > MOST_MS) {
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
  const readings: Read[] = [];
  for (const [, all] of byElement) {
    if (all.length === 1) readings.push(...all);
    else {
      const reason = shownText(`${all.length} series name ${all[0]?.reading.elementRef}: expected one`);
      untaken.push(...all.map(({ shown }) => ({ series: shown, reason })));
    }
  }
  return { readings, untaken };
}

/** A template with the labels of a series in it. */
function fillTemplate(template: string, labels: Series["labels"]): string | { readonly missing: string } {
  let missing: string | undefined;
  const text = template.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    if (typeof value === "string" && value !== "") return value;
    missing ??= name;
    return "";
  });
  return missing === undefined ? text : { missing };
}

function shownSeries({ __name__: name = "", ...labels }: Series["labels"]): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return shownText(`${name}{${pairs.join(",")}}`);
}

function shownText(given: string): string {
  const text = given.slice(0, 2 * MAX_SHOWN_CHARS).replace(/\p{C}/gu, " ");
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : text;
}

function exampleOf({ reading: { elementRef, value } }: Read): string {
  return `${elementRef} ${value}`;
}

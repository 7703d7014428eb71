import {
  buildMeasuredTopology,
  formatFindingKey,
  getFindingSubject,
  getMinDurationMs,
  type ReadingFinding,
} from "#dc/analysis/measured/measured_topology.ts";
import { ClassifiedReadings, hasSupplyMeters, listReadingFindings } from "#dc/analysis/measured/reading_findings.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { type DcReader, type DcWriter, readDocumentPages } from "#dc/ports.ts";
import type { CooperativeScheduler } from "../../answers/cooperative_scheduler.ts";

/** Document space with the time at which each finding began, in milliseconds since 1970. */
const FINDING_STARTS_SPACE = "reading_finding";
const PAGE_SIZE = 2000;

/** A finding with the time when it was first seen, in milliseconds since 1970. */
export interface DatedFinding extends ReadingFinding {
  readonly since: number;
}

/** Input of a search for findings in one snapshot. */
interface FindingSearch {
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
  /** The inventory's graphs, with recorded draws. */
  readonly topology: Topology;
  /** Time of the search, in milliseconds since 1970. */
  readonly now: number;
}

/** Findings of a search, and the time until which they are valid if nothing changes. */
export interface FoundFindings {
  /** Findings that have lasted long enough to be reported. */
  readonly findings: readonly DatedFinding[];
  readonly until: number;
  /** Start of each finding by key, including findings that are too young to be reported. */
  readonly starts: ReadonlyMap<string, number>;
}

/** Finds differences between readings and recorded values. Cost: all readings, and up to two builds of the graphs. */
export async function findFindings(search: FindingSearch): Promise<FoundFindings> {
  const { reader, scheduler, topology, now } = search;
  const readings = await readSortedReadings(search);
  const watts = new Map([...(readings.current.get("POWER_W") ?? [])].map(([key, { value }]) => [key, value]));
  const differences = hasSupplyMeters(topology, watts)
    ? (await scheduler.run(buildMeasuredTopology(topology, watts))).coverage.differences
    : [];
  const all = await scheduler.run(listReadingFindings(topology, readings, differences));
  const known = await readFindingStarts(reader);
  const starts = new Map<string, number>();
  const findings: DatedFinding[] = [];
  let until = readings.nextStop;
  for (const one of all) {
    const key = formatFindingKey(one);
    // Findings about stopped readings contain their own start.
    const since = one.kind === "READING_STOPPED" ? one.at : Math.min(known.get(key) ?? one.at, one.at);
    if (one.kind !== "READING_STOPPED") starts.set(key, since);
    const reportableAt = since + getMinDurationMs(one);
    if (reportableAt <= now) findings.push({ ...one, since });
    else until = Math.min(until, reportableAt);
  }
  // What was found by readings that stopped has not ended: the clock may be wrong, and the value is unknown.
  for (const [key, since] of known)
    if (!starts.has(key) && readings.isStopped(getFindingSubject(key))) starts.set(key, since);
  return { findings, until, starts };
}

async function readSortedReadings({ reader, scheduler, now }: FindingSearch): Promise<ClassifiedReadings> {
  const sorted = new ClassifiedReadings(now);
  for (let after: { readonly key: string; readonly quantity: string } | undefined; ; ) {
    const page = await reader.readings({ withDays: false, limit: PAGE_SIZE, ...(after !== undefined && { after }) });
    for (const one of page) {
      sorted.addReading(one);
      await scheduler.yieldIfDue();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return sorted;
    after = { key: last.element.key, quantity: last.quantity };
  }
}

/** Reads the start of each finding by key, in milliseconds since 1970. */
export async function readFindingStarts(reader: DcReader): Promise<ReadonlyMap<string, number>> {
  const starts = new Map<string, number>();
  for await (const page of readDocumentPages(reader, FINDING_STARTS_SPACE)) {
    for (const { key, body } of page) starts.set(key, Number(body));
  }
  return starts;
}

/** Stores the start of each finding, and removes findings that ended. @param starts starts of all current findings */
export async function storeFindingStarts(writer: DcWriter, starts: ReadonlyMap<string, number>): Promise<void> {
  const known = await readFindingStarts(writer);
  for (const [key, since] of starts) {
    if (known.get(key) !== since) await writer.putDocument(FINDING_STARTS_SPACE, key, String(since));
  }
  for (const key of known.keys()) if (!starts.has(key)) await writer.dropDocument(FINDING_STARTS_SPACE, key);
}

/** Whether the stored starts of findings equal the given ones. */
export async function areFindingStartsStored(reader: DcReader, starts: ReadonlyMap<string, number>): Promise<boolean> {
  const known = await readFindingStarts(reader);
  return known.size === starts.size && [...starts].every(([key, since]) => known.get(key) === since);
}

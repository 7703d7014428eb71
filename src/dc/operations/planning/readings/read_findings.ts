import { getHoldMs, type ReadingFinding, toFindingKey } from "#dc/analysis/measured/finding.ts";
import { buildMeasuredTopology } from "#dc/analysis/measured/measured_topology.ts";
import { hasSupplyMeters, listReadingFindings, SortedReadings } from "#dc/analysis/measured/reading_findings.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { DcReader, DcWriter } from "#dc/ports.ts";
import type { CooperativeScheduler } from "../../answers/cooperative_scheduler.ts";

/** The space of documents that holds when each finding began, in milliseconds since 1970. */
const STARTS = "reading_finding";
const READ_AT_ONCE = 2000;

/** A finding with when it was first seen, in milliseconds since 1970. */
export interface DatedFinding extends ReadingFinding {
  readonly since: number;
}

/** A snapshot in which findings are looked for. */
interface Search {
  readonly reader: DcReader;
  readonly scheduler: CooperativeScheduler;
  /** The inventory's graphs, with recorded draws. */
  readonly topology: Topology;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a search found, and until when it holds if nothing changes. */
export interface FoundFindings {
  /** Those that have lasted long enough to count. */
  readonly findings: readonly DatedFinding[];
  readonly until: number;
  /** When each began, by key: those that do not count yet included. */
  readonly starts: ReadonlyMap<string, number>;
}

/** Finds where readings differ from what is recorded. Cost: all readings, and up to two builds of the graphs. */
export async function findFindings(search: Search): Promise<FoundFindings> {
  const { reader, scheduler, topology, now } = search;
  const readings = await sortedReadings(search);
  const watts = new Map([...(readings.current.get("POWER_W") ?? [])].map(([key, { value }]) => [key, value]));
  const differences = hasSupplyMeters(topology, watts)
    ? (await scheduler.run(buildMeasuredTopology(topology, watts))).share.differences
    : [];
  const all = await scheduler.run(listReadingFindings(topology, readings, differences));
  const known = await findingStarts(reader);
  const starts = new Map<string, number>();
  const findings: DatedFinding[] = [];
  let until = readings.nextStop;
  for (const one of all) {
    const key = toFindingKey(one);
    // Readings that stopped say themselves since when.
    const since = one.kind === "READING_STOPPED" ? one.at : Math.min(known.get(key) ?? one.at, one.at);
    if (one.kind !== "READING_STOPPED") starts.set(key, since);
    const counts = since + getHoldMs(one);
    if (counts <= now) findings.push({ ...one, since });
    else until = Math.min(until, counts);
  }
  return { findings, until, starts };
}

async function sortedReadings({ reader, scheduler, now }: Search): Promise<SortedReadings> {
  const sorted = new SortedReadings(now);
  for (let after: { readonly key: string; readonly quantity: string } | undefined; ; ) {
    const page = await reader.readings({ withDays: false, limit: READ_AT_ONCE, ...(after !== undefined && { after }) });
    for (const one of page) {
      sorted.add(one);
      await scheduler.yieldIfDue();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < READ_AT_ONCE) return sorted;
    after = { key: last.element.key, quantity: last.quantity };
  }
}

async function findingStarts(reader: DcReader): Promise<ReadonlyMap<string, number>> {
  const starts = new Map<string, number>();
  for (let after = ""; ; ) {
    const page = await reader.documents(STARTS, after, READ_AT_ONCE);
    for (const { key, body } of page) starts.set(key, Number(body));
    const last = page.at(-1);
    if (last === undefined || page.length < READ_AT_ONCE) return starts;
    after = last.key;
  }
}

/**
 * Keeps when findings began, and forgets those that ended.
 * @param starts of all findings that there are
 */
export async function keepStarts(writer: DcWriter, starts: ReadonlyMap<string, number>): Promise<void> {
  const known = await findingStarts(writer);
  for (const [key, since] of starts) {
    if (known.get(key) !== since) await writer.putDocument(STARTS, key, String(since));
  }
  for (const key of known.keys()) if (!starts.has(key)) await writer.dropDocument(STARTS, key);
}

/** Whether what is kept differs from what was found. */
export async function areStartsKept(reader: DcReader, starts: ReadonlyMap<string, number>): Promise<boolean> {
  const known = await findingStarts(reader);
  return known.size === starts.size && [...starts].every(([key, since]) => known.get(key) === since);
}

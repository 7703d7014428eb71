import { ClassifiedReadings, hasSupplyMeters, listReadingFindings } from "#dc/analysis/measured/reading_findings.ts";
import type { DcReader, DcWriter } from "#dc/ports.ts";
import { ListFindingsResponseSchema, ReadingFindingSchema } from "#gen/datacenter/v1/findings_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { formatCountWithNoun, getRefName, listSomeNames } from "#words/names.ts";
import {
  buildMeasuredTopology,
  formatFindingKey,
  getFindingSubject,
  getMinDurationMs,
  type ReadingFinding,
} from "../../../analysis/measured/measured_topology.ts";
import { isLocatedIn } from "../../../analysis/places.ts";
import type { Topology } from "../../../analysis/topology.ts";
import { FINDING_KINDS, HEALTHS } from "../../../model/enum_values.ts";
import { codeKey, compareText, parseRef, toRefKey } from "../../../model/ref.ts";
import type { Location } from "../../../model/resources.ts";
import type { CooperativeScheduler } from "../../answers/cooperative_scheduler.ts";
import { createPaginator, readEnumValue, readScope, requireMaxFilterValues } from "../../answers/parameters.ts";
import { readDocumentPages } from "../../database_pages.ts";
import { convertToMessage } from "../../messages/convert.ts";
import { defineRead, type ReadSession } from "../../rpc.ts";

/** Maximum number of related elements that a reply lists; its figures count all of them. */
const MAX_LISTED_ELEMENTS = 10;
/** Maximum number of related elements that a summary names. */
const MAX_NAMED_RELATED = 3;

export function createFindingMessage(topology: Topology, finding: DatedFinding) {
  return convertToMessage(ReadingFindingSchema, {
    ...finding,
    elementRef: finding.ref,
    since: new Date(finding.since).toISOString(),
    summary: describeFinding(finding),
    relatedRefs: finding.related?.slice(0, MAX_LISTED_ELEMENTS),
    ...findElementLocation(topology, finding.ref),
  });
}

/** Returns the location of a measured element; for a port or a feed, the location of its device. */
function findElementLocation(
  topology: Topology,
  text: string,
): { readonly location?: Location; readonly rackCode?: string } {
  const ref = parseRef(text);
  if (ref?.kind === "rack") return selectLocationFields({ ...topology.rack(codeKey(ref.code)), rackCode: ref.code });
  if (ref?.kind === "crac") return selectLocationFields(topology.crac(codeKey(ref.code)));
  if (ref?.kind === "device") return selectLocationFields(topology.device(codeKey(ref.code)));
  if (ref?.kind === "port") return selectLocationFields(topology.device(codeKey(ref.end.deviceCode)));
  const { power } = topology;
  const node = power.nodes[power.indexOf.get(toRefKey(text)) ?? -1];
  return node?.kind === "OUTLET" ? selectLocationFields(topology.device(codeKey(node.end.deviceCode))) : {};
}

function selectLocationFields(at: { readonly location?: Location; readonly rackCode?: string } | undefined) {
  const { location, rackCode } = at ?? {};
  return { ...(location !== undefined && { location }), ...(rackCode !== undefined && { rackCode }) };
}

function describeFinding({ kind, ref, figures, related = [], quantities = [], source = "" }: ReadingFinding): string {
  const name = getRefName(ref);
  const figure = (key: string) => figures[key] ?? 0;
  const [measured, limit] = [formatFigure(figures, "measured"), formatFigure(figures, "limit")];
  const names = listSomeNames(related.map(getRefName), MAX_NAMED_RELATED);
  const words: Readonly<Record<ReadingFinding["kind"], () => string>> = {
    DEAD_SUPPLY: () => {
      const carriedW = figure("carried_w");
      return `${name} carries nothing: other supplies carry ${carriedW > 0 ? formatWatts(carriedW) : "the load"} of ${names}`;
    },
    ABOVE_PLAN: () =>
      `${name} draws ${formatWatts(figure("measured_w"))}, planned are ${formatWatts(figure("planned_w"))}`,
    ABOVE_LIMIT: () =>
      `${name} carries ${measured}, ${formatPercent(figure("used_pct"))} of its rating: limit ${limit}`,
    PHASE_IMBALANCE: () =>
      `${name} carries ${["l1_a", "l2_a", "l3_a"].map((key) => formatDecimal(figure(key))).join(", ")} A on its phases, a spread of ${formatPercent(figure("spread_pct"))}`,
    INLET_ABOVE_ALLOWABLE: () => `${name} takes in ${measured}, its class allows ${limit}`,
    BATTERY_BELOW_RUNTIME: () =>
      `The battery of ${name} lasts ${measured}, recorded are ${formatDecimal(figure("recorded_min"), "min")}`,
    READING_STOPPED: () =>
      ref === ""
        ? `All ${formatCountWithNoun(figure("readings"), "reading")} of ${source} stopped`
        : `${quantities.join(", ")} of ${name} from ${source} stopped`,
    METERS_DIFFER: () =>
      `The meter of ${name} shows ${formatWatts(figure("own_w"))}, those below it ${formatWatts(figure("below_w"))}`,
  };
  return words[kind]();
}

const UNIT_BY_SUFFIX: Readonly<Record<string, string>> = { w: "W", va: "VA", a: "A", c: "°C", min: "min" };

/** Returns the figure whose key is a name and a unit, such as `measured_w`, with its unit; "" if it is missing. */
function formatFigure(figures: ReadingFinding["figures"], name: string): string {
  const [key, value] = Object.entries(figures).find(([one]) => one.startsWith(`${name}_`)) ?? [];
  if (key === undefined || value === undefined) return "";
  const unit = UNIT_BY_SUFFIX[key.slice(name.length + 1)] ?? "";
  return unit === "W" ? formatWatts(value) : formatDecimal(value, unit);
}

export const listFindings = defineRead({
  method: PlanningService.method.listFindings,
  effect: "read",
  alsoReads: "readings",
  async run(session, request) {
    const { scopeRef, ...filter } = request;
    requireMaxFilterValues("kinds", filter.kinds.length);
    const kinds = filter.kinds.map((kind, at) => readEnumValue(`kinds[${at}]`, kind, FINDING_KINDS));
    const isFaultOnly = readEnumValue("min_severity", filter.minSeverity, HEALTHS) === "FAULT";
    const question = ["findings", scopeRef.toLowerCase(), kinds, isFaultOnly];
    const pageOf = createPaginator(session.context.pageKey, request, question);
    const topology = await session.topology();
    const inScope = await listFindingsInScope(session, topology, scopeRef);
    const found = inScope.filter(
      ({ kind, severity }) => (kinds.length === 0 || kinds.includes(kind)) && (!isFaultOnly || severity === "FAULT"),
    );
    const { page, fields } = pageOf(found);
    const faults = found.filter(({ severity }) => severity === "FAULT").length;
    return convertToMessage(ListFindingsResponseSchema, {
      findings: page.map((one) => createFindingMessage(topology, one)),
      ...fields,
      faultCount: faults,
      watchCount: found.length - faults,
    });
  },
});

/** Returns findings in a scope, faults first, then the newest. @param topology the graphs with recorded draws */
export async function listFindingsInScope(
  { reader, scheduler, now, lapsesAt }: Pick<ReadSession, "reader" | "scheduler" | "now" | "lapsesAt">,
  topology: Topology,
  scopeRef: string,
): Promise<readonly DatedFinding[]> {
  const scope = readScope(topology, scopeRef);
  const { findings, until } = await findFindings({ reader, scheduler, topology, now: Date.parse(now) });
  lapsesAt(until);
  return findings
    .filter(({ ref }) => scope === undefined || isLocatedIn(findElementLocation(topology, ref), scope))
    .toSorted(
      (a, b) =>
        compareText(a.severity, b.severity) ||
        b.since - a.since ||
        compareText(a.kind, b.kind) ||
        compareText(a.ref, b.ref),
    );
}

/** Document space with the time at which each finding began, in milliseconds since 1970. */
const FINDING_STARTS_SPACE = "reading_finding";
const PAGE_SIZE = 2000;

/** A finding with the time when it was first seen, in milliseconds since 1970. */
interface DatedFinding extends ReadingFinding {
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

import { selectItDevices } from "#dc/analysis/power/power_nodes.ts";
import { computeTenantImpacts } from "#dc/analysis/power/unknown_draws.ts";
import {
  DEFAULT_KINDS,
  type FailingElement,
  type Failure,
  getElementName,
  getElementRef,
  isInScope,
  listFailingElements,
  suppliesOtherSuppliers,
} from "#dc/analysis/rehearsal/elements.ts";
import { listOfflineRoles, type RehearsalLine } from "#dc/analysis/rehearsal/lines.ts";
import { type FabricLossFinder, rateFailure, selectCoolingNodes } from "#dc/analysis/rehearsal/loss.ts";
import type { Rehearsal } from "#dc/analysis/rehearsal/rehearse.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import {
  FAILURE_KINDS,
  FAILURE_SEVERITIES,
  type FailureKind,
  type FailureSeverity,
  type LoadBasis,
} from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import {
  type RehearseFailuresRequest,
  type RehearseFailuresResponse,
  RehearseFailuresResponseSchema,
} from "#gen/datacenter/v1/rehearsal_pb.ts";
import { formatBandwidth, formatDecimal, formatWatts } from "#words/figures.ts";
import { getKindNoun, getRefName, pluralize } from "#words/names.ts";
import { createPaginator, readCount, readEnumValue, readLoadBasis, readScope } from "../answers/parameters.ts";
import { convertToMessage, limitListFields } from "../messages/convert.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { createFindingMessage, listFindingsInScope } from "./readings/list_findings.ts";
import { createSelectionKey, rehearseNamedOnce, rehearseOnce } from "./rehearsals.ts";

/** Default number of elements and losses that each cause lists, and their maximum. */
const DEFAULT_LISTED = 10;
const MAX_LISTED = 1000;
/** Maximum number of elements from which pairs are formed. Our choice: 12.5 million pairs take about a minute. */
const MAX_PAIRED_ELEMENTS = 5000;

export const rehearseFailures = defineRead({
  method: PlanningService.method.rehearseFailures,
  effect: "read",
  async run(session, request) {
    const asked = parseRehearsalRequest(session, request);
    const topology = await session.topology();
    const { revision, rehearsal } = await runRehearsal(session, topology, request);
    const lines = rehearsal.lines.filter(({ severity }) => rankSeverity(severity) >= asked.least);
    const { page, fields } = asked.pageOf(lines);
    const basis = readLoadBasis(request.loadBasis);
    const shown = await findMeasuredRisks(session, request, asked.listed);
    return convertToMessage(RehearseFailuresResponseSchema, {
      revision,
      causes: page.map((line) => createCauseMessage(topology, rehearsal, line, { limit: asked.listed, basis })),
      ...fields,
      elementsFailed: rehearsal.elements,
      pairsFailed: rehearsal.pairs,
      harmless: rehearsal.harmless,
      ...countBySeverity(lines),
      worst: createWorstMessage(topology, rehearsal, basis),
      ...shown,
    });
  },
});

/** Returns the findings of readings in the scope as reply fields; empty unless the request uses measured loads. */
async function findMeasuredRisks(
  session: ReadSession,
  { loadBasis, scopeRef }: RehearseFailuresRequest,
  listed: number,
): Promise<Pick<Partial<RehearseFailuresResponse>, "findings" | "omittedFindings">> {
  const basis = readLoadBasis(loadBasis);
  if (basis !== "MEASURED" && basis !== "MEASURED_PEAK") return {};
  const topology = await session.topology("recorded");
  const found = await listFindingsInScope(session, topology, scopeRef);
  return limitListFields("findings", found, listed, (one) => createFindingMessage(topology, one));
}

/** Parses the severity, list limit and page of a request. @throws Refusal naming the field */
function parseRehearsalRequest({ context }: ReadSession, request: RehearseFailuresRequest) {
  const least = readEnumValue("min_severity", request.minSeverity, FAILURE_SEVERITIES) ?? "INFO";
  const { pageToken: _, pageSize: __, ...question } = request;
  const listed = readCount("max_elements", request.maxElements, { usual: DEFAULT_LISTED, most: MAX_LISTED });
  return { least: rankSeverity(least), listed, pageOf: createPaginator(context.pageKey, request, question) };
}

function rankSeverity(severity: FailureSeverity): number {
  return FAILURE_SEVERITIES.indexOf(severity);
}

function countBySeverity(lines: readonly RehearsalLine[]) {
  const count = (wanted: FailureSeverity) => lines.filter(({ severity }) => severity === wanted).length;
  return {
    criticalCount: count("CRITICAL"),
    highCount: count("HIGH"),
    mediumCount: count("MEDIUM"),
    lowCount: count("LOW"),
    infoCount: count("INFO"),
  };
}

async function runRehearsal(
  session: ReadSession,
  topology: Topology,
  request: RehearseFailuresRequest,
): Promise<{ readonly revision: number; readonly rehearsal: Rehearsal }> {
  const { cascade, assumeBattery, scopeRef } = request;
  const options = { basis: readLoadBasis(request.loadBasis), cascade, assumeBattery };
  const kinds = request.kinds.map((kind, at) => parseFailureKind(`kinds[${at}]`, kind));
  const scope = readScope(topology, scopeRef);
  const choice = createSelectionKey(scopeRef, kinds);
  if (kinds.some((kind) => !DEFAULT_KINDS.has(kind))) {
    if (request.pairs) throw createPairKindRefusal(kinds);
    const question = { options, choice, kinds: new Set(kinds), scope };
    return {
      revision: await session.reader.revision(),
      rehearsal: await rehearseNamedOnce(session, topology, question),
    };
  }
  const isOfKind = ({ index, kind }: FailingElement) =>
    kinds.length > 0
      ? kinds.includes(kind)
      : !request.pairs || kind !== "OUTLET" || suppliesOtherSuppliers(topology, index);
  const isChosen = (element: FailingElement) =>
    isOfKind(element) && (scope === undefined || isInScope(topology, element.index, scope));
  if (request.pairs) requireMaxPairedElements(listFailingElements(topology).filter(isChosen).length);
  const rehearsal = await rehearseOnce(session, topology, {
    options,
    pairs: request.pairs,
    choice,
    isChosen,
  });
  return { revision: await session.reader.revision(), rehearsal };
}

function createPairKindRefusal(kinds: readonly FailureKind[]) {
  const at = kinds.findIndex((kind) => !DEFAULT_KINDS.has(kind));
  const [field, value, expected] = [`kinds[${at}]`, kinds[at] ?? "", [...DEFAULT_KINDS].join(", ")];
  return refuse("FIELD_OUT_OF_RANGE", `Field "${field}" names no kind for pairs: ${value}`, {
    field,
    value,
    expected,
  });
}

/** Limits the number of elements from which pairs are formed. @throws Refusal if it is exceeded */
function requireMaxPairedElements(elements: number): void {
  if (elements <= MAX_PAIRED_ELEMENTS) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot fail every two of ${elements} elements`, {
    field: "pairs",
    value: elements,
    expected: `at most ${MAX_PAIRED_ELEMENTS} elements: a smaller scope_ref, or kinds`,
  });
}

/** Parses a failure kind. @throws Refusal for the unspecified kind, which selects nothing */
function parseFailureKind(field: string, number: number): FailureKind {
  const kind = readEnumValue(field, number, FAILURE_KINDS);
  if (kind !== undefined) return kind;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" names no kind`, { field, expected: FAILURE_KINDS.join(", ") });
}

/** Converts one cause of a rehearsal to a message; each of its lists holds at most `limit` items. */
function createCauseMessage(
  topology: Topology,
  { fabrics }: Rehearsal,
  line: RehearsalLine,
  { limit, basis }: { readonly limit: number; readonly basis: LoadBasis },
) {
  const { power } = topology;
  const { loss, failures, includingFailures, overlappingFailures, nearerFailures } = line;
  const fabricLostMbps = fabrics.sumMbps(loss.links);
  const codes = (indexes: Iterable<number>) => listFailedDeviceCodes(topology, indexes, limit);
  const racks = (keys: Iterable<string>) => listRackCodes(topology, keys, limit);
  const singleFed = selectItDevices(power, loss.direct);
  const tenants = computeTenantImpacts(topology, loss, basis);
  const byLoad = <Item extends { readonly utilizationPct: number; readonly ref: string }>(items: Iterable<Item>) =>
    [...items].sort((a, b) => b.utilizationPct - a.utilizationPct || compareText(a.ref, b.ref)).slice(0, limit);
  const joinRefs = (failure: Failure) => listFailureRefs(topology, failure).join(" ");
  return {
    severity: line.severity,
    reason: explainSeverity(topology, line),
    summary: summarizeCause(topology, line, fabrics),
    kind: line.kind,
    elementCount: failures.length,
    ...limitListFields("elements", failures, limit, (failure) => ({
      ...createElementFields(topology, failure, fabrics),
      severity: line.severity,
    })),
    ...limitListFields("alsoBy", includingFailures, limit, joinRefs),
    ...limitListFields("partlyBy", overlappingFailures, limit, joinRefs),
    ...limitListFields("nearer", nearerFailures, limit, joinRefs),
    impact: line.impact,
    racksDark: racks(loss.racksDark),
    racksPartial: racks(loss.racksPartial),
    devicesLost: codes(selectItDevices(power, loss.offline)),
    cracsLost: codes(selectCoolingNodes(power, loss.offline)),
    singleFed: codes(singleFed),
    singleFedCount: singleFed.length,
    trips: byLoad(loss.trips.values()),
    overloads: byLoad(loss.overloads.values()),
    zones: [...loss.zones.values()]
      .sort((a, b) => compareText(a.ref, b.ref) || compareText(a.medium, b.medium))
      .slice(0, limit),
    fabricLostMbps,
    switchesCutOff: codes(loss.cutOff),
    switchesCutOffCount: loss.cutOff.size,
    devicesWithoutDataPath: codes(loss.isolated),
    devicesWithoutDataPathCount: loss.isolated.size,
    rolesLost: listOfflineRoles(power, loss),
    ...limitListFields("tenants", tenants, limit),
  };
}

/** Converts the failure with the largest loss to a message. */
function createWorstMessage(topology: Topology, { fabrics, worst }: Rehearsal, basis: LoadBasis) {
  if (worst === undefined) return undefined;
  const severity = rateFailure(topology.power, worst, basis);
  return { ...createElementFields(topology, worst, fabrics), ...(severity !== undefined && { severity }) };
}

function createElementFields(topology: Topology, failure: Failure, fabrics: Rehearsal["fabrics"]) {
  const { impact, trips, overloads, links, isolated } = failure;
  return {
    refs: listFailureRefs(topology, failure),
    name: getElementName(topology.power, failure.elements[0]?.index ?? -1),
    impact,
    trippedRefs: trips.map(({ ref }) => ref),
    maxUtilizationPct: [...trips, ...overloads].reduce((most, one) => Math.max(most, one.utilizationPct), 0),
    fabricLostMbps: fabrics.sumMbps(links),
    devicesWithoutDataPathCount: isolated.length,
    summary: summarizeFailures(topology, [failure], fabrics),
  };
}

function listFailureRefs({ power }: Topology, { elements }: Failure): readonly string[] {
  return elements.map((element) => getElementRef(power, element));
}

export function listFailedDeviceCodes(
  { power }: Topology,
  indexes: Iterable<number>,
  limit: number,
): readonly string[] {
  const codes = [...indexes].map((index) => {
    const node = power.nodes[index];
    return node?.kind === "DEVICE" ? node.device.code : node?.kind === "CRAC" ? node.crac.code : "";
  });
  return codes.sort(compareText).slice(0, limit);
}

export function listRackCodes(topology: Topology, keys: Iterable<string>, limit: number): readonly string[] {
  return [...keys]
    .sort(compareText)
    .slice(0, limit)
    .map((key) => topology.rack(key)?.code ?? key);
}

// Summaries of causes and reasons for their severities.

/** Maximum number of elements that a summary names; it counts the others. */
const MAX_NAMED_ELEMENTS = 2;

/** Summarizes a cause by its elements and the loss of one: "RPP-A-D and RPP-B-D: each 10 racks dark, 226.9 kW". */
function summarizeCause(topology: Topology, line: RehearsalLine, fabrics: FabricLossFinder): string {
  return `${listElementNames(topology, line)}: ${summarizeFailures(topology, line.failures, fabrics)}`;
}

/** Summarizes the whole loss of a failure; of several alike, that of one: "each", or "each up to" if they differ. */
function summarizeFailures({ power }: Topology, failures: readonly Failure[], fabrics: FabricLossFinder): string {
  const find = (figures: readonly LossFigure[]) =>
    figures.flatMap(({ measure, format }) => {
      const texts = failures.map((failure) => measure(failure, power, fabrics));
      const most = texts.reduce((a, b) => Math.max(a, b), 0);
      return most > 0 ? [{ text: format(most), isEqual: texts.every((one) => format(one) === format(most)) }] : [];
    });
  const main = find(MAIN_FIGURES);
  // Without any of the main losses, the summary names the first of the others.
  const shown = main.length > 0 ? main : find(OTHER_FIGURES).slice(0, 1);
  const each = failures.length === 1 ? "" : shown.every(({ isEqual }) => isEqual) ? "each " : "each up to ";
  return each + shown.map(({ text }) => text).join(", ");
}

interface LossFigure {
  readonly measure: (failure: Failure, power: Topology["power"], fabrics: FabricLossFinder) => number;
  readonly format: (figure: number) => string;
}

const formatCountOf = (one: string, many?: string) => (count: number) => formatNounCount(count, one, many);

const MAIN_FIGURES: readonly LossFigure[] = [
  { measure: ({ impact }) => impact.racksDark, format: formatCountOf("rack dark", "racks dark") },
  { measure: ({ impact }) => impact.racksPartial, format: formatCountOf("rack partly dark", "racks partly dark") },
  { measure: ({ impact }) => impact.itDevicesOffline, format: formatCountOf("device offline", "devices offline") },
  { measure: ({ impact }) => impact.itLoadLostW, format: (watts) => `${formatWatts(watts)} of IT load` },
  {
    measure: ({ impact }) => impact.itDevicesWithoutDraw,
    format: formatCountOf("device whose draw is not recorded", "devices whose draw is not recorded"),
  },
  { measure: ({ impact }) => impact.coolingLostKw, format: (kw) => `${formatDecimal(kw)} kW of cooling` },
  {
    measure: ({ links }, _, fabrics) => (links.length === 0 ? 0 : fabrics.sumMbps(links)),
    format: (mbps) => `${formatBandwidth(mbps)} of fabric links`,
  },
  {
    measure: ({ isolated }) => isolated.length,
    format: formatCountOf("device without a data path", "devices without a data path"),
  },
  { measure: ({ overloads }) => overloads.length, format: formatCountOf("overload") },
];

const OTHER_FIGURES: readonly LossFigure[] = [
  {
    measure: ({ impact }) => impact.devicesDegraded,
    format: formatCountOf("device with less supply", "devices with less supply"),
  },
  {
    measure: ({ degraded }, power) => selectCoolingNodes(power, degraded).length,
    format: formatCountOf("cooling unit with less supply", "cooling units with less supply"),
  },
  { measure: ({ trips }) => trips.length, format: formatCountOf("source trips", "sources trip") },
];

function formatFailureName({ power }: Topology, { elements }: Failure): string {
  return elements.map((element) => getRefName(getElementRef(power, element))).join(" with ");
}

function listElementNames(topology: Topology, { failures, elementKind }: RehearsalLine): string {
  const names = failures.slice(0, MAX_NAMED_ELEMENTS).map((failure) => formatFailureName(topology, failure));
  if (failures.length <= MAX_NAMED_ELEMENTS) return names.join(" and ");
  return `${formatDecimal(failures.length)} ${describeElementKind(elementKind)}, such as ${names[0]}`;
}

/** Kinds whose names are abbreviations. */
const ABBREVIATED_KINDS = /\b(?:ups|rpp|pdu)\b/g;

/**
 * Writes an element kind in words: `RACK_PDU` as "rack PDUs", a pair of them as "pairs of rack PDUs", and a pair of two
 * kinds as "pairs of rack PDU and outlet".
 */
function describeElementKind(elementKind: string): string {
  const words = elementKind
    .split("+")
    .map((kind) => getKindNoun(kind.toLowerCase()).replace(ABBREVIATED_KINDS, (word) => word.toUpperCase()));
  const [word = "", ...others] = words;
  if (others.some((other) => other !== word)) return `pairs of ${words.join(" and ")}`;
  return others.length === 0 ? pluralize(word) : `pairs of ${pluralize(word)}`;
}

/** Explains a cause's severity: the effect common to all its failures, else the effect of the first failure alone. */
function explainSeverity(topology: Topology, line: RehearsalLine): string {
  const [first, ...others] = line.failures;
  if (first === undefined) return "";
  const reason = explainFirstFailure(topology, line, first);
  if (others.length === 0 || line.severity === "INFO") return reason;
  if (others.every((other) => explainFirstFailure(topology, line, other) === reason)) return `Each: ${reason}`;
  return `${formatFailureName(topology, first)} alone: ${reason}`;
}

function explainFirstFailure({ power }: Topology, { severity, loss }: RehearsalLine, first: Failure): string {
  const [worst] = first.trips.toSorted((a, b) => b.utilizationPct - a.utilizationPct);
  const [over] = first.overloads.toSorted((a, b) => b.utilizationPct - a.utilizationPct);
  const off = selectItDevices(power, first.offline).length;
  const { zones } = first;
  const isolated = first.isolated.length;
  switch (severity) {
    case "CRITICAL":
      return `${describeLoad(worst, "trips")}, and ${formatNounCount(first.racksDarkByTrip.length, "rack goes", "racks go")} dark`;
    case "HIGH":
      return `${formatNounCount(first.racksDark.length, "rack goes", "racks go")} dark`;
    case "MEDIUM": {
      if (off + isolated > 1) return describeLostDevices(off, isolated);
      const short = zones.find((zone) => zone.short);
      if (short !== undefined)
        return `${short.ref} needs ${formatDecimal(short.heatKw)} of ${formatDecimal(short.capacityKw)} kW`;
      if (first.cutOff.length > 0)
        return `${formatNounCount(first.cutOff.length, "switch loses", "switches lose")} the last uplink`;
      return worst === undefined ? describeLoad(over, "would trip") : describeLoad(worst, "trips");
    }
    case "LOW":
      if (off + isolated > 0) return describeLostDevices(off, isolated);
      return over === undefined
        ? `${formatNounCount(first.racksPartial.length, "rack goes", "racks go")} partly dark`
        : describeLoad(over, "exceeds its derated limit");
    case "INFO":
      return describeLostReserve(loss.degraded.size, loss.zones.size + selectCoolingNodes(power, loss.offline).length);
  }
}

function describeLostDevices(off: number, isolated: number): string {
  const going = off === 0 ? [] : [`${formatNounCount(off, "device goes", "devices go")} offline`];
  const left =
    isolated === 0 ? [] : [`${formatNounCount(isolated, "device loses its", "devices lose their")} last data path`];
  return [...going, ...left].join(", ");
}

function describeLostReserve(weaker: number, cooling: number): string {
  if (weaker > 0) return "Devices lose a supply and stay on";
  return cooling > 0 ? "Cooling loses a reserve" : "Fabric links go down";
}

function describeLoad(
  item: { readonly ref: string; readonly utilizationPct: number } | undefined,
  verb: string,
): string {
  return item === undefined
    ? `A source ${verb}`
    : `${getRefName(item.ref)} ${verb} at ${formatDecimal(item.utilizationPct)} %`;
}

/** Returns a count and its noun; "" for 0. */
export function formatNounCount(count: number, one: string, many = pluralize(one)): string {
  return count === 0 ? "" : `${formatDecimal(count)} ${count === 1 ? one : many}`;
}

import { isInScope, listElements, suppliesSuppliers } from "#dc/analysis/rehearsal/elements.ts";
import type { RehearsalLine } from "#dc/analysis/rehearsal/lines.ts";
import { DEFAULT_KINDS } from "#dc/analysis/rehearsal/named_elements.ts";
import type { FailingElement } from "#dc/analysis/rehearsal/outcome.ts";
import type { Rehearsal } from "#dc/analysis/rehearsal/rehearse.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { FAILURE_KINDS, FAILURE_SEVERITIES, type FailureKind, type FailureSeverity } from "#dc/model/enum_values.ts";
import { refuse } from "#dc/model/refusal.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import {
  type RehearseFailuresRequest,
  type RehearseFailuresResponse,
  RehearseFailuresResponseSchema,
} from "#gen/datacenter/v1/rehearsal_pb.ts";
import { readPage } from "../answers/page_token.ts";
import { readBasis, readCount, readScope, readWord } from "../answers/parameters.ts";
import { toMessage } from "../messages/convert.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { findingMessage } from "./readings/finding_reply.ts";
import { findingsIn } from "./readings/list_findings.ts";
import { causeOf } from "./rehearsal_reply.ts";
import { choiceKey, namedRehearsalOf, rehearsalOf } from "./rehearsals.ts";

/** Elements and losses that a cause lists unless the request says otherwise, and the most. */
const DEFAULT_LISTED = 10;
const MAX_LISTED = 1000;
/** Elements that pairs are made of. Ours: 12.5 million pairs are judged in a minute. */
const MAX_PAIRED = 5000;

export const rehearseFailures = defineRead({
  method: PlanningService.method.rehearseFailures,
  effect: "read",
  // Pairs take up to a minute, and nothing is kept of elements that are named.
  staysCurrent: ({ pairs, kinds }) => !pairs && kinds.every(isUsual),
  async run(session, request) {
    const asked = readRequest(session, request);
    const topology = await session.topology();
    const { revision, rehearsal } = await runRehearsal(session, topology, request);
    const lines = rehearsal.lines.filter(({ severity }) => rankOf(severity) >= asked.least);
    const { page, fields } = asked.pageOf(lines);
    const basis = readBasis(request.loadBasis);
    const shown = await shownByReadings(session, request, asked.listed);
    return toMessage(RehearseFailuresResponseSchema, {
      revision,
      causes: page.map((line) => causeOf(topology, rehearsal, line, { limit: asked.listed, basis })),
      ...fields,
      elementsFailed: rehearsal.elements,
      pairsFailed: rehearsal.pairs,
      harmless: rehearsal.harmless,
      ...countsOf(lines),
      ...shown,
    });
  },
});

/** What readings of the scope show, if the request takes its loads from them. */
async function shownByReadings(
  session: ReadSession,
  { loadBasis, scopeRef }: RehearseFailuresRequest,
  listed: number,
): Promise<Pick<Partial<RehearseFailuresResponse>, "findings" | "omittedFindings">> {
  const basis = readBasis(loadBasis);
  if (basis !== "MEASURED" && basis !== "MEASURED_PEAK") return {};
  const topology = await session.recorded();
  const found = await findingsIn(session, topology, scopeRef);
  const findings = found.slice(0, listed).map((one) => findingMessage(topology, one));
  return { findings, omittedFindings: found.length - findings.length };
}

/** What a request asks for beside the failures themselves. @throws Refusal naming the field */
function readRequest({ context }: ReadSession, request: RehearseFailuresRequest) {
  const least = readWord("min_severity", request.minSeverity, FAILURE_SEVERITIES) ?? "INFO";
  const { pageToken: _, pageSize: __, ...question } = request;
  const listed = readCount("max_elements", request.maxElements, { usual: DEFAULT_LISTED, most: MAX_LISTED });
  return { least: rankOf(least), listed, pageOf: readPage(context.pageKey, request, question) };
}

function isUsual(number: number): boolean {
  const kind = readWord("kinds", number, FAILURE_KINDS);
  return kind !== undefined && DEFAULT_KINDS.has(kind);
}

function rankOf(severity: FailureSeverity): number {
  return FAILURE_SEVERITIES.indexOf(severity);
}

function countsOf(lines: readonly RehearsalLine[]) {
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
  const options = { basis: readBasis(request.loadBasis), cascade, assumeBattery };
  const kinds = request.kinds.map((kind, at) => readKind(`kinds[${at}]`, kind));
  const scope = readScope(topology, scopeRef);
  const choice = choiceKey(scopeRef, kinds);
  if (kinds.some((kind) => !DEFAULT_KINDS.has(kind))) {
    if (request.pairs) throw pairsOfOthers(kinds);
    const question = { options, choice, kinds: new Set(kinds), scope };
    return {
      revision: await session.reader.revision(),
      rehearsal: await namedRehearsalOf(session, topology, question),
    };
  }
  const isOfKind = ({ index, kind }: FailingElement) =>
    kinds.length > 0 ? kinds.includes(kind) : !request.pairs || kind !== "OUTLET" || suppliesSuppliers(topology, index);
  const isChosen = (element: FailingElement) =>
    isOfKind(element) && (scope === undefined || isInScope(topology, element.index, scope));
  if (request.pairs) demandPairs(listElements(topology).filter(isChosen).length);
  const rehearsal = await rehearsalOf(session, topology, {
    options,
    pairs: request.pairs,
    choice,
    isChosen,
  });
  return { revision: await session.reader.revision(), rehearsal };
}

function pairsOfOthers(kinds: readonly FailureKind[]) {
  const at = kinds.findIndex((kind) => !DEFAULT_KINDS.has(kind));
  const [field, value, expected] = [`kinds[${at}]`, kinds[at] ?? "", [...DEFAULT_KINDS].join(", ")];
  return refuse("FIELD_OUT_OF_RANGE", `Field "${field}" names no kind for pairs: ${value}`, {
    field,
    value,
    expected,
  });
}

/** @throws Refusal for more elements than pairs are made of */
function demandPairs(elements: number): void {
  if (elements <= MAX_PAIRED) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot fail every two of ${elements} elements`, {
    field: "pairs",
    value: elements,
    expected: `at most ${MAX_PAIRED} elements: a smaller scope_ref, or kinds`,
  });
}

/** @throws Refusal for no kind, since a list of kinds without one names nothing */
function readKind(field: string, number: number): FailureKind {
  const kind = readWord(field, number, FAILURE_KINDS);
  if (kind !== undefined) return kind;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" names no kind`, { field, expected: FAILURE_KINDS.join(", ") });
}

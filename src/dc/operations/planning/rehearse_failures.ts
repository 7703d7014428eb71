import {
  DEFAULT_KINDS,
  type FailingElement,
  isInScope,
  listFailingElements,
  suppliesOtherSuppliers,
} from "#dc/analysis/rehearsal/elements.ts";
import type { RehearsalLine } from "#dc/analysis/rehearsal/lines.ts";
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
import { createPaginator, readCount, readEnumValue, readLoadBasis, readScope } from "../answers/parameters.ts";
import { convertToMessage, limitListFields } from "../messages/convert.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { createFindingMessage, listFindingsInScope } from "./readings/list_findings.ts";
import { createCauseMessage, createWorstMessage } from "./rehearsal_reply.ts";
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

import { fromJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { FAILURE_KINDS, FAILURE_SEVERITIES, HEALTHS } from "#dc/model/enum_values.ts";
import { rehearseFailures } from "#dc/operations/planning/rehearse_failures.ts";
import { readPages } from "#dc/read_pages.ts";
import { Health, type Impact } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { ReadingFinding } from "#gen/datacenter/v1/findings_pb.ts";
import {
  type FailureCause,
  FailureKind,
  FailureSeverity,
  type RehearseFailuresRequest,
  RehearseFailuresRequestSchema,
  type RehearseFailuresResponse,
  RehearseFailuresResponseSchema,
} from "#gen/datacenter/v1/rehearsal_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { formatKnownSum } from "#words/figures.ts";
import { formatCountWithNoun, getRefName, stripRefKinds } from "#words/names.ts";
import { getOutputWidth, print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type Column, renderTable } from "../output/table.ts";
import { wrapText } from "../output/wrap_text.ts";
import type { RequestFields } from "./asked_flags.ts";
import { formatCsv } from "./csv_columns.ts";
import type { DatabaseLocation } from "./database.ts";
import type { RenderPictureOptions } from "./render.ts";
import { resolveRef, SCOPE_KINDS } from "./resolve_ref.ts";
import { printReplyJson, withService } from "./with_service.ts";

/** Options of `planner dc rehearse`. */
interface RehearsalOptions {
  readonly scope: string | undefined;
  readonly request: RequestFields;
  readonly limit: number | undefined;
  readonly json: boolean;
  readonly csv: boolean;
  /** Absolute path of the picture; undefined for none. */
  readonly picture: string | undefined;
  readonly theme: RenderPictureOptions["theme"];
}

const CAUSE_COLUMNS: readonly Column<FailureCause>[] = [
  {
    title: "SEVERITY",
    text: ({ severity }) => formatSeverity(severity),
    style: ({ severity }) => (severity >= FailureSeverity.HIGH ? "red" : undefined),
  },
  { title: "CAUSE", text: ({ summary }) => summary.split(": ")[0] ?? "", shrinks: true },
  { title: "RACKS DARK", text: (cause) => String(getWorstImpact(cause)?.racksDark ?? 0), align: "right" },
  { title: "DEVICES OFFLINE", text: (cause) => String(getWorstImpact(cause)?.itDevicesOffline ?? 0), align: "right" },
  {
    title: "IT LOAD",
    text: (cause) => formatKnownSum(getWorstImpact(cause)?.itLoadLostW, getWorstImpact(cause)?.itDevicesWithoutDraw),
    align: "right",
  },
];

/** Returns the whole impact of a cause's worst element. The impact of the cause itself is of all its elements together. */
function getWorstImpact({ elements }: FailureCause): Impact | undefined {
  return elements[0]?.impact;
}

const FINDING_COLUMNS: readonly Column<ReadingFinding>[] = [
  {
    title: "STATE",
    text: ({ severity }) => (HEALTHS[severity - 1] ?? "").toLowerCase(),
    style: ({ severity }) => (severity === Health.FAULT ? "red" : undefined),
  },
  { title: "SHOWN BY READINGS", text: ({ summary }) => summary, shrinks: true },
  { title: "SINCE", text: ({ since }) => (since === undefined ? "" : timestampDate(since).toISOString()) },
];

/** Prints the failures that cause a loss, the worst first. */
export async function printRehearsal(
  database: DatabaseLocation,
  call: RehearsalOptions,
  log: StderrLogger,
): Promise<void> {
  const reply = await withService(database, async (service) => {
    const scope = call.scope && (await resolveRef(service, call.scope, SCOPE_KINDS));
    const asked = { schema: RehearseFailuresRequestSchema, init: buildRequest(call, scope) };
    const getCauses = (reply: RehearseFailuresResponse) => reply.causes;
    return readPages(service, rehearseFailures, asked, getCauses, call.limit);
  });
  if (call.json) printReplyJson(RehearseFailuresResponseSchema, reply);
  else if (call.csv) print(formatCsv(CAUSE_CSV_COLUMNS, reply.causes));
  else {
    print(formatWorst(reply, getOutputWidth()));
    print(formatCauses(reply.causes, getOutputWidth()));
    print(formatFindings(reply, getOutputWidth()));
    log.note(formatFooter(reply));
  }
  if (call.picture !== undefined) await drawFailure(database, reply, call, log);
}

/** Formats the single failure with the largest loss; returns an empty text if no failure has any. */
function formatWorst({ worst }: RehearseFailuresResponse, width: number | undefined): string {
  if (worst === undefined) return "";
  const text = `${worst.refs.map(getRefName).join(" with ")} takes most: ${worst.summary}`;
  return `${wrapText(text, width)}\n`;
}

/** Formats the causes as a table, each with its reason on the next line. */
export function formatCauses(causes: readonly FailureCause[], width: number | undefined): string {
  return renderTable(causes, CAUSE_COLUMNS, width, ({ reason }) => stripRefKinds(reason));
}

/** Formats the findings from readings as a table; returns an empty text if there are none. */
export function formatFindings(reply: RehearseFailuresResponse, width: number | undefined): string {
  const { findings, omittedFindings } = reply;
  if (findings.length === 0) return "";
  const more = omittedFindings === 0 ? "" : `${omittedFindings} more: --elements\n`;
  return `\n${renderTable(findings, FINDING_COLUMNS, width)}${more}`;
}

function buildRequest({ request, limit = MAX_PAGE_SIZE }: RehearsalOptions, scope = ""): RehearseFailuresRequest {
  const asked = { ...request, scope_ref: scope, page_size: Math.min(limit, MAX_PAGE_SIZE) };
  return fromJson(RehearseFailuresRequestSchema, asked);
}

/** Draws a power picture of the first cause that is neither cooling nor a switch, with the options of the rehearsal. */
async function drawFailure(
  database: DatabaseLocation,
  { causes }: RehearseFailuresResponse,
  call: RehearsalOptions,
  log: StderrLogger,
): Promise<void> {
  const found = causes.find(({ kind }) => kind !== FailureKind.COOLING && kind !== FailureKind.SWITCH);
  const [ref, ...additionalSourceRefs] = found?.elements[0]?.refs ?? [];
  if (ref === undefined)
    throw new OperationError("not_found", "Only cooling units and switches cause a loss: there is nothing to draw");
  const { renderPicture } = await import("./render.ts");
  const { cascade, assumeBattery, loadBasis } = buildRequest(call);
  const failure = { cascade, assumeBattery, loadBasis, additionalSourceRefs };
  const { picture: output, theme } = call;
  await renderPicture(database, { screen: "power", ref, output, failure, theme }, log);
}

function formatFooter(reply: RehearseFailuresResponse): string {
  const { elementsFailed, pairsFailed, harmless, totalCount, revision } = reply;
  const what = pairsFailed > 0 ? `${pairsFailed} pairs of ${elementsFailed} elements` : `${elementsFailed} elements`;
  const figures = totalCount === 0 ? "" : "Figures are of one failure: of several elements, of the first. ";
  return `${figures}${what} failed in turn at revision ${revision}: ${formatCountWithNoun(totalCount, "cause")}, ${formatCountWithNoun(harmless, "element")} without effect`;
}

const CAUSE_CSV_COLUMNS: readonly (readonly [string, (cause: FailureCause) => string | number])[] = [
  ["severity", ({ severity }) => formatSeverity(severity)],
  ["reason", ({ reason }) => reason],
  ["summary", ({ summary }) => summary],
  ["kind", ({ kind }) => FAILURE_KINDS[kind - 1] ?? ""],
  ["element_count", ({ elementCount }) => elementCount],
  ["elements", ({ elements }) => elements.map(({ refs }) => refs.join(" + ")).join(" ")],
  ["also_by", ({ alsoBy }) => alsoBy.join(" ")],
  ["racks_dark", ({ impact }) => impact?.racksDark ?? 0],
  ["racks_partial", ({ impact }) => impact?.racksPartial ?? 0],
  ["it_devices_offline", ({ impact }) => impact?.itDevicesOffline ?? 0],
  ["devices_degraded", ({ impact }) => impact?.devicesDegraded ?? 0],
  ["it_load_lost_w", ({ impact }) => impact?.itLoadLostW ?? 0],
  ["it_devices_without_draw", ({ impact }) => impact?.itDevicesWithoutDraw ?? 0],
  ["cooling_lost_kw", ({ impact }) => impact?.coolingLostKw ?? 0],
  ["fabric_lost_mbps", ({ fabricLostMbps }) => fabricLostMbps],
  ["single_fed_count", ({ singleFedCount }) => singleFedCount],
  ["trips", ({ trips }) => trips.map(({ ref }) => ref).join(" ")],
  ["overloads", ({ overloads }) => overloads.map(({ ref }) => ref).join(" ")],
  ["partly_by", ({ partlyBy }) => partlyBy.join(" ")],
  ["nearer", ({ nearer }) => nearer.join(" ")],
  ["devices_without_data_path", ({ devicesWithoutDataPathCount: count }) => count],
];

function formatSeverity(severity: FailureSeverity): string {
  return (FAILURE_SEVERITIES[severity - 1] ?? "").toLowerCase();
}

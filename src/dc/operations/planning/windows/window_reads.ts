import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Topology } from "#dc/analysis/topology.ts";
import type { TimeSpan } from "#dc/analysis/window/judgement.ts";
import { codeKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import {
  type CheckWindowRequest,
  type CheckWindowResponse,
  CheckWindowResponseSchema,
  GetWindowResponseSchema,
  type WindowContact,
  type WindowNoticeSchema,
  WindowReasonKind,
  type WindowSheetSectionSchema,
} from "#gen/datacenter/v1/windows_pb.ts";
import { formatLocalTime } from "#kernel/clock.ts";
import { formatCountWithNoun, getRefName, listSomeNames } from "#words/names.ts";
import type { WindowReasonKind as ReasonKind } from "../../../model/enum_values.ts";
import { MAX_WINDOW_DAYS, MAX_WINDOW_ELEMENTS, type MaintenanceWindow } from "../../../model/inventory.ts";
import { resolveFailingSources } from "../../answers/failing_sources.ts";
import { createMissingFieldRefusal, readLoadBasis, readRef } from "../../answers/parameters.ts";
import { CONGESTED_PCT, convertTimestampToMs, convertToMessage } from "../../messages/convert.ts";
import { defineRead, type ReadSession } from "../../rpc.ts";
import { ACCEPTED_KINDS, createMissingRefRefusal, isInInventory, ROLE_PREFIX } from "./judge_piece.ts";
import {
  buildStoredTimeline,
  DEFAULT_EXPOSED_RACKS,
  listOpenWindows,
  readListLimit,
  WindowTimeline,
} from "./judge_window.ts";
import {
  createWindowView,
  findSiteTimeZone,
  formatElementsLine,
  formatOwnerLine,
  formatPartyContact,
  readAllWindows,
  requireWindow,
} from "./list_windows.ts";

/** A window, its verdict, and the time zone of texts about it. */
interface SheetSubject {
  readonly window: MaintenanceWindow;
  readonly judgement: CheckWindowResponse;
  readonly zone: string;
}

type RunSheetSection = MessageInitShape<typeof WindowSheetSectionSchema>;

/** Reasons for elements that go off or cannot be used, the most severe loss first. */
const LOSS_REASONS: ReadonlySet<WindowReasonKind> = createReasonKinds(
  "TRIP",
  "RACK_LOST",
  "DEVICE_LOST",
  "COOLING_UNIT_LOST",
  "SWITCH_CUT_OFF",
  "DATA_PATH_LOST",
  "COOLING_SHORT",
);
/** Reasons that must be settled before anything is taken out of service. */
const PREPARATION_REASONS: ReadonlySet<WindowReasonKind> = createReasonKinds(
  "ELEMENT_MISSING",
  "SUPPLY_UNKNOWN",
  "CAPACITY_UNKNOWN",
  "DRAW_UNKNOWN",
  "ON_BATTERY",
  "LAST_COOLING_UNIT",
  "RESERVE_USED",
);
/** Reasons that must be watched during the work. */
const WATCHED_REASONS: ReadonlySet<WindowReasonKind> = createReasonKinds(
  "OVER_LIMIT",
  "UPLINK_OVER_LIMIT",
  "ON_BATTERY",
  "LAST_COOLING_UNIT",
);

/** Maximum number of a contact's codes in one line, and of failures in the section about failures. */
const MAX_SHOWN_CODES = 40;
const MAX_SHOWN_FAILURES = 20;

/** Builds the run sheet of a window, section by section. Omits sections without lines. */
function buildRunSheet(subject: SheetSubject): readonly RunSheetSection[] {
  const { judgement } = subject;
  const sections: readonly { readonly title: string; readonly lines: readonly string[] }[] = [
    { title: "Work", lines: writeWorkLines(subject) },
    { title: "Before it begins", lines: writePreparationLines(subject) },
    { title: "What goes off", lines: writeLossLines(judgement) },
    { title: "Whom to tell", lines: judgement.contacts.map(writeContactLine) },
    { title: "Steps", lines: writeStepLines(subject) },
    { title: "What to watch", lines: listReasonSummaries(judgement, WATCHED_REASONS) },
    { title: "If one more element fails", lines: writeFailureLines(judgement) },
    { title: "How to come back", lines: writeReturnLines(subject) },
  ];
  return sections.flatMap(({ title, lines }) => (lines.length === 0 ? [] : { title, lines: lines.map(joinLines) }));
}

/** Replaces each run of whitespace, such as a line break, by one space. */
function joinLines(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Returns the start and end of a window in a time zone: `2026-11-28 20:00 to 2026-11-28 22:00 Europe/Amsterdam`. */
function formatWindowSpan({ startsAt, endsAt }: Pick<MaintenanceWindow, "startsAt" | "endsAt">, zone: string): string {
  return `${formatZonedTime(startsAt, zone)} to ${formatZonedTime(endsAt, zone)} ${zone}`;
}

function formatZonedTime(time: string, zone: string): string {
  return formatLocalTime(Date.parse(time), zone);
}

function writeWorkLines({ window, judgement, zone }: SheetSubject): readonly string[] {
  const { code, title = "", owner = "", contact = "", notes = "", elementRefs } = window;
  return [
    title === "" ? code : `${code}: ${title}`,
    `Time: ${formatWindowSpan(window, zone)}`,
    formatElementsLine(elementRefs),
    `Verdict at revision ${judgement.revision}: ${judgement.summary}`,
    ...(owner === "" ? [] : [formatOwnerLine(owner)]),
    ...(contact === "" ? [] : [`To be reached: ${contact}`]),
    ...notes.split("\n").filter((line) => line.trim() !== ""),
  ];
}

function writePreparationLines({ window, judgement }: SheetSubject): readonly string[] {
  const { blockingWindows, pieces } = judgement;
  const others = [...new Set(pieces.flatMap(({ windowCodes }) => windowCodes))];
  return [
    `Ask again: planner dc window show ${window.code}. The verdict holds for revision ${judgement.revision}`,
    ...blockingWindows.map((code) => `No go because of window ${code}: move or cancel one of both`),
    ...others.map((code) => `Window ${code} is open at the same time`),
    ...(window.acceptedRefs ?? []).map((ref) => `Accepted to be lost: ${getRefName(ref)}`),
    ...listReasonSummaries(judgement, PREPARATION_REASONS).map((summary) => `Check first: ${summary}`),
  ];
}

function writeLossLines({ reasons, omittedReasons, contacts }: CheckWindowResponse): readonly string[] {
  const listed = reasons.filter(({ kind }) => LOSS_REASONS.has(kind)).map(({ summary }) => summary);
  const lost = contacts.reduce((sum, { lostCount }) => sum + lostCount, 0);
  const all =
    lost === 0
      ? []
      : [
          `${formatCountWithNoun(lost, "device or cooling unit", "devices and cooling units")} off or unreachable, those of the work included`,
        ];
  return [
    ...all,
    ...listed,
    ...(omittedReasons > 0 && listed.length > 0 ? [`and more: ${omittedReasons} reasons`] : []),
  ];
}

function writeContactLine({ tenant, contact, lost, lostCount, reserve, reserveCount }: WindowContact): string {
  const parts = [
    lostCount > 0 ? `off or unreachable: ${listSomeNames(lost, MAX_SHOWN_CODES, lostCount)}` : "",
    reserveCount > 0 ? `on the last supply: ${listSomeNames(reserve, MAX_SHOWN_CODES, reserveCount)}` : "",
  ].filter((part) => part !== "");
  return `${formatAffectedParty({ tenant, contact })}: ${parts.join("; ")}`;
}

/** Returns the tenant and contact of affected devices: "blue, ops@blue.example". */
function formatAffectedParty({ tenant, contact }: Pick<WindowContact, "tenant" | "contact">): string {
  return joinLines(formatPartyContact(tenant, contact)) || "No tenant or contact recorded";
}

function writeStepLines({ window, zone }: SheetSubject): readonly string[] {
  const { code, startsAt, elementRefs, state } = window;
  return [
    "Tell everyone listed above",
    ...(state === "BEGUN" ? [] : [`At ${formatZonedTime(startsAt, zone)} or later: planner dc window begin ${code}`]),
    ...elementRefs.map((ref) => `Take ${getRefName(ref)} out of service`),
    "Compare what goes off with the list above. Put the last element back if something else goes off",
    "Do the work",
  ];
}

function writeFailureLines({ nextFailures, omittedNextFailures }: CheckWindowResponse): readonly string[] {
  const lines = nextFailures.slice(0, MAX_SHOWN_FAILURES).map(({ summary }) => summary);
  const rest = nextFailures.length - lines.length + omittedNextFailures;
  return rest > 0 ? [...lines, `and ${formatCountWithNoun(rest, "more failure", "more failures")}`] : lines;
}

function writeReturnLines({ window, zone }: SheetSubject): readonly string[] {
  const { code, elementRefs, endsAt } = window;
  return [
    ...elementRefs.toReversed().map((ref) => `Put ${getRefName(ref)} back into service`),
    "Check that everything that went off is on again",
    `By ${formatZonedTime(endsAt, zone)}: planner dc window done ${code}. Until then it counts for other windows, also after its end`,
    "If it takes longer: give the window a new end, read its verdict, and tell everyone again",
  ];
}

function listReasonSummaries(
  { reasons }: CheckWindowResponse,
  wanted: ReadonlySet<WindowReasonKind>,
): readonly string[] {
  return reasons.filter(({ kind }) => wanted.has(kind)).map(({ summary }) => summary);
}

function createReasonKinds(...words: readonly ReasonKind[]): ReadonlySet<WindowReasonKind> {
  return new Set(words.map((word) => WindowReasonKind[word]));
}

type ContactNotice = MessageInitShape<typeof WindowNoticeSchema>;

/** Writes a text for each contact of a window: what happens to its devices, when, and whom to ask. */
function writeContactNotices(subject: SheetSubject): readonly ContactNotice[] {
  return subject.judgement.contacts.map((contact) => ({
    tenant: contact.tenant,
    contact: contact.contact,
    subject: writeSubjectLine(subject),
    text: writeNoticeText(subject, contact),
  }));
}

function writeSubjectLine({ window, zone }: SheetSubject): string {
  const { code, title = "" } = window;
  return joinLines(`Maintenance ${title === "" ? code : `${code}: ${title}`}, ${formatWindowSpan(window, zone)}`);
}

function writeNoticeText({ window, zone }: SheetSubject, contact: WindowContact): string {
  const { code, title = "", owner = "", contact: reach = "", startsAt, endsAt, elementRefs } = window;
  const { lost, lostCount, reserve, reserveCount } = contact;
  const by = formatPartyContact(owner, reach);
  const parts = [
    [`To: ${formatAffectedParty(contact)}`],
    [
      `From ${formatZonedTime(startsAt, zone)} to ${formatZonedTime(endsAt, zone)} (${zone}) these elements are out of service:`,
      ...elementRefs.map((ref) => `  ${getRefName(ref)}`),
    ],
    title === "" ? [] : [`Work: ${title}`],
    writeCodeList("Off or unreachable for that time:", lost, lostCount),
    writeCodeList("On for that time, without reserve: one more failure switches them off:", reserve, reserveCount),
    [by === "" ? `Ask about it: window ${code}` : `Ask about it: window ${code}, ${by}`],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function writeCodeList(title: string, codes: readonly string[], count: number): readonly string[] {
  if (count === 0) return [];
  const rest = count - codes.length;
  return [title, ...codes.map((code) => `  ${code}`), ...(rest > 0 ? [`  and ${rest} more`] : [])];
}

export const getWindow = defineRead({
  method: PlanningService.method.getWindow,
  effect: "read",
  async run(session, { code, maxItems }) {
    const { reader, now } = session;
    const listed = readListLimit(maxItems);
    const stored = await requireWindow(reader, "code", code);
    const all = (await readAllWindows(reader)).map(({ resource }) => resource);
    const { topology, timeline, timed } = await buildStoredTimeline(session, all);
    const own = timed(stored.resource.code);
    const timeZone = findSiteTimeZone(topology.inventory.racks);
    const view = { ...createWindowView(stored, now), timeZone };
    if (own === undefined) return create(GetWindowResponseSchema, view);
    const judgement = convertToMessage(CheckWindowResponseSchema, {
      revision: await reader.revision(),
      ...(await timeline.createReply(own, listed)),
    });
    const subject = { window: stored.resource, judgement, zone: timeZone.name };
    const texts = { sheet: [...buildRunSheet(subject)], notices: [...writeContactNotices(subject)] };
    return create(GetWindowResponseSchema, { ...view, judgement, ...texts });
  },
});

/** Maximum value of `exposed_racks`. Source: docs/windows.md#limits. */
const MAX_EXPOSED_RACKS = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

export const checkWindow = defineRead({
  method: PlanningService.method.checkWindow,
  effect: "read",
  async run(session, request) {
    const { startsAt, elementRefs, acceptedRefs } = request;
    const span = readTimeSpan(session, request);
    const listed = readListLimit(request.maxItems);
    requireElementCount(elementRefs.length);
    const limits = { exposedRacks: readExposedRacks(request.exposedRacks), uplinkPct: CONGESTED_PCT };
    const basis = readLoadBasis(request.loadBasis);
    const topology = await session.topology("judged");
    requireAcceptedRefs(topology, acceptedRefs);
    const asked = elementRefs.map((text, at) => ({ field: `element_refs[${at}]`, text }));
    await resolveFailingSources({ topology, reader: session.reader }, asked);
    const own = { code: "", ...span, refs: elementRefs, accepted: acceptedRefs };
    const others = request.ignoreStored ? [] : await readOtherOpenWindows(session, request.exceptCode);
    const timeline = new WindowTimeline(
      { session, topology, basis, limits },
      [own, ...others],
      Date.parse(session.now),
    );
    if (startsAt === undefined) session.lapsesAt(Date.parse(session.now));
    return convertToMessage(CheckWindowResponseSchema, {
      revision: await session.reader.revision(),
      ...(await timeline.createReply(own, listed)),
    });
  },
});

/** Reads the open windows except the one with this code. @throws Refusal for a code that no window has */
async function readOtherOpenWindows({ reader, now }: ReadSession, code: string) {
  if (code !== "") await requireWindow(reader, "except_code", code);
  const stored = (await readAllWindows(reader)).map(({ resource }) => resource);
  const others = stored.filter((window) => codeKey(window.code) !== codeKey(code));
  return listOpenWindows(others, Date.parse(now));
}

/** Checks the number of elements. @throws Refusal for no elements, or too many */
function requireElementCount(count: number): void {
  const expected = `1 to ${MAX_WINDOW_ELEMENTS} references`;
  const field = "element_refs";
  if (count === 0) throw createMissingFieldRefusal(field, expected);
  if (count <= MAX_WINDOW_ELEMENTS) return;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" has ${count} references`, {
    field,
    value: count,
    expected,
  });
}

/** Reads the start and end time. @throws Refusal naming the field */
function readTimeSpan({ now }: ReadSession, { startsAt, endsAt }: CheckWindowRequest): TimeSpan {
  const at = Date.parse(now);
  const start = startsAt === undefined ? at : convertTimestampToMs(startsAt, "starts_at");
  if (endsAt === undefined) throw createMissingFieldRefusal("ends_at", "the time at which everything is back");
  const end = convertTimestampToMs(endsAt, "ends_at");
  const createSpanRefusal = (why: string, expected: string) =>
    refuse("FIELD_OUT_OF_RANGE", `Field "ends_at" ${why}: ${convertMsToTime(end)}`, {
      field: "ends_at",
      value: convertMsToTime(end),
      expected,
    });
  if (end <= start) throw createSpanRefusal("is not after starts_at", `a time after ${convertMsToTime(start)}`);
  if (end - start > MAX_WINDOW_DAYS * DAY_MS)
    throw createSpanRefusal(
      `is more than ${MAX_WINDOW_DAYS} days after starts_at`,
      `at most ${convertMsToTime(start + MAX_WINDOW_DAYS * DAY_MS)}`,
    );
  if (end <= at) throw createSpanRefusal("is over", `a time after ${now}`);
  return { from: start, until: end };
}

function convertMsToTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Reads the number of racks that one more failure may take down. @throws Refusal naming the field */
function readExposedRacks(asked: number | undefined): number {
  if (asked === undefined) return DEFAULT_EXPOSED_RACKS;
  if (asked >= 0 && asked <= MAX_EXPOSED_RACKS) return asked;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "exposed_racks" is out of range: ${asked}`, {
    field: "exposed_racks",
    value: asked,
    expected: `0 to ${MAX_EXPOSED_RACKS}`,
  });
}

/** Checks the references of accepted losses. @throws Refusal for a malformed reference or a missing element */
function requireAcceptedRefs(topology: Topology, texts: readonly string[]): void {
  const roles = new Set(topology.inventory.devices.map(({ role }) => role));
  for (const [at, text] of texts.entries()) {
    const field = `accepted_refs[${at}]`;
    const isKnown = text.startsWith(ROLE_PREFIX)
      ? roles.has(text.slice(ROLE_PREFIX.length))
      : isInInventory(topology, readRef(field, text, ACCEPTED_KINDS));
    if (!isKnown) throw createMissingRefRefusal(field, text);
  }
}

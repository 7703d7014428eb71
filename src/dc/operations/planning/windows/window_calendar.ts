import { createHash } from "node:crypto";
import type { MessageShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ListedWindow } from "#gen/datacenter/v1/windows_pb.ts";
import type { Topology } from "../../../analysis/topology.ts";
import { buildOutageTopology } from "../../../analysis/window/during.ts";
import type { DcContext } from "../../../context.ts";
import { type CalendarEvent, formatCalendar } from "../../../exchange/calendar/write_calendar.ts";
import {
  WINDOW_IMPACTS,
  WINDOW_STATES,
  WINDOW_VERDICTS,
  type WindowState,
  type WindowVerdict,
} from "../../../model/enum_values.ts";
import { refuse } from "../../../model/refusal.ts";
import type { MaintenanceWindow } from "../../../model/site.ts";
import type { ReadRpc, ReadSession } from "../../rpc.ts";
import type { OutElements } from "./judge_piece.ts";
import { buildStoredTimeline, type WindowTimeline } from "./judge_window.ts";
import {
  formatElementsLine,
  formatOwnerLine,
  formatPartyContact,
  readAllWindows,
  requireWindow,
} from "./list_windows.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Time for which the calendar lists a cancelled window after its last change. Source: docs/windows.md#calendar. */
const CANCELLED_LISTED_MS = 90 * DAY_MS;

interface CalendarSource {
  /** Name that distinguishes this database's entries in a calendar with entries of several databases. */
  readonly instance: string;
  /** Time of the request, in milliseconds since 1970. */
  readonly now: number;
}

/** Returns the database's name in calendars, equal on every replica. It is a hash that does not reveal the page key. */
export function deriveCalendarInstance({ pageKey }: Pick<DcContext, "pageKey">): string {
  return createHash("sha256").update("calendar").update(pageKey).digest("hex").slice(0, 16);
}

/** Writes all windows as one iCalendar file. Includes cancelled windows for 90 days after their last change. */
export function writeWindowCalendar(windows: readonly ListedWindow[], { instance, now }: CalendarSource): string {
  const shown = windows.filter(({ window }) => {
    const isCancelled = WINDOW_STATES[(window?.state ?? 0) - 1] === "CANCELLED";
    return !isCancelled || readTimestampMs(window?.updateTime) > now - CANCELLED_LISTED_MS;
  });
  return formatCalendar(
    "Maintenance windows",
    shown.map((listed) => createCalendarEvent(listed, instance)),
  );
}

/** Returns the UID of the calendar entry that a window came from, else one made of its code and the instance. */
export function findCalendarUid(
  { code, calendarUid }: Pick<MaintenanceWindow, "code" | "calendarUid">,
  instance: string,
) {
  return calendarUid === undefined || calendarUid === "" ? `${code}@${instance}` : calendarUid;
}

function createCalendarEvent({ window, verdict, impact, summary }: ListedWindow, instance: string): CalendarEvent {
  if (window === undefined) throw new Error("A list of windows has an item without one");
  const { code, title, notes, owner, contact, elementRefs } = window;
  const state = WINDOW_STATES[window.state - 1] ?? "PLANNED";
  const judged = WINDOW_VERDICTS[verdict - 1];
  const lines = [
    summary === "" ? "" : `Verdict: ${summary}`,
    formatElementsLine(elementRefs),
    owner === "" ? "" : formatOwnerLine(owner),
    notes,
  ];
  return {
    uid: findCalendarUid(window, instance),
    sequence: window.calendarSequence + window.sequence,
    startsAt: convertTimestampToIso(window.startsAt),
    endsAt: convertTimestampToIso(window.endsAt),
    createdAt: convertTimestampToIso(window.createTime),
    changedAt: convertTimestampToIso(window.updateTime),
    title: title === "" ? code : `${title} (${code})`,
    description: lines.filter((line) => line !== "").join("\n"),
    contact: formatPartyContact(owner, contact),
    status: findCalendarStatus(state, judged),
    maintenanceId: code,
    maintenanceStatus: findMaintenanceStatus(state, judged),
    impact: (WINDOW_IMPACTS[impact - 1] ?? "").replaceAll("_", "-"),
    objectIds: elementRefs,
    instance,
  };
}

/** Returns the status of the calendar entry. A window that may not be carried out as planned is tentative. */
function findCalendarStatus(state: WindowState, verdict: WindowVerdict | undefined): CalendarEvent["status"] {
  if (state === "CANCELLED") return "CANCELLED";
  return state !== "DONE" && (verdict === "NO_GO" || verdict === "UNKNOWN") ? "TENTATIVE" : "CONFIRMED";
}

function findMaintenanceStatus(
  state: WindowState,
  verdict: WindowVerdict | undefined,
): CalendarEvent["maintenanceStatus"] {
  if (state === "BEGUN") return "IN-PROCESS";
  return state === "DONE" ? "COMPLETED" : findCalendarStatus(state, verdict);
}

function readTimestampMs(time: Timestamp | undefined): number {
  return time === undefined ? 0 : timestampMs(time);
}

function convertTimestampToIso(time: Timestamp | undefined): string {
  return new Date(readTimestampMs(time)).toISOString();
}

const DURING_WINDOW_FIELD = "during_window";

/** Returns the code in a request's `during_window`; undefined if it is empty or the RPC has no such field. */
export function readDuringWindow({ method }: ReadRpc, request: MessageShape<ReadRpc["method"]["input"]>) {
  const field = method.input.fields.find(({ name }) => name === DURING_WINDOW_FIELD);
  const code = field && (request as unknown as Readonly<Record<string, string>>)[field.localName];
  return code === "" ? undefined : code;
}

/** Opens a read session on the topology during a window. @param judge computes the loads after every single loss */
export function openWindowSession(
  session: ReadSession,
  code: string,
  judge: (topology: Topology) => Promise<Topology>,
): ReadSession {
  let made: Promise<Topology> | undefined;
  const topology = () => (made ??= findWindowTopology(session, code));
  return { ...session, topology, judgedTopology: async () => judge(await topology()) };
}

/** Maximum number of cached topologies. Our choice: a console calls several RPCs about one window. */
const MAX_CACHED_TOPOLOGIES = 4;
const CACHED_TOPOLOGIES = new WeakMap<Topology, Map<string, Topology>>();

/**
 * Returns the topology during one piece of a stored window: the piece that determines the window's verdict. Every reply
 * computed from this topology therefore describes the same time.
 * @throws Refusal for a code that no open window has
 */
async function findWindowTopology(session: ReadSession, code: string): Promise<Topology> {
  const { resource } = await requireWindow(session.reader, DURING_WINDOW_FIELD, code);
  const all = (await readAllWindows(session.reader)).map((stored) => stored.resource);
  const { topology, timeline, timed } = await buildStoredTimeline(session, all);
  const own = timed(resource.code);
  if (own === undefined) {
    const expected = "a window that is PLANNED or BEGUN";
    throw refuse("FIELD_CONFLICT", `Window "${resource.code}" is ${resource.state}: expected ${expected}`, {
      field: DURING_WINDOW_FIELD,
      value: code,
      expected,
    });
  }
  const out = await timeline.findWorstPiece(own);
  const kept = CACHED_TOPOLOGIES.getOrInsertComputed(topology, () => new Map());
  const key = JSON.stringify(out);
  const known = kept.get(key) ?? (await buildPieceTopology(timeline, out));
  kept.delete(key);
  kept.set(key, known);
  for (const one of kept.keys()) if (kept.size > MAX_CACHED_TOPOLOGIES) kept.delete(one);
  return known;
}

async function buildPieceTopology(timeline: WindowTimeline, out: OutElements): Promise<Topology> {
  const { ground, outage } = (await timeline.getOutage(out)).judged;
  return buildOutageTopology(ground, outage);
}

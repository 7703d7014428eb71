import { createHash } from "node:crypto";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ListedWindow } from "#gen/datacenter/v1/windows_pb.ts";
import type { DcContext } from "../../../context.ts";
import { type CalendarEvent, formatCalendar } from "../../../exchange/calendar.ts";
import {
  WINDOW_IMPACTS,
  WINDOW_STATES,
  WINDOW_VERDICTS,
  type WindowState,
  type WindowVerdict,
} from "../../../model/enum_values.ts";
import type { MaintenanceWindow } from "../../../model/inventory.ts";
import { formatElementsLine, formatOwnerLine, formatPartyContact } from "./list_windows.ts";

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

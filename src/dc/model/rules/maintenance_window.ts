import { LIST_SIZES, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import type { WindowState } from "../enum_values.ts";
import { createRejection, type ErrorFinding, type Findings, type ResourceWrite, type RulePhases } from "../finding.ts";
import { isWindowOpen, MAX_WINDOW_DAYS, MAX_WINDOW_ELEMENTS, type MaintenanceWindow } from "../inventory.ts";
import {
  checkCodeShape,
  checkCodeSpelling,
  checkNumberBounds,
  checkNumbers,
  checkRequiredField,
  checkTextLength,
  checkTexts,
  formatWireName,
} from "./general.ts";

type WindowChange = ResourceWrite<MaintenanceWindow>;

const DAY_MS = 24 * 60 * 60 * 1000;

function checkFieldPresence({ after }: WindowChange): Findings {
  const { elementRefs = [], acceptedRefs = [] } = after;
  const refs = Object.entries({ element_refs: elementRefs, accepted_refs: acceptedRefs });
  return [
    ...checkRequiredField("starts_at", after.startsAt),
    ...checkRequiredField("ends_at", after.endsAt),
    ...checkElementCount(elementRefs),
    ...checkNumberBounds("accepted_refs", acceptedRefs.length, { max: LIST_SIZES.MaintenanceWindow.acceptedRefs }),
    ...checkTexts("MaintenanceWindow", after, "", ["title", "owner", "contact"]),
    ...refs.flatMap(([name, list]) =>
      list.flatMap((text, index) =>
        checkTextLength(`${name}[${index}]`, text, TEXT_LENGTHS.MaintenanceWindow.elementRefs),
      ),
    ),
    ...checkTexts("MaintenanceWindow", after, "", ["notes", "calendarUid"]),
    ...checkNumbers("MaintenanceWindow", after),
  ];
}

function checkElementCount({ length }: readonly string[]): readonly ErrorFinding[] {
  const expected = `1 to ${MAX_WINDOW_ELEMENTS} references`;
  if (length > 0 && length <= MAX_WINDOW_ELEMENTS) return [];
  const reason = length === 0 ? "REQUIRED_FIELD" : "FIELD_OUT_OF_RANGE";
  const message = `Field "element_refs" has ${length} references: expected ${expected}`;
  return [createRejection(reason, "element_refs", message, { value: length, expected })];
}

function checkTimeOrder({ after: { startsAt, endsAt } }: WindowChange): Findings {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  if (end <= start) return createEndTimeRejection(endsAt, "is not after starts_at", `a time after ${startsAt}`);
  const latest = new Date(start + MAX_WINDOW_DAYS * DAY_MS).toISOString();
  if (Date.parse(latest) >= end) return [];
  return createEndTimeRejection(endsAt, `is more than ${MAX_WINDOW_DAYS} days after starts_at`, `at most ${latest}`);
}

function createEndTimeRejection(endsAt: string, why: string, expected: string): readonly ErrorFinding[] {
  const message = `Field "ends_at" ${why}: ${endsAt}, expected ${expected}`;
  return [createRejection("FIELD_OUT_OF_RANGE", "ends_at", message, { value: endsAt, expected })];
}

/**
 * Rejects windows in the past. A window whose end has passed stays open until it is done or cancelled; only a change of
 * its end into the past is rejected.
 */
function checkWindowAhead({ before, after, now }: WindowChange): Findings {
  const { startsAt, endsAt } = after;
  const isOver = Date.parse(endsAt) <= Date.parse(now) && Date.parse(endsAt) > Date.parse(startsAt);
  return isOver && isWindowOpen(after) && before?.endsAt !== endsAt
    ? createEndTimeRejection(endsAt, "is over", `a time after ${now}`)
    : [];
}

const NEXT_STATES: Readonly<Record<WindowState, readonly WindowState[]>> = {
  PLANNED: ["PLANNED", "BEGUN", "DONE", "CANCELLED"],
  BEGUN: ["PLANNED", "BEGUN", "DONE", "CANCELLED"],
  DONE: ["PLANNED", "BEGUN", "DONE"],
  CANCELLED: ["PLANNED", "BEGUN", "CANCELLED"],
};
const FIRST_STATES: readonly WindowState[] = ["PLANNED", "BEGUN"];

function checkStateTransition({ before, after, now }: WindowChange): Findings {
  const allowed = before === undefined ? FIRST_STATES : NEXT_STATES[before.state];
  if (!allowed.includes(after.state)) {
    const from = before === undefined ? "A new window" : `A window that is ${before.state}`;
    return createStateRejection(after.state, `${from} cannot be ${after.state}`, allowed.join(", "));
  }
  const isAhead = Date.parse(now) < Date.parse(after.startsAt);
  if (isAhead && before?.state !== after.state && (after.state === "BEGUN" || after.state === "DONE")) {
    const expected = `a time from ${after.startsAt} on, an earlier starts_at${before === undefined ? "" : ", or CANCELLED"}`;
    return createStateRejection(after.state, `A window cannot be ${after.state} before it starts`, expected);
  }
  return [];
}

function createStateRejection(value: WindowState, why: string, expected: string): readonly ErrorFinding[] {
  return [createRejection("FIELD_CONFLICT", "state", `${why}: expected ${expected}`, { value, expected })];
}

/** Rejects a change of time, elements or accepted losses of a window that is done or cancelled. */
function checkClosedWindow({ before, after }: WindowChange): Findings {
  if (before === undefined || isWindowOpen(before)) return [];
  return (["startsAt", "endsAt", "elementRefs", "acceptedRefs"] as const).flatMap((name) => {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) return [];
    const field = formatWireName(name);
    const message = `Field "${field}" of a window that is ${before.state} cannot change: expected as stored`;
    return [createRejection("FIELD_CONFLICT", field, message, { expected: "as stored" })];
  });
}

/** Rules for a maintenance window. Whether its elements exist is checked when they are resolved. */
export const maintenanceWindowRules: RulePhases<MaintenanceWindow> = [
  [checkCodeShape, checkCodeSpelling, checkFieldPresence],
  [checkTimeOrder, checkWindowAhead, checkStateTransition, checkClosedWindow],
];

/** Rules for a window from an export, which may be in any state, in the past, and about removed elements. */
export const restoredWindowRules: RulePhases<MaintenanceWindow> = [
  [checkCodeShape, checkCodeSpelling, checkFieldPresence],
  [checkTimeOrder],
];

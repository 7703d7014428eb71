import type { MaintenanceWindow, WindowContact, WindowReason, WindowVerdict } from "#gen/datacenter/v1/json.ts";
import { formatDecimal, formatDuration, formatWatts } from "#words/figures.ts";
import { formatEnum, listSomeNames } from "#words/names.ts";
import type { State } from "../../shared/state_of_share.ts";
import { formatMoment, formatQuantity } from "../labels.ts";
import { Badge } from "../ui/parts.tsx";

export const CHECK_WINDOW_RPC = "datacenter.v1.PlanningService/CheckWindow";
export const LIST_WINDOWS_RPC = "datacenter.v1.PlanningService/ListWindows";

const STATES_BY_VERDICT: Readonly<Record<string, State>> = {
  WINDOW_VERDICT_GO: "ok",
  WINDOW_VERDICT_GO_WITH_RISK: "watch",
  WINDOW_VERDICT_NO_GO: "fault",
};

export function getVerdictState(verdict: WindowVerdict): State {
  return STATES_BY_VERDICT[verdict] ?? "unknown";
}

/** A verdict as a badge; hidden for a window that is done or cancelled. */
export function VerdictBadge({ verdict }: { readonly verdict: WindowVerdict }) {
  const word = formatEnum(verdict, "WINDOW_VERDICT");
  return word === "" ? null : <Badge tone={getVerdictState(verdict)}>{word}</Badge>;
}

/** Returns the state of a window in words, with ", overdue" if the window is overdue. */
export function describeWindowState({ state }: MaintenanceWindow, overdue: boolean): string {
  return `${formatEnum(state, "WINDOW_STATE")}${overdue ? ", overdue" : ""}`;
}

/** Formats a time span in `timeZone`, by default the reader's, with its UTC offset; "" if it has no start. */
export function formatTimeSpan(
  { starts_at = "", ends_at = "" }: Pick<MaintenanceWindow, "starts_at" | "ends_at">,
  timeZone?: string,
): string {
  const [from, until] = [Date.parse(starts_at), Date.parse(ends_at)];
  if (Number.isNaN(from)) return "";
  const zone = timeZone === undefined ? {} : { timeZone };
  const spans = new Intl.DateTimeFormat(undefined, {
    ...zone,
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });
  const words = Number.isNaN(until) ? `${spans.format(from)} until it is done` : spans.formatRange(from, until);
  return `${words} ${formatMoment(starts_at, timeZone).split(" ").at(-1)}`;
}

/** Formatters of reason figures with a unit; other figures are counts. */
const FORMATTERS_BY_REASON: Readonly<Record<string, (value: number) => string>> = {
  TRIP: (value) => formatDecimal(value, "%"),
  OVER_LIMIT: (value) => formatDecimal(value, "%"),
  UPLINK_OVER_LIMIT: (value) => formatDecimal(value, "%"),
  COOLING_SHORT: (value) => formatDecimal(value, "kW"),
  LAST_COOLING_UNIT: (value) => formatDecimal(value, "kW"),
  CAPACITY_UNKNOWN: formatWatts,
  ON_BATTERY: formatDuration,
  NEXT_FAILURE: (value) => formatQuantity(value, "rack"),
};

/** Formats the figures of a reason: before the window, during it, and the limit. */
export function formatWindowReasonFigures({ kind, before, during, limit }: WindowReason): string {
  const words =
    FORMATTERS_BY_REASON[kind.replace("WINDOW_REASON_KIND_", "")] ?? ((value: number) => formatDecimal(value));
  const parts = [
    ["before", before],
    ["in the window", during],
    ["limit", limit],
  ] as const;
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${words(value)}`])).join(", ");
}

/** Returns a contact's name and its affected devices, with at most `most` codes per list. */
export function describeContact(one: WindowContact, most: number): readonly [who: string, what: string] {
  const who = [one.tenant, one.contact].filter((text) => text !== "").join(", ");
  const parts = [
    one.lost_count > 0 ? `lost: ${listSomeNames(one.lost, most, one.lost_count)}` : "",
    one.reserve_count > 0 ? `on the last supply: ${listSomeNames(one.reserve, most, one.reserve_count)}` : "",
  ];
  return [who === "" ? "No tenant or contact recorded" : who, parts.filter((text) => text !== "").join("; ")];
}

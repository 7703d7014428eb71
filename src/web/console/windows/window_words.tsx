import type {
  CheckWindowResponse,
  MaintenanceWindow,
  WindowContact,
  WindowReason,
  WindowVerdict,
} from "#gen/datacenter/v1/json.ts";
import { formatDecimal, formatDuration, formatWatts } from "#words/figures.ts";
import { formatEnum, listSome } from "#words/names.ts";
import type { State } from "../../shared/state_of_share.ts";
import { formatMoment, formatQuantity } from "../labels.ts";
import { Badge } from "../ui/parts.tsx";

export const CHECK_RPC = "datacenter.v1.PlanningService/CheckWindow";
export const LIST_WINDOWS_RPC = "datacenter.v1.PlanningService/ListWindows";

const STATES: Readonly<Record<string, State>> = {
  WINDOW_VERDICT_GO: "ok",
  WINDOW_VERDICT_GO_WITH_RISK: "watch",
  WINDOW_VERDICT_NO_GO: "fault",
};

export function stateOfVerdict(verdict: WindowVerdict): State {
  return STATES[verdict] ?? "unknown";
}

/** The verdict as a badge; nothing for a window that is done or cancelled. */
export function Verdict({ verdict }: { readonly verdict: WindowVerdict }) {
  const word = formatEnum(verdict, "WINDOW_VERDICT");
  return word === "" ? null : <Badge tone={stateOfVerdict(verdict)}>{word}</Badge>;
}

export function impactWord({ impact }: Pick<CheckWindowResponse, "impact">): string {
  return formatEnum(impact, "WINDOW_IMPACT").toLowerCase();
}

/** The state of a window, and that it is overdue. */
export function stateWords({ state }: MaintenanceWindow, overdue: boolean): string {
  return `${formatEnum(state, "WINDOW_STATE")}${overdue ? ", overdue" : ""}`;
}

/** A time from and until, in the reader's zone or another one, with its offset from UTC; "" for none. */
export function spanWords(
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

/** Units of the figures of reasons; others are counts. */
const UNITS: Readonly<Record<string, (value: number) => string>> = {
  TRIP: (value) => formatDecimal(value, "%"),
  OVER_LIMIT: (value) => formatDecimal(value, "%"),
  UPLINK_OVER_LIMIT: (value) => formatDecimal(value, "%"),
  COOLING_SHORT: (value) => formatDecimal(value, "kW"),
  LAST_COOLING_UNIT: (value) => formatDecimal(value, "kW"),
  CAPACITY_UNKNOWN: formatWatts,
  ON_BATTERY: formatDuration,
  NEXT_FAILURE: (value) => formatQuantity(value, "rack"),
};

/** The figures of a reason: before, in the window, and what it may be. */
export function reasonNumbers({ kind, before, during, limit }: WindowReason): string {
  const words = UNITS[kind.replace("WINDOW_REASON_KIND_", "")] ?? ((value: number) => formatDecimal(value));
  const parts = [
    ["before", before],
    ["in the window", during],
    ["limit", limit],
  ] as const;
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${words(value)}`])).join(", ");
}

/** Who is responsible, and for what. @param most codes that are listed */
export function contactWords(one: WindowContact, most: number): readonly [who: string, what: string] {
  const who = [one.tenant, one.contact].filter((text) => text !== "").join(", ");
  const parts = [
    one.lost_count > 0 ? `lost: ${listSome(one.lost, most, one.lost_count)}` : "",
    one.reserve_count > 0 ? `on the last supply: ${listSome(one.reserve, most, one.reserve_count)}` : "",
  ];
  return [who === "" ? "No tenant or contact recorded" : who, parts.filter((text) => text !== "").join("; ")];
}

/** Usual time ranges, by the number of days ago at which they begin. */
export const TIME_RANGES = [
  ["", "Any time"],
  ["0", "Today"],
  ["1", "Since yesterday"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["own", "Own range"],
] as const;

/** Returns the local date `daysAgo` days before `now` as `YYYY-MM-DD`; "" if `daysAgo` is NaN. */
export function formatDayAgo(daysAgo: number, now = new Date()): string {
  if (Number.isNaN(daysAgo)) return "";
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  const padTwoDigits = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${padTwoDigits(day.getMonth() + 1)}-${padTwoDigits(day.getDate())}`;
}

/** Returns the value in `TIME_RANGES` for the first and last day of a range; "own" if it is not a usual range. */
export function findTimeRange(since: string, until: string, now = new Date()): string {
  if (since === "" && until === "") return "";
  const known = TIME_RANGES.find(
    ([days]) => /^\d+$/.test(days) && until === "" && since === formatDayAgo(Number(days), now),
  );
  return known?.[0] ?? "own";
}

/** Returns the UTC time at which a local day (`YYYY-MM-DD`) starts or ends; "" for any other text. */
export function computeDayEdge(day: string, edge: "start" | "end"): string {
  const [, year = "", month = "", date = ""] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === "") return "";
  return new Date(Number(year), Number(month) - 1, Number(date) + (edge === "end" ? 1 : 0)).toISOString();
}

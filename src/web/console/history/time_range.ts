/** Usual time ranges, by the number of days ago at which they begin. */
export const TIME_RANGES = [
  ["", "Any time"],
  ["0", "Today"],
  ["1", "Since yesterday"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["own", "Own range"],
] as const;

/** Returns a local day some days ago as `YYYY-MM-DD`; empty if the input is no number. */
export function formatDayAgo(daysAgo: number, now = new Date()): string {
  if (Number.isNaN(daysAgo)) return "";
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** Returns the choice in `TIME_RANGES` whose first and last day are the given ones. */
export function findTimeRange(since: string, until: string, now = new Date()): string {
  if (since === "" && until === "") return "";
  const known = TIME_RANGES.find(
    ([days]) => /^\d+$/.test(days) && until === "" && since === formatDayAgo(Number(days), now),
  );
  return known?.[0] ?? "own";
}

/** Returns the UTC time at which a local day starts or ends; empty if the text is no day. */
export function computeDayEdge(day: string, edge: "start" | "end"): string {
  const [, year = "", month = "", date = ""] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === "") return "";
  return new Date(Number(year), Number(month) - 1, Number(date) + (edge === "end" ? 1 : 0)).toISOString();
}

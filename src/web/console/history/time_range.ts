/** Ranges that people ask for, by how many days ago they begin. */
export const RANGES = [
  ["", "Any time"],
  ["0", "Today"],
  ["1", "Since yesterday"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["own", "Own range"],
] as const;

/** The local day so many days ago, as `YYYY-MM-DD`; empty if it is not a number. */
export function dayOf(daysAgo: number, now = new Date()): string {
  if (Number.isNaN(daysAgo)) return "";
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The range that two days make, as a choice of `RANGES`. */
export function rangeOf(since: string, until: string, now = new Date()): string {
  if (since === "" && until === "") return "";
  const known = RANGES.find(([days]) => /^\d+$/.test(days) && until === "" && since === dayOf(Number(days), now));
  return known?.[0] ?? "own";
}

/** Where a local day begins, or where the next one does, in UTC; empty if it is not a day. */
export function momentOf(day: string, edge: "start" | "end"): string {
  const [, year = "", month = "", date = ""] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === "") return "";
  return new Date(Number(year), Number(month) - 1, Number(date) + (edge === "end" ? 1 : 0)).toISOString();
}

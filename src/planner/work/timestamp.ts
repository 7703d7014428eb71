import { formatCountWithNoun } from "#words/names.ts";

const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Parses an ISO 8601 time. A time without a zone is local; a date without a time means its local midnight.
 *
 * @returns undefined for any other text, including impossible dates such as 30 February
 */
export function parseTimestamp(text: string): Date | undefined {
  const match = TIMESTAMP.exec(text.trim());
  if (match === null) return undefined;
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00", zone = ""] = match;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > lastDay) return undefined;
  const fraction = /[.,](\d{1,3})/.exec(text)?.[1] ?? "0";
  const time = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0")}${normalizeZone(zone)}`,
  );
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Returns `+02` and `+0200` in the form `+02:00`, which Date requires. */
function normalizeZone(zone: string): string {
  if (zone === "" || /^z$/i.test(zone)) return zone.toUpperCase();
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Formats a duration in its largest unit, such as `3 minutes ago`. */
export function formatAge(milliseconds: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1000],
  ] as const;
  for (const [unit, length] of units) {
    const count = Math.floor(milliseconds / length);
    if (count >= 1) return `${formatCountWithNoun(count, unit)} ago`;
  }
  return "just now";
}

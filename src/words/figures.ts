// Formatters of figures for pages, pictures and summaries; an unknown figure is "–".

const groupedFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const wholeFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const UNKNOWN_FIGURE = "–";

/** Formats a number with one decimal if it is significant, without separators of thousands: `1250.5`. */
export function formatPlainNumber(value: number): string {
  const text = value.toFixed(1);
  return text.endsWith(".0") ? text.slice(0, -2) : text;
}

/** Formats a number with exactly one decimal, for right-aligned columns. */
export function formatTenths(value: number | undefined, unknown = ""): string {
  return value === undefined ? unknown : value.toFixed(1);
}

/** Formats a whole number with separators of thousands: `12,345`. */
export function formatCount(value: number | undefined): string {
  return value === undefined ? UNKNOWN_FIGURE : wholeFormat.format(value);
}

/** Formats a number with separators of thousands, one decimal if it is significant, and a unit. */
export function formatDecimal(value: number | undefined, unit = ""): string {
  if (value === undefined) return UNKNOWN_FIGURE;
  return appendUnit(groupedFormat.format(value), unit);
}

export function appendUnit(figure: string, unit: string): string {
  return unit === "" ? figure : `${figure} ${unit}`;
}

export function formatPercent(value: number | undefined): string {
  return value === undefined ? UNKNOWN_FIGURE : `${formatPlainNumber(value)} %`;
}

/** Whether a sum of draws or of heat is unknown: it is 0, and of some devices nothing is recorded. */
export function isSumUnknown(sum: number, unknown: number): boolean {
  return sum === 0 && unknown > 0;
}

/** Formats a sum of draws or of heat. @param unknown number of devices that the sum lacks, because nothing is recorded */
export function formatKnownSum(sum = 0, unknown = 0, format: (sum: number) => string = formatWatts): string {
  if (isSumUnknown(sum, unknown)) return "not recorded";
  return unknown === 0 ? format(sum) : `${format(sum)}, ${unknown} not recorded`;
}

/** Formats a power in W without decimals, or in kW or MW with one decimal. */
export function formatWatts(value: number | undefined): string {
  if (value === undefined) return UNKNOWN_FIGURE;
  if (Math.abs(value) < 1000) return `${Math.round(value)} W`;
  return Math.abs(value) < 1_000_000
    ? `${formatPlainNumber(value / 1000)} kW`
    : `${formatPlainNumber(value / 1_000_000)} MW`;
}

export function formatKilowatts(value: number): string {
  return formatWatts(value * 1000);
}

/** Formats `mbps`, megabits per second, in Mbit/s, Gbit/s or Tbit/s. */
export function formatBandwidth(mbps: number | undefined): string {
  if (mbps === undefined) return UNKNOWN_FIGURE;
  if (mbps < 1000) return `${formatPlainNumber(mbps)} Mbit/s`;
  return mbps < 1_000_000
    ? `${formatPlainNumber(mbps / 1000)} Gbit/s`
    : `${formatPlainNumber(mbps / 1_000_000)} Tbit/s`;
}

export function formatMetres(value: number): string {
  return `${formatPlainNumber(value)} m`;
}

/** Formats a duration, given in seconds, as seconds, minutes or hours. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${formatPlainNumber(minutes / 60)} h`;
}

/** Formats a count in short form: `950`, `47k` or `1.2M`. */
export function formatShortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`;
}

export function formatDollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

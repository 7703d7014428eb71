import { isDrawUnknown } from "#dc/model/draw.ts";

/** The word of an enumeration's number: the proto numbers its values from 1; undefined for 0 and unknown numbers. */
export function wordAt<Word extends string>(words: readonly Word[], number: number): Word | undefined {
  return words[number - 1];
}

const ABBREVIATIONS = new Set(["PDU", "UPS", "RPP", "KVM", "CDU", "CRAC", "CRAH", "ECMP", "U", "N"]);

/** A constant as a person reads it: "RACK_PDU" is "Rack PDU". */
export function readable(constant: string): string {
  const words = constant
    .split("_")
    .map((word) => (ABBREVIATIONS.has(word) ? word : word.toLowerCase()))
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a reference names, without its kind. */
export function refName(ref: string): string {
  return ref.slice(ref.indexOf(":") + 1);
}

/** The unit of what a reason of health or a hotspot found, and of its limit, after a space. */
export function reasonUnit(code: string): string {
  if (code.startsWith("ZONE_") || code.startsWith("RACK_WITHOUT_")) return " kW";
  if (code.startsWith("INLET_")) return " °C";
  if (code === "STALE_TELEMETRY") return " h";
  return SHARES.has(code) || code.startsWith("RACK_COOLING_") ? " %" : "";
}

const SHARES: ReadonlySet<string> = new Set(["POWER_NORMAL", "POWER_FAILOVER", "SPACE", "WEIGHT"]);

/** Watts with the unit that reads best. */
export function watts(value: number): string {
  if (Math.abs(value) < 1000) return `${Math.round(value)} W`;
  return Math.abs(value) < 1_000_000 ? `${fixed(value / 1000)} kW` : `${fixed(value / 1_000_000)} MW`;
}

/** Formats the draw of a number of devices. */
export function drawOf(devices: number, sumW: number): string {
  return isDrawUnknown(devices, sumW) ? "draw not recorded" : watts(sumW);
}

export function kilowatts(value: number): string {
  return watts(value * 1000);
}

export function percent(value: number): string {
  return `${fixed(value)} %`;
}

/** Formats a number with one decimal if it is significant. */
export function fixed(value: number): string {
  const text = value.toFixed(1);
  return text.endsWith(".0") ? text.slice(0, -2) : text;
}

/** `one` for 1, `many` for any other count, with the count before it. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Joins code and name on one line; omits a name that equals the code. */
export function titled(code: string, name: string): string {
  return name === "" || name === code ? code : `${code} · ${name}`;
}

/** Heading of a rack: code and name, or the name alone if it contains the code. */
export function rackTitle(code: string, name: string): string {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}._-]+/u);
  return words.includes(code.toLowerCase()) ? name : `Rack ${titled(code, name)}`;
}

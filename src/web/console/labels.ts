import { FORM_ENUMS, FORMS } from "#gen/datacenter/v1/forms.ts";
import type { PortRef } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { capitalize, formatConstant, LOAD_BASIS_ADJECTIVES, pluralize, stripRefKinds } from "#words/names.ts";
import { getFieldLabel } from "./edit/form_model.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Formats a count with thousands separators and its noun: `1,250 racks`. */
export function formatQuantity(value: number, noun: string): string {
  return `${formatCount(value)} ${value === 1 ? noun : pluralize(noun)}`;
}

const MOMENT_OPTIONS: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "shortOffset",
};
const momentFormatter = new Intl.DateTimeFormat(undefined, MOMENT_OPTIONS);

/** Formats a time in `timeZone`, by default the reader's, with its UTC offset. Returns an invalid time unchanged. */
export function formatMoment(iso: string, timeZone?: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const format =
    timeZone === undefined ? momentFormatter : new Intl.DateTimeFormat(undefined, { ...MOMENT_OPTIONS, timeZone });
  return format.format(date).replace("GMT", "UTC");
}

const timeOfDayFormatter = new Intl.DateTimeFormat(undefined, {
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "shortOffset",
});

/** Formats a time (milliseconds since 1970) as a time of day in the reader's time zone, with its UTC offset. */
export function formatTimeOfDay(milliseconds: number): string {
  return timeOfDayFormatter.format(milliseconds).replace("GMT", "UTC");
}

const { second: _, ...SHORT_MOMENT_OPTIONS } = MOMENT_OPTIONS;
const { year: __, ...YEARLESS_MOMENT_OPTIONS } = SHORT_MOMENT_OPTIONS;
const shortMomentFormatter = new Intl.DateTimeFormat(undefined, SHORT_MOMENT_OPTIONS);
const yearlessMomentFormatter = new Intl.DateTimeFormat(undefined, YEARLESS_MOMENT_OPTIONS);

/** Formats a time in short form to the minute: without the date if it is today, without the year if it is this year. */
export function formatShortMoment(iso: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  if (date.toDateString() === now.toDateString()) return formatTimeOfDay(date.getTime());
  const format = date.getFullYear() === now.getFullYear() ? yearlessMomentFormatter : shortMomentFormatter;
  return format.format(date).replace("GMT", "UTC");
}

/** Formats a time for comparison with logs: `2026-03-05 14:07:09.120 UTC`. */
export function formatUtcMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toISOString().replace("T", " ").replace("Z", " UTC");
}

/** Kinds of draw that can count as load: each value in URLs with its label. */
export const LOAD_BASIS_CHOICES = [
  ["", `${capitalize(LOAD_BASIS_ADJECTIVES.ALLOCATED)} draw`],
  ["measured", `${capitalize(LOAD_BASIS_ADJECTIVES.MEASURED)} draw`],
  ["max", `${capitalize(LOAD_BASIS_ADJECTIVES.MAX)} draw`],
] as const;

export function formatPortRef({ device_code, port_name }: PortRef): string {
  return `port:${device_code}/${port_name}`;
}

export function formatPortName({ device_code, port_name }: PortRef): string {
  return `${device_code} ${port_name}`;
}

const FIELDS_BY_NAME = new Map(
  Object.values(FORMS)
    .flat()
    .map((field) => [field.name, field] as const),
);
const CONSTANT_LABELS = new Map(
  Object.values(FORM_ENUMS).flatMap(({ prefix, values }) =>
    [...values, "UNSPECIFIED"].flatMap((value) => [
      [`${prefix}_${value}`, formatConstant(value)] as const,
      [value, formatConstant(value)] as const,
    ]),
  ),
);

/** Matches a field by path, as `items[0].ports[3].speed_mbps`, or by name after "Field", "Condition" or "column". */
const FIELD_PATH_PATTERN =
  /(\b(?:Fields?|Condition|column) )?"?\b[a-z][a-z0-9]*(?:_[a-z0-9]+|\[\d+\]|\.(?=[a-z]))[a-z0-9_\].[]*"?/g;
/** Matches constants outside quotes; inside quotes they may be a code of the inventory. */
const CONSTANT_PATTERN = /(?<![\w"/:~-])[A-Z][A-Z0-9_]+(?![\w"/:~-])/g;
/** Matches the syntax of a reference, such as `port:<device>/<port>`. */
const REF_SYNTAX_PATTERN = /\b([a-z_]+):<\w+>(?:[/~]<\w+>)*/g;

/** Replaces names in a service message: fields by labels, constants by words, references by codes. */
export function simplifyMessage(message: string): string {
  const named = message
    .replaceAll(REF_SYNTAX_PATTERN, (_, kind: string) => `a ${kind.replaceAll("_", " ")}`)
    .replaceAll(FIELD_PATH_PATTERN, labelPath)
    .replaceAll(CONSTANT_PATTERN, labelConstant);
  return stripRefKinds(named);
}

function labelConstant(constant: string): string {
  const word = CONSTANT_LABELS.get(constant);
  if (word === undefined || word === constant) return constant;
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** Converts a path to labels: `ports[3].speed_mbps` becomes "ports 4, speed". Keeps quoted names of unknown fields. */
function labelPath(path: string, before = ""): string {
  const steps = path.slice(before.length).replaceAll('"', "").split(".");
  const last = steps.at(-1)?.replace(/\[\d+\]$/, "") ?? "";
  if (before === "" && path.startsWith('"') && !FIELDS_BY_NAME.has(last)) return path;
  const words = steps.flatMap((step) => {
    const [, name = "", at] = /^(\w+)(?:\[(\d+)\])?$/.exec(step) ?? [];
    if (/^(?:items|changes)$/.test(name)) return [];
    const label = getFieldLabel(
      FIELDS_BY_NAME.get(name) ?? { name: name.replace(/_refs?$/, ""), type: "text" },
    ).toLowerCase();
    return [at === undefined ? label : `${label} ${Number(at) + 1}`];
  });
  const named = words.join(", ");
  return before === "Field " ? capitalize(named) : before + named;
}

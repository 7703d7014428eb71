import { getUnitOfField } from "./names.ts";

// Reads what people type into spreadsheets: figures with units, positions in racks, headings, separators.

/** A number, or why a text cannot be read. */
export type FigureReading = { readonly value: number; readonly height?: number } | { readonly problem: string };

/** What a figure is read for. */
export interface FigureRules {
  /** Unit of the field, such as kW; "" for none. */
  readonly unit: string;
  /** Unit of the column's heading, for figures without a unit. */
  readonly headingUnit?: string;
  /** Decimal sign of the sheet; without it a figure that could be read in two ways is refused. */
  readonly decimal?: "." | "," | undefined;
  /** Whether the field takes whole numbers only. */
  readonly isWhole?: boolean;
}

/** Size of each unit, in lower case, by what is measured. */
const UNIT_SIZES: readonly Readonly<Record<string, number>>[] = [
  { w: 1, watt: 1, watts: 1, kw: 1000, mw: 1_000_000, "btu/h": 0.29307107, "btu/hr": 0.29307107 },
  { va: 1, kva: 1000, mva: 1_000_000 },
  { g: 0.001, kg: 1, t: 1000, lb: 0.45359237, lbs: 0.45359237, oz: 0.028349523125 },
  { mm: 0.001, cm: 0.01, m: 1, km: 1000, in: 0.0254, inch: 0.0254, '"': 0.0254, ft: 0.3048, "'": 0.3048 },
  { u: 1, ru: 1, he: 1, unit: 1, units: 1 },
  { mv: 0.001, v: 1, vac: 1, vdc: 1, kv: 1000 },
  { ma: 0.001, a: 1, amp: 1, amps: 1 },
  { "%": 1, pct: 1, percent: 1 },
  { "°c": 1, c: 1 },
  {
    ...{ "kbit/s": 0.001, kbps: 0.001, "mbit/s": 1, mbps: 1, "gbit/s": 1000, gbps: 1000, "tbit/s": 1e6, tbps: 1e6 },
    ...{ g: 1000, gb: 1000, gbe: 1000 },
  },
  { "m³/h": 1, "m3/h": 1, cfm: 1.69901 },
  { s: 1, sec: 1, min: 60, h: 3600 },
  { "°": 1, deg: 1 },
  // Units of no field, so that a heading that names one is not taken for a figure in the field's unit.
  ...[{ hp: 1 }, { kwh: 1 }, { ah: 1 }, { hz: 1 }, { "°f": 1, f: 1 }, { k: 1 }],
];

function isUnit(word: string): boolean {
  return UNIT_SIZES.some((sizes) => Object.hasOwn(sizes, word.toLowerCase()));
}

/** Returns how many of a field's units one given unit is; undefined if it measures something else. */
function convertUnit(given: string, unit: string): number | undefined {
  const wanted = unit.toLowerCase();
  // Several quantities have a unit of one letter, so the field decides.
  const sizes = UNIT_SIZES.find((one) => Object.hasOwn(one, wanted) && Object.hasOwn(one, given.toLowerCase()));
  // "mW" and "mV" are thousandths in every spelling of people who write them; "MW" is a million.
  if (sizes === undefined || given === "mW") return undefined;
  return (sizes[given.toLowerCase()] ?? 1) / (sizes[wanted] ?? 1);
}

/** Trims a cell and replaces the blanks of spreadsheets, such as no-break spaces, by usual ones. */
export function cleanCell(text: string): string {
  return text.replaceAll(/[\u00a0\u2000-\u200b\u202f\ufeff]/g, " ").trim();
}

/** Replaces the blanks of spreadsheets, such as no-break spaces and line breaks in cells, and trims the text. */
export function normalizeBlanks(text: string): string {
  return text.replaceAll(/[\s\u200b\ufeff]+/g, " ").trim();
}

const FIGURE_PATTERN = /^([-+−]?)(\d[\d.,' ’]*|[.,]\d+)(e[-+]?\d{1,3})?(?!\d)(.*)$/i;

/** Reads a figure with thousands, decimals and a unit, in the unit of its field. */
export function readFigure(text: string, rules: FigureRules): FigureReading {
  const cell = normalizeBlanks(text);
  const [, sign = "", figure = "", exponent = "", rest = ""] = FIGURE_PATTERN.exec(cell) ?? [];
  const { unit, headingUnit = unit, decimal, isWhole } = rules;
  const given = rest.trim() || headingUnit;
  const factor = given === unit ? 1 : convertUnit(given, unit);
  const expected = unit === "" ? "" : ` in ${unit}`;
  if (figure === "") return { problem: `"${cell}" is not a number${expected}` };
  if (factor === undefined)
    return { problem: `"${cell}" is not a number${expected}${isUnit(given) ? `: it is in ${given}` : ""}` };
  const digits = readDigits(figure.trim(), exponent === "" ? decimal : (decimal ?? "any"));
  if ("problem" in digits) return digits;
  const value = Number(`${sign.replace("−", "-")}${digits.value}${exponent}`);
  if (!Number.isFinite(value)) return { problem: `"${cell}" is too large` };
  if (factor === 1) return { value };
  const converted = Number((value * factor).toPrecision(12));
  return { value: isWhole === true ? Math.round(converted) : converted };
}

type DigitsReading = { readonly value: string } | { readonly problem: string };

/** Removes separators of thousands from digits. `any` takes a single separator as the decimal sign. */
function readDigits(figure: string, decimal: FigureRules["decimal"] | "any"): DigitsReading {
  const plain = figure.replace(/^(\d{1,3})(?:[' ’]\d{3})+(?=$|[.,])/, (head) => head.replaceAll(/[' ’]/g, ""));
  const wrong = { problem: `"${figure}" is not a number` };
  if (/[' ’]|[.,]$/.test(plain)) return wrong;
  const signs = [...(plain.match(/[.,]/g) ?? [])];
  const [sign] = signs;
  if (sign === undefined) return { value: plain };
  if (signs.length === 1) return readSingleSign(plain, sign, plain === figure ? decimal : (decimal ?? "any"));
  const last = signs.at(-1) ?? sign;
  const [whole = "", fraction = ""] = last === sign ? [plain] : plain.split(last);
  const isRead = plain === figure && areThousands(whole, sign) && signs.lastIndexOf(sign) >= signs.length - 2;
  if (!isRead || decimal === sign) return wrong;
  return { value: `${whole.replaceAll(sign, "")}${fraction === "" ? "" : `.${fraction}`}` };
}

function readSingleSign(plain: string, sign: string, decimal: FigureRules["decimal"] | "any"): DigitsReading {
  const thousands = plain.replace(sign, "");
  const fraction = plain.replace(sign, ".");
  if (decimal === sign || decimal === "any") return { value: fraction };
  const canBeThousands = areThousands(plain, sign);
  if (decimal === undefined && canBeThousands)
    return {
      problem: `"${plain}" may be ${thousands} or ${Number(fraction)}: expected one of these, or the decimal sign in the mapping`,
    };
  if (decimal === undefined) return { value: fraction };
  if (canBeThousands) return { value: thousands };
  return { problem: `"${plain}" is not a number with "${decimal}" as the decimal sign` };
}

function areThousands(digits: string, by: string): boolean {
  return digits.split(by).every((group, at) => (at === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(group));
}

const POSITION_FIELDS: ReadonlySet<string> = new Set(["position_u", "starting_unit"]);

/** Reads a cell as the figure of a field. A range of units has a height, too. */
export function readFieldFigure(
  text: string,
  name: string,
  { heading, decimal, isWhole }: Pick<FigureRules, "decimal" | "isWhole"> & { readonly heading: string },
): FigureReading {
  const position = POSITION_FIELDS.has(name) ? readRackPosition(text) : undefined;
  if (position !== undefined) return position;
  const unit = getUnitOfField(name);
  const column = findHeadingUnit(normalizeBlanks(heading), unit);
  if ("problem" in column) return column;
  return readFigure(text, {
    unit,
    headingUnit: column.unit,
    ...(isWhole !== undefined && { isWhole }),
    decimal,
  });
}

const UNIT_WORD = String.raw`(?:r?u|he)?[ .]?(\d{1,3}(?:[.,]5)?)[ ]?(?:r?u|he)?`;
const POSITION_PATTERN = new RegExp(`^${UNIT_WORD}(?:(?: ?[-–—] ?| to )${UNIT_WORD})?$`, "i");

/** Reads a position such as `28`, `U28`, `28U`, `u42-u45` or `45-42`; undefined for another text. */
export function readRackPosition(text: string): { readonly value: number; readonly height?: number } | undefined {
  const [whole, from, to] = POSITION_PATTERN.exec(normalizeBlanks(text)) ?? [];
  if (whole === undefined || from === undefined) return undefined;
  const [one, other] = [from, to ?? from].map((unit) => Number(unit.replace(",", "."))).sort((a, b) => a - b);
  if (one === undefined || other === undefined) return undefined;
  return to === undefined ? { value: one } : { value: one, height: other - one + 1 };
}

const BRACKETED_PATTERN = /\s*[([]\s*([^()[\]]*?)\s*[)\]]\s*$/;
const LAST_WORD_PATTERN = /(?:^|[\s_,/-]+)([^\s_,/-]+)$/;

/** Returns a heading without the unit at its end, and the unit: `Max power (kW)` is `Max power` and `kW`. */
function splitHeading(heading: string): {
  readonly stem: string;
  readonly unit: string;
  readonly isSure: boolean;
} {
  for (const pattern of [BRACKETED_PATTERN, LAST_WORD_PATTERN]) {
    const found = pattern.exec(heading);
    const unit = found?.[1] ?? "";
    if (found !== null && isUnit(unit))
      return { stem: heading.slice(0, found.index), unit, isSure: pattern === BRACKETED_PATTERN };
  }
  return { stem: heading, unit: "", isSure: true };
}

/** Returns the unit that a column's heading names for a field; the field's own without one. */
export function findHeadingUnit(
  heading: string,
  unit: string,
): { readonly unit: string } | { readonly problem: string } {
  const named = splitHeading(heading);
  if (unit === "" || named.unit === "") return { unit };
  if (convertUnit(named.unit, unit) !== undefined) return { unit: named.unit };
  // A last word such as the A of "Feed A" only looks like a unit.
  return named.isSure ? { problem: `the column "${heading}" is in ${named.unit}: expected ${unit}` } : { unit };
}

/** Returns the first field that a heading means, by name or by name without a unit that the field has. */
export function guessFieldOfHeading<Field>(
  heading: string,
  findField: (name: string) => Field | undefined,
  getUnit: (field: Field) => string,
): Field | undefined {
  const whole = findField(heading);
  if (whole !== undefined) return whole;
  const { stem, unit } = splitHeading(heading);
  const field = unit === "" ? undefined : findField(stem);
  return field !== undefined && convertUnit(unit, getUnit(field)) !== undefined ? field : undefined;
}

/** Spreadsheets write semicolons if the comma is the decimal sign, and tabs in the format "Unicode text". */
const DELIMITERS = [",", ";", "\t", "|"] as const;
const MAX_COMPARED_LINES = 8;

/** First line of a file in which Excel names the separator: `sep=;`. */
export const SEPARATOR_LINE_PATTERN = /^\ufeff?sep=(.)\r?(?:\n|$)/i;

/** Returns the separator of a sheet: the named one, else the one that most of the first lines have. */
export function detectDelimiter(beginning: string): string {
  const named = SEPARATOR_LINE_PATTERN.exec(beginning)?.[1];
  if (named !== undefined) return named;
  const lines = countDelimiters(beginning);
  const rate = (delimiter: string) => {
    const counts = lines.map((line) => line.get(delimiter) ?? 0).filter((count) => count > 0);
    return counts.length * 1_000_000 + counts.reduce((sum, count) => sum + count, 0);
  };
  return DELIMITERS.reduce((best, one) => (rate(one) > rate(best) ? one : best));
}

/** Counts the possible separators outside of quotes in each of the first lines. */
function countDelimiters(text: string): readonly ReadonlyMap<string, number>[] {
  const lines = [new Map<string, number>()];
  let isQuoted = false;
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (letter === "\n" && lines.push(new Map()) > MAX_COMPARED_LINES) return lines.slice(0, -1);
    else lines.at(-1)?.set(letter, (lines.at(-1)?.get(letter) ?? 0) + 1);
  }
  return lines;
}

/** Whether a record has no text, or is the rule below the headings of a Markdown table. */
export function isBlankRecord(record: readonly string[]): boolean {
  return record.every((cell) => /^(:?-{3,}:?)?$/.test(normalizeBlanks(cell)));
}

/** Whether a record before the headings can be a title: it has one cell with text. */
export function isTitleRecord(record: readonly string[]): boolean {
  return record.filter((cell) => normalizeBlanks(cell) !== "").length === 1;
}

/** Maximum number of rows above the headings. */
export const MAX_TITLE_RECORDS = 10;

/** Field names by column names of imported lists; column names are reduced to lower-case letters and digits. */
export const COLUMN_FIELDS: Readonly<Record<string, string>> = {
  ...{ device: "code", devicename: "code", rackname: "code" },
  ...{ rack: "rack_code", rackid: "rack_code", cabinet: "rack_code" },
  ...{ u: "position_u", unit: "position_u", position: "position_u", ru: "position_u", rackunit: "position_u" },
  ...{ height: "u_height", uheight: "u_height", size: "u_height" },
  ...{ site: "location.site_id", datacenter: "location.site_id", floor: "location.floor_number" },
  ...{ room: "location.room", row: "location.row", zone: "location.zone_id" },
  ...{ vendor: "manufacturer", maker: "manufacturer", make: "manufacturer", serialnumber: "serial", sn: "serial" },
  ...{ asset: "asset_tag", owner: "tenant", customer: "tenant", notes: "comments", comment: "comments" },
  ...{ power: "allocated_draw_w", draw: "allocated_draw_w", watts: "allocated_draw_w", maxpower: "max_draw_w" },
  ...{ weight: "weight_kg", colour: "color", fabric: "fabric_id", capacity: "capacity_mbps" },
  ...{
    parent: "parent_device_code",
    parentdevice: "parent_device_code",
    chassis: "parent_device_code",
    devicebay: "bay",
  },
  ...{ enda: "a", endb: "b", from: "a", to: "b", length: "length_m" },
};

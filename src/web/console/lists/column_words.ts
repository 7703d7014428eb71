import {
  formatBandwidth,
  formatCount,
  formatDecimal,
  formatKilowatts,
  formatPercent,
  formatWatts,
} from "#words/figures.ts";
import { formatConstant, formatPortType, splitUnit } from "#words/names.ts";

/** Names of columns whose own name says too little. */
const NAMES: Readonly<Record<string, string>> = {
  cracs: "Cooling units",
  draw_w: "Planned draw",
  max_draw_w: "Greatest draw",
  measured_draw_w: "Measured draw",
  heat_w: "Heat",
  position_u: "U",
  height_u: "Height",
  free_u: "Free",
  largest_free_block_u: "Largest block",
  space_pct: "Space used",
  power_pct: "Power used",
  cooling_pct: "Cooling used",
  load_pct: "Load",
  load_w: "Load now",
  load_kw: "Heat carried",
  failover_w: "Load after one failure",
  failover_pct: "After one failure",
  failover_ref: "When this is lost",
  limit_pct: "Limit",
  phase_a_va: "Phase A",
  phase_b_va: "Phase B",
  phase_c_va: "Phase C",
  worst_leg: "Busiest phase",
  failover_phase_a_va: "Phase A after one failure",
  failover_phase_b_va: "Phase B after one failure",
  failover_phase_c_va: "Phase C after one failure",
  failover_worst_leg: "Busiest phase after one failure",
  battery_min: "Battery at this load",
  battery_failover_min: "Battery after one failure",
  effective_kw: "Capacity",
  rated_kw: "Rated",
  busiest_pct: "Busiest link",
  a_device: "From",
  a_port: "From port",
  b_device: "To",
  b_port: "To port",
  cords: "Inlets",
  power: "Power now",
  power_capacity_w: "Power limit",
  inside: "Chassis",
  leads_to: "Leads to",
  fed_by: "Fed by",
  free_port: "Free data port",
};

const UNITS = /_(?:w|kw|va|pct|u|kg|m|min|c|mbps)$/;

/** The name of a column, without its unit. */
export function columnName(column: string): string {
  return NAMES[column] ?? formatConstant(column.replace(UNITS, "").toUpperCase()).replace(/ a$/, "");
}

/** Whether a column holds figures. */
export function isFigure(column: string): boolean {
  return UNITS.test(column) || COUNTS.has(column);
}

const COUNTS: ReadonlySet<string> = new Set(
  "racks devices cracs findings cords consumers switches links up down congested errors ports bays".split(" "),
);

/** Watts from which a whole column is written in kilowatts: one unit per column. */
const KILOWATTS_FROM = 10_000;

function wattsIn(value: number, most: number | undefined): string {
  if (most === undefined) return formatWatts(value);
  return most >= KILOWATTS_FROM ? formatDecimal(value / 1000, "kW") : `${formatCount(value)} W`;
}

/** A figure with its unit; `most` is the greatest figure of the column, which decides the unit, if it is in one. */
export function figureWords(column: string, value: number, most?: number): string {
  if (column.endsWith("_kw")) return most === undefined ? formatKilowatts(value) : formatDecimal(value, "kW");
  if (column.endsWith("_w")) return wattsIn(value, most);
  if (column.endsWith("_pct")) return formatPercent(value);
  if (column.endsWith("_mbps")) return formatBandwidth(value);
  return formatDecimal(value, column === "position_u" || !UNITS.test(column) ? "" : splitUnit(column).unit);
}

/** A word of an enumeration, such as `RACK_PDU`, in the field's own spelling; other texts as they are. */
export function textWords(text: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(text) && ENUMERATED.test(text) ? formatConstant(text) : text;
}

const ENUMERATED = /^(?:[A-Z]+_[A-Z0-9_]+|[A-Z]{3,})$/;

/** Columns whose texts are words of enumerations. */
const ENUMERATIONS: ReadonlySet<string> = new Set(
  "kind status health supply redundancy cooling medium heat_rejection power traffic enabled free_port depth airflow".split(
    " ",
  ),
);

/** A text of a column as a person reads it. */
export function cellWords(column: string, text: string): string {
  if (column === "traffic") return formatConstant(text);
  if (column === "type") return formatPortType(textWords(text));
  return ENUMERATIONS.has(column) || column === "role" ? textWords(text) : text;
}

const RANGE = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/;

/** Least and greatest figure of a condition; undefined if it is one on texts. */
export function rangeOf(text: string): { readonly min?: number; readonly max?: number } | undefined {
  const [match, min, max] = RANGE.exec(text) ?? [];
  if (match === undefined) return undefined;
  return { ...(min !== undefined && { min: Number(min) }), ...(max !== undefined && { max: Number(max) }) };
}

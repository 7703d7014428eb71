import {
  formatBandwidth,
  formatCount,
  formatDecimal,
  formatKilowatts,
  formatPercent,
  formatWatts,
} from "#words/figures.ts";
import { formatConstant, formatPortType, splitUnit } from "#words/names.ts";

/** Labels of columns whose own name is not clear. */
const COLUMN_LABELS: Readonly<Record<string, string>> = {
  cracs: "Cooling units",
  draw_w: "Planned draw",
  draw_source: "Draw taken from",
  devices_without_draw: "Draws not recorded",
  consumers_without_draw: "Draws not recorded",
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

const UNIT_SUFFIX_PATTERN = /_(?:w|kw|va|pct|u|kg|m|min|c|mbps)$/;

/** Returns the label of a column, without its unit. */
export function getColumnLabel(column: string): string {
  return (
    COLUMN_LABELS[column] ?? formatConstant(column.replace(UNIT_SUFFIX_PATTERN, "").toUpperCase()).replace(/ a$/, "")
  );
}

/** Whether a column contains figures. */
export function isFigureColumn(column: string): boolean {
  return UNIT_SUFFIX_PATTERN.test(column) || COUNT_COLUMNS.has(column);
}

const COUNT_COLUMNS: ReadonlySet<string> = new Set(
  "racks devices cracs findings cords consumers switches links up down congested errors ports bays".split(" "),
);

/** Number of watts from which a whole column is shown in kilowatts, so that all its cells have the same unit. */
const KILOWATT_COLUMN_MIN_W = 10_000;

function formatColumnWatts(value: number, most: number | undefined): string {
  if (most === undefined) return formatWatts(value);
  return most >= KILOWATT_COLUMN_MIN_W ? formatDecimal(value / 1000, "kW") : `${formatCount(value)} W`;
}

/** Formats a figure with its unit. `most`, the column's greatest figure, decides the unit of the whole column. */
export function formatColumnFigure(column: string, value: number, most?: number): string {
  if (column.endsWith("_kw")) return most === undefined ? formatKilowatts(value) : formatDecimal(value, "kW");
  if (column.endsWith("_w")) return formatColumnWatts(value, most);
  if (column.endsWith("_pct")) return formatPercent(value);
  if (column.endsWith("_mbps")) return formatBandwidth(value);
  return formatDecimal(
    value,
    column === "position_u" || !UNIT_SUFFIX_PATTERN.test(column) ? "" : splitUnit(column).unit,
  );
}

/** Formats an enum value such as `RACK_PDU` for people; returns other texts unchanged. */
export function formatEnumText(text: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(text) && ENUM_VALUE_PATTERN.test(text) ? formatConstant(text) : text;
}

const ENUM_VALUE_PATTERN = /^(?:[A-Z]+_[A-Z0-9_]+|[A-Z]{3,})$/;

/** Columns whose texts are enum values. */
const ENUM_COLUMNS: ReadonlySet<string> = new Set(
  "kind status health supply redundancy cooling medium heat_rejection power traffic enabled free_port depth airflow".split(
    " ",
  ),
);

/** Formats a text of a column for people. */
export function formatColumnText(column: string, text: string): string {
  if (column === "traffic") return formatConstant(text);
  if (column === "type") return formatPortType(formatEnumText(text));
  return ENUM_COLUMNS.has(column) || column === "role" ? formatEnumText(text) : text;
}

const RANGE_PATTERN = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/;

/** Parses a condition such as `80..100` into its lower and upper bound; undefined for a condition on texts. */
export function parseFigureRange(text: string): { readonly min?: number; readonly max?: number } | undefined {
  const [match, min, max] = RANGE_PATTERN.exec(text) ?? [];
  if (match === undefined) return undefined;
  return { ...(min !== undefined && { min: Number(min) }), ...(max !== undefined && { max: Number(max) }) };
}

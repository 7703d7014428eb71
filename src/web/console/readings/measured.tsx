import type { ComponentProps } from "preact";
import type { KeptReading } from "#gen/datacenter/v1/json.ts";
import { appendUnit, formatBandwidth, formatDecimal, formatDuration } from "#words/figures.ts";
import { formatConstant, splitUnit } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { formatUtcMoment } from "../labels.ts";
import { Card, Facts } from "../ui/parts.tsx";

/** What meters say of an element, beside what is planned, with its age and the last 30 days: a line for each quantity. */
export function useMeasured(target: string, plannedW?: number): ComponentProps<typeof Facts>["rows"] {
  const { reply } = useCall("datacenter.v1.PlanningService/ListReadings", {
    element_refs: [target],
    include_days: true,
    page_size: 100,
  });
  return (reply?.readings ?? []).map((one) => [
    quantityName(one.quantity),
    <Kept key={one.quantity} one={one} plannedW={plannedW} />,
  ]);
}

/** What meters say of an element; nothing if nothing is measured. */
export function Measured({ target, plannedW }: { readonly target: string; readonly plannedW?: number | undefined }) {
  const rows = useMeasured(target, plannedW);
  if (rows.length === 0) return null;
  return (
    <Card title="Measured" action={<a href="#/readings">Readings</a>}>
      <Facts rows={rows} />
    </Card>
  );
}

function Kept({ one, plannedW }: { readonly one: KeptReading; readonly plannedW: number | undefined }) {
  const { quantity, value, time, source, p95_30d, max_30d, days } = one;
  const isPower = quantity === "READING_QUANTITY_POWER_W";
  return (
    <>
      <strong>{valueWords(quantity, value)}</strong>
      {isPower && plannedW !== undefined ? `, ${formatDecimal(plannedW, "W")} planned` : ""}
      {time === undefined ? null : (
        <span class="muted" title={formatUtcMoment(time)}>
          {" "}
          {age(time)} ago, {source}
        </span>
      )}
      <DaysLine quantity={quantity} days={days} />
      {p95_30d === undefined || max_30d === undefined || days.length < 2 ? null : (
        <span class="muted">
          95 % of 30 days below {valueWords(quantity, p95_30d)}, most {valueWords(quantity, max_30d)}
        </span>
      )}
    </>
  );
}

const WIDTH = 120;
const HEIGHT = 20;

/** A line of the 95th percentile of each day. */
function DaysLine({ quantity, days }: Pick<KeptReading, "quantity" | "days">) {
  if (days.length < 2) return null;
  const values = days.map(({ p95 }) => p95);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = WIDTH / (values.length - 1);
  const y = (value: number) => HEIGHT - 2 - ((value - least) / (most - least || 1)) * (HEIGHT - 4);
  const label = `${days.length} days, from ${valueWords(quantity, least)} to ${valueWords(quantity, most)}`;
  return (
    <svg class="days-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={values.map((value, at) => `${at * step},${y(value)}`).join(" ")} />
    </svg>
  );
}

const PREFIX = "READING_QUANTITY_";
const STATES = ["off", "on", "failed"];

/** `READING_QUANTITY_CURRENT_L1_A` as "Current L1". */
export function quantityName(quantity: string): string {
  const { stem } = splitUnit(quantity.slice(PREFIX.length).replace(/_BPS$/, "").toLowerCase());
  return formatConstant(stem.toUpperCase());
}

function valueWords(quantity: string, value: number): string {
  if (quantity.endsWith("_STATE")) return STATES[value] ?? String(value);
  if (quantity.endsWith("_BPS")) return formatBandwidth(value / 1_000_000);
  return appendUnit(formatDecimal(value), splitUnit(quantity.toLowerCase()).unit);
}

/** How long ago something was measured. */
function age(time: string): string {
  return formatDuration(Math.max(0, (Date.now() - Date.parse(time)) / 1000));
}

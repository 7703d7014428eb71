import type { ComponentProps } from "preact";
import type { KeptReading, ReadingFinding } from "#gen/datacenter/v1/json.ts";
import { appendUnit, formatBandwidth, formatCount, formatDecimal, formatDuration } from "#words/figures.ts";
import { formatConstant, getRefName, splitUnit, stripRefKinds } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { useCall } from "../api/client.ts";
import { formatUtcMoment } from "../labels.ts";
import { formatPageUrl } from "../router.ts";
import { Card, FactList, RefLink, TimeText } from "../ui/parts.tsx";

/** Loads an element's readings; returns a row per quantity with planned value, age and the last 30 days. */
export function useReadingRows(target: string, plannedW?: number): ComponentProps<typeof FactList>["rows"] {
  const { reply } = useCall("datacenter.v1.PlanningService/ListReadings", {
    element_refs: [target],
    include_days: true,
    page_size: 100,
  });
  return (reply?.readings ?? []).map((one) => [
    formatQuantityName(one.quantity),
    <ReadingValue key={one.quantity} one={one} plannedW={plannedW} />,
  ]);
}

/** Card with the readings of an element; hidden if there are none. */
export function ReadingsCard(props: { readonly target: string; readonly plannedW?: number | undefined }) {
  const { target, plannedW } = props;
  const rows = useReadingRows(target, plannedW);
  if (rows.length === 0) return null;
  return (
    <Card title="Measured" action={<a href="#/readings">Readings</a>}>
      <FactList rows={rows} />
    </Card>
  );
}

function ReadingValue({ one, plannedW }: { readonly one: KeptReading; readonly plannedW: number | undefined }) {
  const { quantity, value, time, source, p95_30d, max_30d, days } = one;
  const isPower = quantity === "READING_QUANTITY_POWER_W";
  return (
    <>
      <strong>{formatReadingValue(quantity, value)}</strong>
      {isPower && plannedW !== undefined ? `, ${formatDecimal(plannedW, "W")} planned` : ""}
      {time === undefined ? null : (
        <span class="muted" title={formatUtcMoment(time)}>
          {" "}
          {formatDuration(Math.max(0, (Date.now() - Date.parse(time)) / 1000))} ago, {source}
        </span>
      )}
      <DailyChart quantity={quantity} days={days} />
      {p95_30d === undefined || max_30d === undefined || days.length < 2 ? null : (
        <span class="muted">
          95 % of 30 days below {formatReadingValue(quantity, p95_30d)}, most {formatReadingValue(quantity, max_30d)}
        </span>
      )}
    </>
  );
}

const CHART_WIDTH = 120;
const CHART_HEIGHT = 20;

/** Line chart of each day's 95th percentile. */
function DailyChart({ quantity, days }: Pick<KeptReading, "quantity" | "days">) {
  if (days.length < 2) return null;
  const values = days.map(({ p95 }) => p95);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = CHART_WIDTH / (values.length - 1);
  const y = (value: number) => CHART_HEIGHT - 2 - ((value - least) / (most - least || 1)) * (CHART_HEIGHT - 4);
  const label = `${days.length} days, from ${formatReadingValue(quantity, least)} to ${formatReadingValue(quantity, most)}`;
  return (
    <svg class="days-line" viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={values.map((value, at) => `${at * step},${y(value)}`).join(" ")} />
    </svg>
  );
}

const QUANTITY_PREFIX = "READING_QUANTITY_";
const STATE_LABELS = ["off", "on", "failed"];

/** Formats a quantity for people: `READING_QUANTITY_CURRENT_L1_A` becomes "Current L1". */
export function formatQuantityName(quantity: string): string {
  const { stem } = splitUnit(quantity.slice(QUANTITY_PREFIX.length).replace(/_BPS$/, "").toLowerCase());
  return formatConstant(stem.toUpperCase());
}

function formatReadingValue(quantity: string, value: number): string {
  if (quantity.endsWith("_STATE")) return STATE_LABELS[value] ?? String(value);
  if (quantity.endsWith("_BPS")) return formatBandwidth(value / 1_000_000);
  return appendUnit(formatDecimal(value), splitUnit(quantity.toLowerCase()).unit);
}

/** The worst findings of readings in a scope, or everywhere; hidden if there are none. */
export function WorstFindings({ scope = "", most = 4 }: { readonly scope?: string; readonly most?: number }) {
  const { reply } = useCall("datacenter.v1.PlanningService/ListFindings", { scope_ref: scope, page_size: most });
  if (reply === undefined || reply.findings.length === 0) return null;
  const rest = reply.total_count - reply.findings.length;
  return (
    <Card title="Shown by readings" action={<a href={formatPageUrl("readings")}>Readings</a>}>
      <ul class="failed-now">
        {reply.findings.map((one) => (
          <ReadingFindingLine key={`${one.kind} ${one.element_ref} ${one.source}`} finding={one} />
        ))}
      </ul>
      {rest === 0 ? null : (
        <p class="card-foot">
          <a href={formatPageUrl("readings")}>{formatCount(rest)} more</a>
        </p>
      )}
    </Card>
  );
}

function ReadingFindingLine(props: { readonly finding: ReadingFinding }) {
  const {
    finding: { element_ref, severity, since, summary },
  } = props;
  // The name of the element within the sentence becomes a link to its page.
  const name = getRefName(element_ref);
  const [before = "", ...after] = stripRefKinds(summary).split(name);
  const state = severity === "HEALTH_FAULT" ? "fault" : "watch";
  return (
    <li>
      <StateMark state={state} label={`${state}:`} />
      <span>
        {element_ref === "" ? (
          summary
        ) : (
          <>
            {before}
            <RefLink to={element_ref} />
            {after.join(name)}
          </>
        )}
        .{" "}
        {since === undefined ? null : (
          <span class="muted">
            Since <TimeText at={since} />
          </span>
        )}
      </span>
    </li>
  );
}

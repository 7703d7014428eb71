import type { FailureCause, RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import { formatCount, formatKilowatts, formatWatts } from "#words/figures.ts";
import { capitalize, getRefName, stripRefKinds } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { formatQuantity } from "../labels.ts";
import { formatPageUrl } from "../router.ts";
import { Card, joinWithCommas, RefLink } from "../ui/parts.tsx";
import { findWorstImpact, formatCauseUrl, getCauseState } from "./rehearsal.ts";

/** Maximum number of elements that a cause names besides its first one. */
const MAX_NAMED_ELEMENTS = 3;

/** List of single failures, the worst first: their effects and the evidence. */
export function CauseList({ rehearsal }: { readonly rehearsal: RehearseFailuresResponse }) {
  const { causes, total_count, elements_failed, worst } = rehearsal;
  return (
    <Card title="What one failure would take" action={<a href={formatPageUrl("rehearsal")}>All in rehearsal</a>}>
      {worst === undefined ? null : (
        <p>
          <a href={formatPageUrl("power", worst.refs[0])}>{worst.refs.map(getRefName).join(" with ")}</a> takes most:{" "}
          {worst.summary}.
        </p>
      )}
      {causes.length === 0 ? (
        <p class="empty">No single failure takes anything. Supplies, cooling units and switches were failed in turn.</p>
      ) : (
        <ol class="causes" aria-label="Causes, the worst first">
          <li class="causes-head" aria-hidden="true">
            <span />
            <span>Cause and evidence</span>
            <span class="num">Racks dark</span>
            <span class="num">Devices offline</span>
            <span class="num">IT load</span>
            <span class="num">Cooling</span>
          </li>
          {causes.map((cause) => (
            <CauseLine key={`${cause.kind} ${cause.summary}`} cause={cause} />
          ))}
        </ol>
      )}
      <p class="card-foot">
        {formatQuantity(elements_failed, "element")} failed in turn. Figures are of one failure.
        {total_count > causes.length ? (
          <>
            {" "}
            <a href={formatPageUrl("rehearsal")}>{formatCount(total_count - causes.length)} lesser causes</a>
          </>
        ) : null}
      </p>
    </Card>
  );
}

function CauseLine({ cause }: { readonly cause: FailureCause }) {
  const { also_by, omitted_also_by } = cause;
  // Of several elements, the figures are those of the first alone.
  const impact = findWorstImpact(cause);
  const others = also_by.length + omitted_also_by;
  const state = getCauseState(cause);
  return (
    <li>
      <StateMark state={state} label={`${state}:`} />
      <span class="cause-title">{formatCauseSentence(cause)}</span>
      <LossAmount
        value={impact?.racks_dark ?? 0}
        label={impact?.racks_dark === 1 ? "rack dark" : "racks dark"}
        words={formatCount}
      />
      <LossAmount
        value={impact?.it_devices_offline ?? 0}
        label={impact?.it_devices_offline === 1 ? "device offline" : "devices offline"}
        words={formatCount}
      />
      <LossAmount value={impact?.it_load_lost_w ?? 0} label="of IT load" words={formatWatts} />
      <LossAmount value={impact?.cooling_lost_kw ?? 0} label="of cooling" words={formatKilowatts} />
      <p class="cause-evidence">
        <a href={formatCauseUrl(cause)}>See the picture</a> {describeEvidence(cause)}
        {others === 0 ? null : (
          <span class="muted">
            {" "}
            Also by {joinWithCommas(also_by.slice(0, MAX_NAMED_ELEMENTS).map((ref) => <RefLink key={ref} to={ref} />))}
            {others > MAX_NAMED_ELEMENTS ? ` and ${formatCount(others - MAX_NAMED_ELEMENTS)} more` : ""}.
          </span>
        )}
      </p>
    </li>
  );
}

/** Describes the effect of a loss, such as "Losing any of 29 rack PDUs, such as PDU-A01-A: 1 device goes offline." */
function formatCauseSentence({ reason, summary, element_count }: FailureCause): string {
  const [subject = ""] = summary.split(": ");
  const plain = stripRefKinds(reason);
  const [, alone, what] = /^(Each|.* alone): (.*)$/.exec(plain) ?? ["", "Each", plain];
  const each = / such as /.test(subject) ? `any of ${subject}` : subject.replace(" and ", " or ");
  const lost = alone !== "Each" ? alone?.replace(/ alone$/, "") : element_count > 1 ? each : subject;
  return `Losing ${lost}: ${lowerFirstLetter(what ?? "")}.`;
}

function LossAmount({ value, label, words }: { value: number; label: string; words: (value: number) => string }) {
  if (value === 0) return <span class="num amount muted">none</span>;
  return (
    <span class="num amount">
      {words(value)} <span class="amount-label">{label}</span>
    </span>
  );
}

/** Matches losses that are shown in a column. */
const COLUMN_LOSS_PATTERN = /racks? dark$|devices? offline$| of IT load$| of cooling$/;

/** Describes the trip or the zone without enough cooling that causes a loss, and losses that no column shows. */
function describeEvidence({ summary, trips, zones, elements }: FailureCause): string {
  const parts = summary.slice(summary.indexOf(": ") + 2).split(", ");
  const rest = parts
    .map((part) => part.replace(/^each (?:up to )?/, ""))
    .filter((part) => !COLUMN_LOSS_PATTERN.test(part));
  const loss = rest.length === 0 ? "" : `${capitalize(rest.join(", "))}.`;
  const tripped = elements[0]?.tripped_refs ?? [];
  const trip = trips.find(({ ref }) => tripped.includes(ref)) ?? trips[0];
  if (trip !== undefined) {
    return `${getRefName(trip.ref)} would carry ${formatWatts(trip.load_w)} of ${formatWatts(trip.capacity_w)} and trip. ${loss}`;
  }
  const [zone] = zones;
  if (zone?.short === true) {
    const short = formatKilowatts(zone.heat_kw - zone.capacity_kw);
    const more = zones.length > 1 ? ` So are ${formatCount(zones.length - 1)} more areas.` : "";
    return `${getRefName(zone.ref)} is short of ${short} then.${more}`;
  }
  return loss;
}

/** Lower-cases the first letter of a reason for use within a sentence, unless it begins with an abbreviation. */
function lowerFirstLetter(plain: string): string {
  return /^[A-Z][a-z]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}

import type {
  FailureCause,
  ListInventoryResponse,
  Location,
  RehearseFailuresResponse,
} from "#gen/datacenter/v1/json.ts";
import { formatCount, formatKilowatts, formatKnownSum, formatWatts } from "#words/figures.ts";
import { capitalize, getRefName, stripRefKinds } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { useCall } from "../api/client.ts";
import { formatQuantity } from "../labels.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { formatColumnText } from "../lists/list_kinds.ts";
import { formatPageUrl } from "../router.ts";
import { Card, joinWithCommas, RefLink } from "../ui/parts.tsx";
import { describeWorstFailure, findWorstImpact, formatCauseUrl, getCauseState, NOTHING_TO_FAIL } from "./rehearsal.ts";

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
        <p class="empty">
          {elements_failed === 0
            ? `${NOTHING_TO_FAIL}, so nothing was failed in turn.`
            : "By what is recorded, no single failure takes anything. Supplies, cooling units and switches were failed in turn."}
        </p>
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
  const [watts, unknown] = [impact?.it_load_lost_w ?? 0, impact?.it_devices_without_draw ?? 0];
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
      <LossAmount
        value={watts + unknown}
        label={watts === 0 ? "IT load" : "of IT load"}
        words={() => formatKnownSum(watts, unknown)}
      />
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

/** Maximum number of causes that the page of a location shows. */
const MAX_CAUSES = 4;

/** Loads the failures of elements inside a rack, row, room or site, the worst causes first. */
export function useScopeFailures(scope: string): RehearseFailuresResponse | undefined {
  const request = { scope_ref: scope, cascade: true, page_size: MAX_CAUSES };
  return useCall("datacenter.v1.PlanningService/RehearseFailures", request).reply;
}

/** Sentence about the failure that turns a whole rack off, or otherwise about the worst failure inside the rack. */
export function RackLossSentence(props: { readonly code: string; readonly location: Location | undefined }) {
  const { code, location } = props;
  const floor_ref = `floor:${location?.site_id}/${location?.floor_number}`;
  const { reply } = useCall("FloorPlan", location && { floor_ref, coloring: "COLORING_RISK" });
  if (reply === undefined) return <>&nbsp;</>;
  const { risk, risk_ref = "" } = [...reply.racks, ...reply.unplaced_racks].find((one) => one.code === code) ?? {};
  if (risk !== "RACK_RISK_DARK") return <WorstLossSentence scope={`rack:${code}`} />;
  return (
    <>
      <StateMark state="fault" label="fault:" />
      <a href={formatPageUrl("power", risk_ref)}>Losing {getRefName(risk_ref)} would turn all of it off.</a>
    </>
  );
}

/** Sentence about the worst failure inside a location. Failures elsewhere may also affect the location. */
export function WorstLossSentence({ scope }: { readonly scope: string }) {
  const reply = useScopeFailures(scope);
  // The empty line reserves its space, so that nothing below moves when the reply arrives.
  if (reply === undefined) return <>&nbsp;</>;
  const { worst, elements_failed } = reply;
  if (worst === undefined)
    return (
      <>
        {elements_failed === 0
          ? `${NOTHING_TO_FAIL} inside it.`
          : "By what is recorded, no failure inside it takes anything."}
      </>
    );
  return (
    <>
      <StateMark state={getCauseState(worst)} label={`${getCauseState(worst)}:`} />
      <a href={formatPageUrl("power", worst.refs[0])}>
        {describeWorstFailure(worst, "By what is recorded, no failure inside it takes a rack or a device.")}
      </a>
    </>
  );
}

const MAX_ROWS = 4;

/** Queries for current failures: list, condition and label. */
const FAILURE_QUERIES = [
  { kind: "DEVICE", page: "devices", column: "status", value: "FAILED", what: "failed" },
  { kind: "DEVICE", page: "devices", column: "supply", value: "NO_LIVE_SUPPLY", what: "without live supply" },
  { kind: "SUPPLY", page: "supplies", column: "power", value: "DEAD", what: "without power" },
  { kind: "CRAC", page: "cooling", column: "status", value: "FAILED", what: "failed" },
  { kind: "FABRIC_LINK", page: "links", column: "traffic", value: "DOWN", what: "down" },
] as const;

type FailureQuery = (typeof FAILURE_QUERIES)[number];

/** Loads the queries that match elements, with their first rows; undefined until all queries are answered. */
export function useCurrentFailures():
  | readonly { readonly question: FailureQuery; readonly list: ListInventoryResponse }[]
  | undefined {
  const lists = FAILURE_QUERIES.map(useFailedRows);
  if (lists.includes(undefined)) return undefined;
  return FAILURE_QUERIES.flatMap((question, at) => {
    const list = lists[at];
    return list === undefined || list.total_count === 0 ? [] : [{ question, list }];
  });
}

function useFailedRows({ kind, column, value }: FailureQuery): ListInventoryResponse | undefined {
  const conditions = [{ column, values: [value] }];
  return useCall(LIST_INVENTORY_RPC, { kind: `INVENTORY_KIND_${kind}`, conditions, page_size: MAX_ROWS }).reply;
}

export function CurrentFailures({ failures }: { readonly failures: ReturnType<typeof useCurrentFailures> }) {
  if (failures === undefined || failures.length === 0) return null;
  return (
    <Card title="Failed now">
      <ul class="failed-now">
        {failures.map(({ question: { page, column, value, what, kind }, list }) => (
          <li key={`${kind} ${value}`}>
            <StateMark state="fault" label="fault:" />
            <span>
              {list.rows.map(({ ref, name, texts }) => (
                <span key={ref} class="failed-thing">
                  <RefLink to={ref} label={name} />{" "}
                  <span class="muted">
                    {[formatColumnText("kind", texts["kind"] ?? ""), texts["rack"]].filter(Boolean).join(" in ")} {what}
                  </span>
                </span>
              ))}
              {list.total_count > list.rows.length ? (
                <a href={formatPageUrl(page, "", { [column]: value })}>
                  {formatCount(list.total_count - list.rows.length)} more {what}
                </a>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

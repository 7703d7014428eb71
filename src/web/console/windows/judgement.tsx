import type {
  CheckWindowResponse,
  ListedWindow,
  MaintenanceWindow,
  WindowContact,
  WindowReason,
  WindowVerdict,
} from "#gen/datacenter/v1/json.ts";
import { formatDecimal, formatDuration, formatWatts } from "#words/figures.ts";
import { formatEnum, listSomeNames, stripRefKinds } from "#words/names.ts";
import { Icon, StateMark } from "../../shared/marks.tsx";
import type { State } from "../../shared/state_of_share.ts";
import { useCall } from "../api/client.ts";
import { FindingLine, RefusalLine } from "../edit/changes_panel.tsx";
import { type EditRequest, editStore, type ResourceValues } from "../edit/form_model.ts";
import { DAY_MS, formatMoment, formatQuantity } from "../labels.ts";
import { formatPageUrl } from "../router.ts";
import { Badge, joinWithCommas, RefLink } from "../ui/parts.tsx";
import { useDelayedValue } from "../ui/use_hits.ts";

/** Maximum numbers of reasons of one kind that are listed at first, and of codes of one contact. */
const [MAX_REASONS, MAX_CODES] = [3, 6];

/** The service's assessment of a window: verdict, impact, reasons, one more failure's effects, contacts to inform. */
export function WindowJudgement(props: {
  readonly judged: CheckWindowResponse;
  /** Accepts the loss of an element; absent if nothing is being edited. */
  readonly accept?: (ref: string) => void;
}) {
  const { judged, accept } = props;
  const { reasons, pieces, contacts, blocking_windows: blocking, relieved_by: relief } = judged;
  // Accepted reasons come last.
  const sorted = reasons.toSorted((a, b) => Number(a.accepted) - Number(b.accepted));
  const first = [...Map.groupBy(sorted, ({ kind }) => kind).values()].flatMap((all) => all.slice(0, MAX_REASONS));
  const others = sorted.filter((reason) => !first.includes(reason));
  const rest = others.length + judged.omitted_reasons;
  return (
    <div class="judgement">
      <p class="verdict" role="status">
        <VerdictBadge verdict={judged.verdict} /> {formatEnum(judged.impact, "WINDOW_IMPACT").toLowerCase()}
      </p>
      {reasons.length === 0 ? <p>Nothing is lost, and no reserve is used.</p> : null}
      <JudgementReasons reasons={first} accept={accept} />
      {rest === 0 ? null : (
        <details>
          <summary>{formatQuantity(rest, "more reason")}</summary>
          <JudgementReasons reasons={others} accept={accept} />
        </details>
      )}
      <NamedElements title="It would be better without" refs={blocking.map((code) => `window:${code}`)} />
      <NamedElements title="It would be better with one of these out as well" refs={relief.slice(0, MAX_CODES)} />
      {pieces.length < 2 ? null : (
        <>
          <h3>Beside other windows</h3>
          <ul class="edit-findings">
            {pieces.map((piece) => (
              <FindingLine
                key={piece.starts_at}
                state={getVerdictState(piece.verdict)}
                title={`${formatEnum(piece.verdict, "WINDOW_VERDICT")}: ${formatTimeSpan(piece)}`}
              >
                {piece.window_codes.length === 0 ? "alone" : `with ${piece.window_codes.join(", ")}`}
              </FindingLine>
            ))}
          </ul>
        </>
      )}
      {contacts.length === 0 ? null : <h3>Whom to tell</h3>}
      <dl class="facts">
        {contacts.map((one) => {
          const [who, what] = describeContact(one, MAX_CODES);
          return (
            <div key={who}>
              <dt>{who}</dt>
              <dd>{what}</dd>
            </div>
          );
        })}
      </dl>
      <NextFailures judged={judged} />
    </div>
  );
}

function JudgementReasons(props: {
  readonly reasons: readonly WindowReason[];
  readonly accept: ((ref: string) => void) | undefined;
}) {
  const { reasons, accept } = props;
  return (
    <ul class="edit-findings">
      {reasons.map((reason) => {
        const { kind, verdict, ref, summary } = reason;
        const isNote = verdict === "WINDOW_VERDICT_GO";
        return (
          <FindingLine
            key={`${kind} ${ref} ${summary}`}
            state={isNote ? "info" : getVerdictState(verdict)}
            title={stripRefKinds(summary)}
          >
            {formatWindowReasonFigures(reason)}
            {accept === undefined || isNote || !/_LOST$|_SHORT$|_CUT_OFF$/.test(kind) ? null : (
              <>
                {" "}
                <button type="button" class="link" onClick={() => accept(ref)}>
                  Accept this loss
                </button>
              </>
            )}
          </FindingLine>
        );
      })}
    </ul>
  );
}

function NamedElements({ title, refs }: { readonly title: string; readonly refs: readonly string[] }) {
  if (refs.length === 0) return null;
  return (
    <p>
      {title}: {joinWithCommas(refs.map((ref) => <RefLink key={ref} to={ref} />))}
    </p>
  );
}

function NextFailures(props: { readonly judged: CheckWindowResponse }) {
  const {
    judged: { next_failures: all, omitted_next_failures: omitted },
  } = props;
  if (all.length === 0) return null;
  return (
    <details>
      <summary>
        {all.length + omitted === 1 ? "One more failure takes" : `${all.length + omitted} single failures take`}{" "}
        something more
      </summary>
      <ul>
        {all.map(({ ref, summary }) => (
          <li key={ref}>{stripRefKinds(summary)}</li>
        ))}
      </ul>
    </details>
  );
}

const CHECK_WINDOW_RPC = "datacenter.v1.PlanningService/CheckWindow";
export const LIST_WINDOWS_RPC = "datacenter.v1.PlanningService/ListWindows";

const STATES_BY_VERDICT: Readonly<Record<string, State>> = {
  WINDOW_VERDICT_GO: "ok",
  WINDOW_VERDICT_GO_WITH_RISK: "watch",
  WINDOW_VERDICT_NO_GO: "fault",
};

export function getVerdictState(verdict: WindowVerdict): State {
  return STATES_BY_VERDICT[verdict] ?? "unknown";
}

/** A verdict as a badge; hidden for a window that is done or cancelled. */
export function VerdictBadge({ verdict }: { readonly verdict: WindowVerdict }) {
  const word = formatEnum(verdict, "WINDOW_VERDICT");
  return word === "" ? null : <Badge tone={getVerdictState(verdict)}>{word}</Badge>;
}

/** Returns the state of a window in words, with ", overdue" if the window is overdue. */
export function describeWindowState({ state }: MaintenanceWindow, overdue: boolean): string {
  return `${formatEnum(state, "WINDOW_STATE")}${overdue ? ", overdue" : ""}`;
}

/** Formats a time span in `timeZone`, by default the reader's, with its UTC offset; "" if it has no start. */
export function formatTimeSpan(
  { starts_at = "", ends_at = "" }: Pick<MaintenanceWindow, "starts_at" | "ends_at">,
  timeZone?: string,
): string {
  const [from, until] = [Date.parse(starts_at), Date.parse(ends_at)];
  if (Number.isNaN(from)) return "";
  const zone = timeZone === undefined ? {} : { timeZone };
  const spans = new Intl.DateTimeFormat(undefined, {
    ...zone,
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
  });
  const words = Number.isNaN(until) ? `${spans.format(from)} until it is done` : spans.formatRange(from, until);
  return `${words} ${formatMoment(starts_at, timeZone).split(" ").at(-1)}`;
}

/** Formatters of reason figures with a unit; other figures are counts. */
const FORMATTERS_BY_REASON: Readonly<Record<string, (value: number) => string>> = {
  TRIP: (value) => formatDecimal(value, "%"),
  OVER_LIMIT: (value) => formatDecimal(value, "%"),
  UPLINK_OVER_LIMIT: (value) => formatDecimal(value, "%"),
  COOLING_SHORT: (value) => formatDecimal(value, "kW"),
  LAST_COOLING_UNIT: (value) => formatDecimal(value, "kW"),
  CAPACITY_UNKNOWN: formatWatts,
  ON_BATTERY: formatDuration,
  NEXT_FAILURE: (value) => formatQuantity(value, "rack"),
};

/** Formats the figures of a reason: before the window, during it, and the limit. */
function formatWindowReasonFigures({ kind, before, during, limit }: WindowReason): string {
  const words =
    FORMATTERS_BY_REASON[kind.replace("WINDOW_REASON_KIND_", "")] ?? ((value: number) => formatDecimal(value));
  const parts = [
    ["before", before],
    ["in the window", during],
    ["limit", limit],
  ] as const;
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${words(value)}`])).join(", ");
}

/** Returns a contact's name and its affected devices, with at most `most` codes per list. */
function describeContact(one: WindowContact, most: number): readonly [who: string, what: string] {
  const who = [one.tenant, one.contact].filter((text) => text !== "").join(", ");
  const parts = [
    one.lost_count > 0 ? `lost: ${listSomeNames(one.lost, most, one.lost_count)}` : "",
    one.reserve_count > 0 ? `on the last supply: ${listSomeNames(one.reserve, most, one.reserve_count)}` : "",
  ];
  return [who === "" ? "No tenant or contact recorded" : who, parts.filter((text) => text !== "").join("; ")];
}

/** Minimum numbers of days drawn before and after now, and the maximum number of days drawn on each side of it. */
const [MIN_DAYS_BEFORE, MIN_DAYS_AFTER, MAX_DAYS] = [1, 7, 30];
/** Maximum number of labelled days. */
const MAX_TICKS = 8;

const dayFormatter = new Intl.DateTimeFormat(undefined, { weekday: "short", month: "short", day: "numeric" });

/** Chart of windows by time, one per row, marked by verdict. `now` is in milliseconds since 1970. */
export function TimeLine({ windows, now }: { readonly windows: readonly ListedWindow[]; readonly now: number }) {
  const bars = windows.map((one) => getBarSpan(one, now));
  const isNear = bars.some((bar) => bar.from < now + MAX_DAYS * DAY_MS && bar.until > now - MAX_DAYS * DAY_MS);
  const middle = isNear ? now : (bars[0]?.from ?? now);
  const from = computeMidnight(
    Math.max(middle - MAX_DAYS * DAY_MS, Math.min(middle - MIN_DAYS_BEFORE * DAY_MS, ...bars.map((bar) => bar.from))),
  );
  const until = Math.min(
    middle + MAX_DAYS * DAY_MS,
    Math.max(middle + MIN_DAYS_AFTER * DAY_MS, ...bars.map((bar) => bar.until + DAY_MS)),
  );
  const shown = bars.filter((bar) => bar.from < until && bar.until > from);
  const computeOffsetPct = (at: number) => (100 * (Math.min(until, Math.max(from, at)) - from)) / (until - from);
  const step = Math.ceil((until - from) / DAY_MS / MAX_TICKS);
  const ticks: number[] = [];
  for (let at = new Date(from); at.getTime() < until; at.setDate(at.getDate() + step)) ticks.push(at.getTime());
  return (
    <section class="time-line" aria-label="Time line">
      <div class="ticks" aria-hidden="true">
        {ticks.map((at) => (
          <span key={at} style={{ left: `${computeOffsetPct(at)}%` }}>
            {dayFormatter.format(at)}
          </span>
        ))}
      </div>
      <ol>
        {shown.map(({ listed, ...bar }) => {
          const { window, verdict, overdue } = listed;
          const [left, right] = [computeOffsetPct(bar.from), computeOffsetPct(bar.until)];
          const state = getVerdictState(verdict);
          const place = right > 70 ? { right: `${100 - left}%` } : { left: `${right}%` };
          return (
            <li key={window.code}>
              <a href={formatPageUrl("window", window.code)} title={formatTimeSpan(window)}>
                <span
                  class={`bar ${state}${overdue ? " overdue" : ""}`}
                  style={{ left: `${left}%`, width: `${right - left}%` }}
                />
                <span class="bar-name" style={place}>
                  <StateMark state={state} /> {window.code}
                </span>
              </a>
            </li>
          );
        })}
      </ol>
      {isNear ? <span class="now" style={{ left: `${computeOffsetPct(now)}%` }} aria-hidden="true" /> : null}
      {shown.length === bars.length ? null : (
        <p class="muted">{formatQuantity(bars.length - shown.length, "window")} before or after this time.</p>
      )}
    </section>
  );
}

/** Returns the time span of a window's bar; for an overdue window it ends now. */
function getBarSpan(listed: ListedWindow, now: number) {
  const [from, until] = [listed.window.starts_at, listed.window.ends_at].map((at) => Date.parse(at ?? ""));
  return { listed, from: from ?? now, until: listed.overdue ? now : (until ?? now) };
}

function computeMidnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

const HOUR_MS = 60 * 60 * 1000;

/** Returns the edit of a new window for some elements: two hours, from the next full hour. */
export function createWindowEdit(refs: readonly string[]): EditRequest {
  const now = new Date();
  const start = new Date(now).setMinutes(0, 0, 0) + HOUR_MS;
  const stamp = now.toISOString().replaceAll(/\D/g, "");
  return {
    mode: "create",
    kind: "window",
    values: {
      code: `MW-${stamp.slice(0, 8)}-${stamp.slice(8, 12)}`,
      element_refs: refs,
      starts_at: new Date(start).toISOString(),
      ends_at: new Date(start + 2 * HOUR_MS).toISOString(),
    },
  };
}

/** Moves the end of a window when its start changes, so that the window keeps its length. */
export function keepWindowLength(before: ResourceValues, after: ResourceValues): ResourceValues {
  if (before["starts_at"] === after["starts_at"] || before["ends_at"] !== after["ends_at"]) return after;
  const [was, is, end] = [before["starts_at"], after["starts_at"], before["ends_at"]].map((at) =>
    Date.parse(String(at)),
  );
  const moved = new Date((end ?? 0) + (is ?? 0) - (was ?? 0));
  return Number.isNaN(moved.getTime()) ? after : { ...after, ends_at: moved.toISOString() };
}

/** Button that plans a window for an element. Everyone can check the window; writers can also store it. */
export function TakeOutOfServiceButton({ target }: { readonly target: string }) {
  return (
    <button type="button" onClick={() => editStore.open(createWindowEdit([target]))}>
      <Icon name="window" />
      Take out of service…
    </button>
  );
}

const CHECK_DELAY_MS = 250;

/** Verdict of an edited window, checked again after each change. `code` is the window's code if it is stored. */
export function WindowCheck(props: {
  readonly values: ResourceValues;
  readonly code: string;
  readonly change: (values: ResourceValues) => void;
  /** Whether another part of the dialog already shows the refusal. */
  readonly isRefused: boolean;
}) {
  const { values, code, change, isRefused } = props;
  const { element_refs = [], accepted_refs = [], starts_at, ends_at, state } = values;
  const elements = element_refs as readonly string[];
  const accepted = accepted_refs as readonly string[];
  const isOver = state === "WINDOW_STATE_DONE" || state === "WINDOW_STATE_CANCELLED";
  const times = [starts_at, ends_at].map(String);
  const [start = 0, end = 0] = times.map((at) => Date.parse(at));
  const isComplete = elements.length > 0 && times.every((at) => at.endsWith("Z")) && start < end;
  const asked = JSON.stringify({ element_refs, accepted_refs, starts_at, ends_at, except_code: code, max_items: 50 });
  const question = useDelayedValue(isComplete && !isOver ? asked : "", CHECK_DELAY_MS);
  const { reply, error, loading } = useCall(CHECK_WINDOW_RPC, question === "" ? undefined : JSON.parse(question));
  if (isOver) return <p>Its elements do not count as out any more.</p>;
  if (!isComplete) return <p>Name what is out of service, and from when until when.</p>;
  if (error !== undefined)
    return isRefused ? null : (
      <ul class="edit-findings">
        <RefusalLine error={error} />
      </ul>
    );
  if (reply === undefined) return <p role="status">Checking…</p>;
  const accept = (ref: string) => change({ ...values, accepted_refs: [...accepted, ref] });
  return (
    <div class={loading || question !== asked ? "outdated" : undefined} aria-busy={loading}>
      <WindowJudgement judged={reply} accept={accept} />
    </div>
  );
}

import type { ListedWindow } from "#gen/datacenter/v1/json.ts";
import { StateMark } from "../../shared/state.tsx";
import { DAY_MS, formatQuantity } from "../labels.ts";
import { formatPageUrl } from "../router.ts";
import { formatTimeSpan, getVerdictState } from "./window_words.tsx";

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

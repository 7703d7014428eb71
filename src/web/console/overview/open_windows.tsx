import type { ListedWindow } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { stripRefKinds } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { useCall } from "../api/use_call.ts";
import { formatPageUrl } from "../router.ts";
import { Card, RefLink } from "../ui/parts.tsx";
import { formatTimeSpan, getVerdictState, LIST_WINDOWS_RPC } from "../windows/window_words.tsx";

const MAX_WINDOWS = 4;

/** Current and next maintenance windows; hidden if none is planned. */
export function OpenWindowsCard() {
  const { reply } = useCall(LIST_WINDOWS_RPC, {
    states: ["WINDOW_STATE_PLANNED", "WINDOW_STATE_BEGUN"],
    page_size: MAX_WINDOWS,
  });
  if (reply === undefined || reply.windows.length === 0) return null;
  const rest = reply.total_count - reply.windows.length;
  return (
    <Card title="Windows" action={<a href={formatPageUrl("windows")}>All windows</a>}>
      <ul class="failed-now">
        {reply.windows.map((one) => (
          <li key={one.window.code}>
            <StateMark state={one.overdue ? "fault" : getVerdictState(one.verdict)} label="window:" />
            <span>
              {describeWindowTime(one)} <RefLink to={`window:${one.window.code}`} />
              {one.window.title === "" ? "" : `, ${one.window.title}`}. {stripRefKinds(one.summary)}.{" "}
              <span class="muted">{formatTimeSpan(one.window)}</span>
            </span>
          </li>
        ))}
      </ul>
      {rest === 0 ? null : <p class="card-foot">{formatCount(rest)} later.</p>}
    </Card>
  );
}

function describeWindowTime({ overdue, window: { state, starts_at = "" } }: ListedWindow): string {
  if (overdue) return "Overdue:";
  return state === "WINDOW_STATE_BEGUN" || Date.parse(starts_at) <= Date.now() ? "Open now:" : "Next:";
}

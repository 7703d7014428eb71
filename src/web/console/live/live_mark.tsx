import { useEffect, useState } from "preact/hooks";
import { timeOfDay } from "../labels.ts";
import { StateMark } from "../ui/state.tsx";
import { liveState, onLiveState } from "./live.ts";

/** Says whether the figures on the screen follow the inventory, and from when they are otherwise. */
export function LiveMark() {
  const [state, setState] = useState(liveState());
  useEffect(() => {
    const follow = () => setState(liveState());
    // It may have changed between the first drawing and now.
    follow();
    return onLiveState(follow);
  }, []);
  return (
    <p class={`live ${state.kind}`} role="status">
      {state.kind === "live" ? (
        <span title="Changes by others appear by themselves">
          <span class="dot" aria-hidden="true" />
          Live
        </span>
      ) : null}
      {state.kind === "stale" ? (
        <span title={state.why}>
          <StateMark state="watch" />
          The figures are from {timeOfDay(state.asOf)}
        </span>
      ) : null}
    </p>
  );
}

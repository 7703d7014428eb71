import type { ComponentChildren } from "preact";
import { formatPercent } from "#words/figures.ts";
import { getVisibleShareState, type State } from "./state_of_share.ts";

/** SVG shape of each state. The shapes differ, so that people can distinguish states without their colours. */
const STATE_SHAPES: Readonly<Record<State, ComponentChildren>> = {
  ok: (
    <>
      <circle class="ring" cx="7" cy="7" r="6" />
      <path class="ring" d="M4.3 7.2l1.9 1.9 3.5-3.9" />
    </>
  ),
  watch: (
    <>
      <path class="solid" d="M7 .9l6.4 11.6H.6z" />
      <path class="cut" d="M7 5v3.6M7 10.2v1" />
    </>
  ),
  fault: (
    <>
      <path class="solid" d="M4.3.6h5.4l3.7 3.7v5.4l-3.7 3.7H4.3L.6 9.7V4.3z" />
      <path class="cut" d="M4.7 4.7l4.6 4.6M9.3 4.7L4.7 9.3" />
    </>
  ),
  info: (
    <>
      <circle class="ring" cx="7" cy="7" r="6" />
      <path class="ring" d="M7 6.3v4M7 3.7v.4" />
    </>
  ),
  unknown: (
    <>
      <circle class="ring dashed" cx="7" cy="7" r="6" />
      <path class="ring" d="M5.4 5.6a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1M7 9.8v1" />
    </>
  ),
};

/** The shape of a state. It needs a word next to it, or a `label` for screen readers. */
export function StateMark({ state, label }: { readonly state: State; readonly label?: string }) {
  const mark = (
    <svg class={`state ${state}`} viewBox="0 0 14 14" aria-hidden="true">
      {STATE_SHAPES[state]}
    </svg>
  );
  if (label === undefined) return mark;
  return (
    <>
      {mark}
      <span class="sr-only">{label}</span>
    </>
  );
}

/** A share of a limit in percent, with a state mark from `WATCH_PCT` on. */
export function ShareText({ pct }: { readonly pct: number | undefined }) {
  const state = pct === undefined ? undefined : getVisibleShareState(pct);
  if (state === undefined) return formatPercent(pct);
  return (
    <span class={`said ${state}`}>
      <StateMark state={state} label={`${state}:`} />
      {formatPercent(pct)}
    </span>
  );
}

import type { ComponentChildren } from "preact";
import { formatPercent } from "#words/figures.ts";
import { getVisibleShareState, type State } from "./state_of_share.ts";

/** SVG paths of the icons in a square of 16 × 16, stroked with a width of 1.5. */
const ICON_PATHS = {
  overview: "M2.5 7L8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4z",
  rehearsal: "M8 2l6.3 11.5H1.7zM8 6.5v3M8 11.3v.2",
  window: "M3 3.5h10v10H3zM3 6.5h10M5.5 2v3M10.5 2v3",
  placement: "M3.5 2.5h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM5 8h6M8 5v6",
  history: "M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M8 4.5V8l2.5 1.5",
  site: "M2.5 13.5v-9L8 2l5.5 2.5v9M2 13.5h12M6.5 13.5v-3h3v3M5.5 6.5h.1M8 6.5h.1M10.5 6.5h.1",
  floor: "M3 2h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zM4.5 5h7M4.5 8h7M4.5 11h7",
  room: "M2.5 2.5h11v11h-11zM6 13.5v-4h4",
  row: "M1.5 6h13v4h-13zM5 6v4M8 6v4M11 6v4",
  rack: "M4.5 1.5h7a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM3.5 5h9M3.5 8h9M3.5 11h9",
  device: "M2.5 5h11a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM4 8h.1M7 8h4.5",
  port: "M2.5 3.5h11v9h-11zM5 12.5V9h6v3.5M6.5 6h.1M9.5 6h.1",
  cable: "M3 2v4a3 3 0 0 0 6 0 3 3 0 0 1 4 3v5",
  power: "M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z",
  cooling:
    "M8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 1 0 0-3M8 6.5C6 4 7 2 9 2s2 3-1 4.5M9.5 8c2.5-2 4.5-1 4.5 1s-3 2-4.5-1M6.5 8C4 10 2 9 2 7s3-2 4.5 1M8 9.5c2 2.5 1 4.5-1 4.5s-2-3 1-4.5",
  fabric:
    "M8 1.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 1 0 0-3M3 11.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 1 0 0-3M13 11.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 1 0 0-3M7.3 4.5L3.6 11.6M8.7 4.5l3.7 7.1M4.5 13h7",
  link: "M6.5 9.5l3-3M7 4.5l1-1A3 3 0 0 1 12.5 8l-1 1M9 11.5l-1 1A3 3 0 0 1 3.5 8l1-1",
  import: "M8 2v8M5 7l3 3 3-3M2.5 11v2.5h11V11",
  export: "M8 10V2M5 5l3-3 3 3M2.5 11v2.5h11V11",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 1 0 0-9M10.5 10.5L14 14",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  light:
    "M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  dark: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  help: "M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M6.3 6.3a1.8 1.8 0 1 1 2.5 1.7c-.6.3-.8.6-.8 1.2M8 11.2v.1",
  fail: "M5 3.5l7 4.5-7 4.5z",
  edit: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  saved: "M4 2.5h8v11l-4-3-4 3z",
  grip: "M3 6h10M3 10h10",
  close: "M4 4l8 8M12 4l-8 8",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  signOut: "M6.5 2.5h-4v11h4M6 8h8M11 5l3 3-3 3",
} as const;

export type IconName = keyof typeof ICON_PATHS;

/** An icon next to a word; screen readers skip it, because the word says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

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

import type { ComponentChildren } from "preact";
import type { FloorPlanResponse, Health } from "#gen/datacenter/v1/json.ts";
import { FULL_PCT } from "#kernel/judge_share.ts";
import { formatCount } from "#words/figures.ts";
import { getRefName } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { getVisibleShareState, type State } from "../../shared/state_of_share.ts";
import { formatShortMoment, formatUtcMoment } from "../labels.ts";
import { findRefUrl } from "../router.ts";

interface ContainerProps {
  readonly children?: ComponentChildren;
}

export function Card({
  title,
  action,
  children,
}: ContainerProps & { readonly title: string; readonly action?: ComponentChildren }) {
  return (
    <section class="card">
      <header class="card-head">
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

export type Tone = State | "plain";

/** A state as a colour, a shape and a word, so that people can recognise it by any of the three. */
export function Badge({ tone, children }: ContainerProps & { readonly tone: Tone }) {
  return (
    <span class={`badge ${tone}`}>
      {tone === "plain" ? null : <StateMark state={tone} />}
      {children}
    </span>
  );
}

/** Number of racks by health; a count of zero has no warning colour. */
export function HealthCounts({ counts }: { readonly counts: FloorPlanResponse["counts"] }) {
  return (
    <p class="badges">
      <span class="muted">Health</span>
      {(["ok", "watch", "fault"] as const).map((state) => (
        <Badge key={state} tone={(counts?.[state] ?? 0) > 0 ? state : "plain"}>
          {formatCount(counts?.[state])} {state}
        </Badge>
      ))}
    </p>
  );
}

const HEALTH_BADGES: Readonly<Record<string, readonly [Tone, string]>> = {
  HEALTH_OK: ["ok", "ok"],
  HEALTH_WATCH: ["watch", "watch"],
  HEALTH_FAULT: ["fault", "fault"],
};

export function HealthBadge({ health }: { readonly health: Health }) {
  const [tone, word] = HEALTH_BADGES[health] ?? ["unknown", "unknown"];
  return <Badge tone={tone}>{word}</Badge>;
}

/** A figure with its label and an optional explanation. */
export function Figure(props: {
  readonly label: string;
  readonly value: string;
  readonly tone?: Tone;
  readonly note?: string;
}) {
  const { label, value, tone = "plain", note } = props;
  return (
    <div class={`figure ${tone}`}>
      <dt>{label}</dt>
      <dd>
        {value}
        {note === undefined ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}

export function FigureRow({ children }: ContainerProps) {
  return <dl class="figures">{children}</dl>;
}

/** List of names and values; rows without a value are omitted. */
export function FactList({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== "" && value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Maximum length of a name that is not broken at its hyphens. */
const MAX_UNBROKEN_LENGTH = 20;

/** A reference as a link to its page, or as text if the reference has no page. */
export function RefLink({ to, label }: { readonly to: string; readonly label?: string }) {
  const href = findRefUrl(to);
  const text = label ?? getRefName(to);
  const look = text.length <= MAX_UNBROKEN_LENGTH ? "whole" : undefined;
  return href === undefined ? (
    <span class={look}>{text}</span>
  ) : (
    <a class={look} href={href}>
      {text}
    </a>
  );
}

/** A time in the reader's time zone; the tooltip shows it in UTC. */
export function TimeText({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatUtcMoment(at)}>
      {formatShortMoment(at)}
    </time>
  );
}

/**
 * Use of a limit: a bar with marks at 80 and 100 %, and the figure in words. `after` is the hatched share after one
 * failure. An unknown share is hatched over the whole bar and never drawn as 0 %.
 */
export function Meter(props: {
  readonly label: string;
  readonly share: number | undefined;
  readonly after?: number | undefined;
  readonly text: string;
  /** Whether a full bar is harmless; it then has no colour. */
  readonly harmless?: true;
}) {
  const { label, share, after, text, harmless } = props;
  const worst = share === undefined || harmless ? undefined : Math.max(share, after ?? 0);
  return (
    <div class="meter-row">
      <span class="meter-label">{label}</span>
      <MeterBar share={share} after={after} harmless={harmless} />
      <span class="meter-text">
        {worst === undefined || getVisibleShareState(worst) === undefined ? null : (
          <StateMark
            state={getVisibleShareState(worst) ?? "watch"}
            label={worst >= FULL_PCT ? "at or over the limit" : "near the limit"}
          />
        )}{" "}
        {text}
      </span>
    </div>
  );
}

/** Percent at the right end of a bar. */
const BAR_END_PCT = 125;

export function MeterBar(props: {
  readonly share: number | undefined;
  readonly after?: number | undefined;
  readonly harmless?: true | undefined;
}) {
  const { share, after, harmless } = props;
  if (share === undefined) return <span class="meter unknown" />;
  const width = (value: number) => (100 * Math.max(0, Math.min(BAR_END_PCT, value))) / BAR_END_PCT;
  const getShareClass = (value: number) => (harmless ? "" : (getVisibleShareState(value) ?? ""));
  const added = after === undefined || after <= share ? 0 : after;
  return (
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="meter-back" width="100" height="6" />
      {added === 0 ? null : (
        <rect
          class={`meter-after ${getShareClass(added)}`}
          x={width(share)}
          width={width(added) - width(share)}
          height="6"
        />
      )}
      <rect class={`meter-fill ${getShareClass(share)}`} width={width(share)} height="6" />
      <path class="meter-marks" d={`M${width(80)} 0v6M${width(100)} 0v6`} />
    </svg>
  );
}

/** A sentence after the mark of its state. */
export function MarkedSentence({ state, children }: ContainerProps & { readonly state: State }) {
  return (
    <>
      <StateMark state={state} label={`${state}:`} />
      <span>{children}</span>
    </>
  );
}

/** Puts commas between elements of a sentence. */
export function joinWithCommas(elements: readonly ComponentChildren[]): ComponentChildren {
  return elements.flatMap((element, at) => (at === 0 ? [element] : [", ", element]));
}

export function EmptyText({ children }: ContainerProps) {
  return <p class="empty">{children}</p>;
}

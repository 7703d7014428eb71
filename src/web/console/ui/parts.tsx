import type { ComponentChildren } from "preact";
import type { FloorPlan, Health } from "../api/replies.ts";
import { count, moment, refName, utcMoment } from "../labels.ts";
import { linkToRef } from "../router.ts";

interface Held {
  readonly children?: ComponentChildren;
}

export function Card({
  title,
  action,
  children,
}: Held & { readonly title: string; readonly action?: ComponentChildren }) {
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

export type Tone = "ok" | "watch" | "fault" | "info" | "offline" | "plain";

const MARKS: Readonly<Record<Tone, string>> = { ok: "✓", watch: "!", fault: "✕", info: "i", offline: "●", plain: "" };

/** A state by colour, mark and word, so that no one sign has to carry it alone. */
export function Badge({ tone, children }: Held & { readonly tone: Tone }) {
  return (
    <span class={`badge ${tone}`}>
      {MARKS[tone] === "" ? null : <span aria-hidden="true">{MARKS[tone]}</span>}
      {children}
    </span>
  );
}

/** How many racks are how well; a count of none warns of nothing. */
export function HealthCounts({ counts }: { readonly counts: FloorPlan["counts"] }) {
  return (
    <p class="badges">
      {(["ok", "watch", "fault"] as const).map((state) => (
        <Badge key={state} tone={(counts?.[state] ?? 0) > 0 ? state : "plain"}>
          {count(counts?.[state])} {state}
        </Badge>
      ))}
    </p>
  );
}

const HEALTH: Readonly<Record<string, readonly [Tone, string]>> = {
  HEALTH_OK: ["ok", "ok"],
  HEALTH_WATCH: ["watch", "watch"],
  HEALTH_FAULT: ["fault", "fault"],
};

export function HealthBadge({ health }: { readonly health: Health }) {
  const [tone, word] = HEALTH[health] ?? ["plain", "unknown"];
  return <Badge tone={tone}>{word}</Badge>;
}

/** A figure with its name, and what it means when that is not plain. */
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

export function Figures({ children }: Held) {
  return <dl class="figures">{children}</dl>;
}

/** Names and values; rows without a value are left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
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

/** A reference as a link to its page, where it has one. */
export function RefLink({ to, label }: { readonly to: string; readonly label?: string }) {
  const href = linkToRef(to);
  const text = label ?? refName(to);
  return href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>;
}

/** When it was, in the reader's time; in UTC where the pointer rests on it. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcMoment(at)}>
      {moment(at)}
    </time>
  );
}

/** How much of a limit is used: a bar, its figure in words beside it. */
export function Meter(props: {
  readonly label: string;
  readonly share: number | undefined;
  readonly text: string;
  readonly watch?: number;
  readonly fault?: number;
}) {
  const { label, share, text, watch = 80, fault = 100 } = props;
  const tone = share === undefined ? "plain" : share >= fault ? "fault" : share >= watch ? "watch" : "ok";
  return (
    <div class="meter-row">
      <span class="meter-label">{label}</span>
      {share === undefined ? (
        <span class="meter unknown" />
      ) : (
        <svg class={`meter ${tone}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="meter-back" width="100" height="6" />
          <rect class="meter-fill" width={Math.max(0, Math.min(100, share))} height="6" />
        </svg>
      )}
      <span class="meter-text">{text}</span>
    </div>
  );
}

export function Empty({ children }: Held) {
  return <p class="empty">{children}</p>;
}

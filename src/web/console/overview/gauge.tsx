import type { ComponentChildren } from "preact";
import { StateMark } from "../../shared/state.tsx";
import { getVisibleShareState, type State } from "../../shared/state_of_share.ts";
import { MeterBar } from "../ui/parts.tsx";

interface GaugeProps {
  readonly name: string;
  readonly href: string;
  readonly state: State | undefined;
  readonly value: string;
  readonly unit: string;
  /** Percentage of the bar; undefined if it is not known. Without this property there is no bar. */
  readonly share?: number | undefined;
  readonly failoverShare?: number | undefined;
  /** Whether a full gauge is harmless, so that its bar has no colour. */
  readonly isHarmless?: true;
  readonly lines: readonly (readonly [name: ComponentChildren, value: string, share?: number])[];
}

/** Gauge of a figure of the whole inventory: its value, its limit, and the value after one failure. */
export function Gauge(props: GaugeProps) {
  const { name, href, state, value, unit, share, failoverShare, isHarmless, lines } = props;
  return (
    <section class="gauge" aria-label={name}>
      <p class="gauge-name">
        <a href={href}>{name}</a>
        {state === undefined ? null : <StateMark state={state} label={state} />}
      </p>
      <p class="gauge-value">
        {value} <small>{unit}</small>
      </p>
      {"share" in props ? <MeterBar share={share} after={failoverShare} harmless={isHarmless} /> : null}
      {lines.map(([label, figure, judged], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a gauge keep their order
        <p key={at} class="gauge-line">
          <span>{label}</span>
          <strong class={judged === undefined ? "" : (getVisibleShareState(judged) ?? "")}>{figure}</strong>
        </p>
      ))}
    </section>
  );
}

/** Gauge without figures while a reply is awaited: it says neither that all is well nor that nothing is recorded. */
export function WaitingGauge({ name, href }: Pick<GaugeProps, "name" | "href">) {
  return <Gauge name={name} href={href} state={undefined} value="…" unit="waiting for the answer" lines={[]} />;
}

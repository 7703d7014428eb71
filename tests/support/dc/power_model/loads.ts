import type { LoadBasis } from "#dc/model/enum_values.ts";
import { roundFigure } from "#dc/model/figure.ts";
import type { Inlet, PowerModel } from "./model.ts";

const PHASES = ["A", "B", "C"] as const;
export type Phases = readonly [number, number, number];

/** Loads of the slow model: watts, and volt-amperes by phase. P1, P6, P9, P10. */
export class ModelLoads {
  private readonly model: PowerModel;
  private readonly live: ReadonlySet<string>;
  private readonly basis: LoadBasis;
  private readonly known = new Map<string, number>();
  private readonly knownVa = new Map<string, Phases>();

  constructor(model: PowerModel, live: ReadonlySet<string>, basis: LoadBasis) {
    this.model = model;
    this.live = live;
    this.basis = basis;
  }

  /** What a live element draws and passes on, in watts; 0 when it is dead. */
  watts(element: string): number {
    const known = this.known.get(element);
    if (known !== undefined) return known;
    const watts = this.live.has(element)
      ? this.parts(element, (part) => this.watts(part)).reduce(
          (sum, { share, value }) => sum + share * value,
          this.model.drawOf(element, this.basis),
        )
      : 0;
    this.known.set(element, watts);
    return watts;
  }

  /** The same in volt-amperes by phase: what names no leg is on all three alike. */
  phases(element: string): Phases {
    const known = this.knownVa.get(element);
    if (known !== undefined) return known;
    const va = this.phasesOf(element);
    this.knownVa.set(element, va);
    return va;
  }

  private phasesOf(element: string): Phases {
    if (!this.live.has(element)) return [0, 0, 0];
    const factor = this.model.devices.get(element)?.powerFactor ?? 1;
    const own = this.model.drawOf(element, this.basis) / factor / 3;
    const sums: [number, number, number] = [own, own, own];
    for (const phase of [0, 1, 2] as const) {
      for (const { share, value } of this.parts(element, (part) => this.phases(part)[phase]))
        sums[phase] += share * value;
    }
    const leg = this.model.outlets.get(element)?.port.powerOut?.leg;
    if (leg === undefined) return sums;
    const all = sums[0] + sums[1] + sums[2];
    const on = (phase: number) => (leg.includes(PHASES[phase] ?? "") ? all / leg.length : 0);
    return [on(0), on(1), on(2)];
  }

  /** What an element passes on: to whom, and which share of some additive figure of theirs. */
  private parts(
    element: string,
    figure: (part: string) => number,
  ): readonly { readonly share: number; readonly value: number }[] {
    const found: { share: number; value: number }[] = [];
    for (const [outlet, { device }] of this.model.outlets) {
      if (device === element) found.push({ share: 1, value: figure(outlet) });
    }
    for (const consumer of [...this.model.devices.keys(), ...this.model.cracs.keys()]) {
      if (!this.live.has(consumer)) continue;
      if (this.model.chassisOf(consumer) === element && !this.model.measuresBlades(element, this.basis)) {
        found.push({ share: 1, value: figure(consumer) });
      }
      for (const inlet of this.model.recordedOf(consumer)) {
        if (inlet.source === element) found.push({ share: 1, value: this.flow(consumer, inlet, figure) });
      }
    }
    return found;
  }

  /** What an inlet takes, in watts and in volt-amperes by phase; 0 while its source or its device is dead. */
  inlet(consumer: string, inlet: Inlet): { readonly watts: number; readonly phases: Phases } {
    if (!this.live.has(inlet.source ?? "") || !this.live.has(consumer)) return { watts: 0, phases: [0, 0, 0] };
    const on = (phase: 0 | 1 | 2) => this.flow(consumer, inlet, (part) => this.phases(part)[phase]);
    return { watts: this.flow(consumer, inlet, (part) => this.watts(part)), phases: [on(0), on(1), on(2)] };
  }

  /** Volt-amperes as an outlet judges them: those of three phases by the busiest one. P10. */
  judgedVa(outlet: string, [a, b, c]: Phases): number {
    const isThree = this.model.outlets.get(outlet)?.port.powerOut?.phase === "THREE";
    return roundFigure(isThree ? Math.max(a, b, c) * 3 : a + b + c);
  }

  /** What a live consumer takes by one inlet. */
  private flow(consumer: string, inlet: Inlet, figure: (part: string) => number): number {
    let bound = 0;
    let here = 0;
    for (const [outlet, { device, port }] of this.model.outlets) {
      const through = port.powerOut?.inletName;
      if (device !== consumer || this.model.boundTo(device, through) === undefined) continue;
      bound += figure(outlet);
      if (through === inlet.name) here += figure(outlet);
    }
    return here + (figure(consumer) - bound) * this.share(consumer, inlet);
  }

  private share(consumer: string, inlet: Inlet): number {
    const usable = this.model.recordedOf(consumer).filter(({ source = "" }) => this.live.has(source));
    if (!usable.includes(inlet)) return 0;
    const kind = this.model.devices.get(consumer)?.kind;
    if (kind === "UPS" || kind === "TRANSFER_SWITCH")
      return activeInlet(this.model, consumer, this.live) === inlet ? 1 : 0;
    if (usable.some(({ allocatedW }) => allocatedW <= 0)) return 1 / usable.length;
    return inlet.allocatedW / usable.reduce((sum, { allocatedW }) => sum + allocatedW, 0);
  }

  /** What an element may carry: watts for equipment, volt-amperes for an outlet. */
  capacity(element: string): number {
    const { port } = this.model.outlets.get(element) ?? {};
    if (port === undefined) return this.model.devices.get(element)?.power?.capacityW ?? 0;
    const { voltageV, amperageA, phase } = port.powerOut ?? {};
    if (voltageV === undefined || amperageA === undefined) return 0;
    return Math.round(Math.abs(voltageV) * amperageA * (phase === "THREE" ? Math.sqrt(3) : 1));
  }

  /** Load in percent of the capacity; undefined without one. P10. */
  utilizationPct(element: string): number | undefined {
    const capacity = this.capacity(element);
    if (capacity === 0) return undefined;
    const { port } = this.model.outlets.get(element) ?? {};
    if (port === undefined) return (roundFigure(this.watts(element)) / capacity) * 100;
    return (this.judgedVa(element, this.phases(element)) / capacity) * 100;
  }

  limitPct(element: string): number {
    const { port } = this.model.outlets.get(element) ?? {};
    const given =
      port === undefined ? this.model.devices.get(element)?.power?.maxUtilizationPct : port.powerOut?.maxUtilizationPct;
    return given ?? 80;
  }
}

/** The one inlet that a transfer switch or UPS draws from. P9. */
export function activeInlet(model: PowerModel, element: string, live: ReadonlySet<string>): Inlet | undefined {
  const usable = model.recordedOf(element).filter(({ source = "" }) => live.has(source));
  const preferred = model.devices.get(element)?.power?.preferredInlet;
  return usable.find(({ name }) => name === preferred) ?? usable[0];
}

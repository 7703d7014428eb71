import type { Loads } from "./load_lanes.ts";

/** Rounding of sums of loads that are added up in another order. */
const ROUNDING = 1e-6;

/** The largest figure of each of some things after a loss that affects it. */
export class WorstLosses {
  /** -1 if no loss affects it. */
  readonly most: Float64Array;
  /** The lost element that causes the figure; -1 if none does. */
  readonly lost: Int32Array;
  readonly #isBefore: (lost: number, other: number) => boolean;

  /** @param isBefore whether a lost element is named before another one that gives the same figure */
  constructor(size: number, isBefore: (lost: number, other: number) => boolean) {
    this.#isBefore = isBefore;
    this.most = new Float64Array(size).fill(-1);
    this.lost = new Int32Array(size).fill(-1);
  }

  note(at: number, figure: number, lost: number): void {
    const most = this.most[at] as number;
    const isAlike = Math.abs(figure - most) <= ROUNDING;
    if (isAlike ? !this.#isBefore(lost, this.lost[at] as number) : figure < most) return;
    this.most[at] = Math.max(figure, most);
    this.lost[at] = lost;
  }

  /** Takes over the figure of a thing that no change affects. */
  keep(at: number, before: WorstLosses): void {
    this.most[at] = before.most[at] as number;
    this.lost[at] = before.lost[at] as number;
  }

  /** The largest figures of all losses. @param normal of each thing that some loss does not affect, else -1 */
  with(normal: (at: number) => number): Worst {
    const loads = this.most.map((figure) => Math.max(0, figure));
    const lost = this.lost.slice();
    for (let at = 0; at < loads.length; at += 1) {
      const figure = normal(at);
      if (figure <= (this.most[at] as number)) continue;
      loads[at] = Math.max(0, figure);
      lost[at] = -1;
    }
    return { loads, lost };
  }
}

/** The largest load of each of some things after one loss. */
export interface Worst {
  readonly loads: Float64Array;
  /** The lost element that causes the load; -1 if no loss raises it. */
  readonly lost: Int32Array;
}

/** Loads of which the largest after one loss is asked for, beside those of all nodes. All depend on one node. */
export interface Watched {
  readonly node: number;
  measure(loads: Loads, live: Uint8Array): readonly number[];
}

/** Maximum rounding difference between sums of the same loads added in another order. */
const FIGURE_ROUNDING = 1e-6;

/** The largest figure at each position among all losses that affect it, and the loss that causes it. */
export class WorstLosses {
  /** Largest figure at each position; -1 if no loss affects the position. */
  readonly largestFigures: Float64Array;
  /** The lost element that causes the figure of each position; -1 if no loss affects the position. */
  readonly lostNodes: Int32Array;
  readonly #isBefore: (lost: number, other: number) => boolean;

  /**
   * Creates a list of positions without figures.
   * @param isBefore whether one lost element takes precedence over another lost element that causes the same figure
   */
  constructor(size: number, isBefore: (lost: number, other: number) => boolean) {
    this.#isBefore = isBefore;
    this.largestFigures = new Float64Array(size).fill(-1);
    this.lostNodes = new Int32Array(size).fill(-1);
  }

  recordLoss(at: number, figure: number, lost: number): void {
    const most = this.largestFigures[at] as number;
    const isAlike = Math.abs(figure - most) <= FIGURE_ROUNDING;
    if (isAlike ? !this.#isBefore(lost, this.lostNodes[at] as number) : figure < most) return;
    this.largestFigures[at] = Math.max(figure, most);
    this.lostNodes[at] = lost;
  }

  /** Copies the figure of a position that no change affects from an earlier result. */
  copyFigure(at: number, before: WorstLosses): void {
    this.largestFigures[at] = before.largestFigures[at] as number;
    this.lostNodes[at] = before.lostNodes[at] as number;
  }

  /**
   * Returns the largest figure of each position.
   * @param normal figure without a loss for a position that some loss does not affect, else -1
   */
  computeWorstLoads(normal: (at: number) => number): WorstLoads {
    const loads = this.largestFigures.map((figure) => Math.max(0, figure));
    const lost = this.lostNodes.slice();
    for (let at = 0; at < loads.length; at += 1) {
      const figure = normal(at);
      if (figure <= (this.largestFigures[at] as number)) continue;
      loads[at] = Math.max(0, figure);
      lost[at] = -1;
    }
    return { loads, lost };
  }
}

/** The largest loads after any one loss, and the lost elements that cause them. */
export interface WorstLoads {
  readonly loads: Float64Array;
  /** The lost element that causes the load; -1 if no loss raises it. */
  readonly lost: Int32Array;
}

/** Factor for rounding to three decimals, such as watts of a kilowatt. */
const ROUNDING_FACTOR = 1000;

/** More than the relative error of a sum of many draws: a half that a sum just misses is rounded up in every order. */
const SUM_ERROR = 1e-12;

/** Rounds a figure to three decimals, so that sums of many draws have no long fractions and replies agree. */
export function roundFigure(figure: number): number {
  // Adding 0 turns a negative zero into zero.
  return Math.round(figure * ROUNDING_FACTOR * (1 + SUM_ERROR)) / ROUNDING_FACTOR + 0;
}

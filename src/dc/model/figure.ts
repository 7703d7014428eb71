/** Factor for rounding to three decimals, such as watts of a kilowatt. */
const ROUNDING_FACTOR = 1000;

/** Rounds a figure to three decimals, so that sums of many draws have no long fractions and replies agree. */
export function roundFigure(figure: number): number {
  // Adding 0 turns a negative zero into zero.
  return Math.round(figure * ROUNDING_FACTOR) / ROUNDING_FACTOR + 0;
}

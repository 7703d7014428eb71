/** Factor for rounding to three decimals, such as watts of a kilowatt. */
const DIGITS = 1000;

/** Rounds a figure, so that sums of many draws have no endless fractions and every reply gives the same number. */
export function roundFigure(figure: number): number {
  // Adding 0 turns a negative zero into zero.
  return Math.round(figure * DIGITS) / DIGITS + 0;
}

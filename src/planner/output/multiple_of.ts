/**
 * Returns whether `value` is a whole multiple of `step` in decimal arithmetic, because JSON writes both in decimal:
 * 4.35 is a multiple of 0.01 although their binary quotient is not whole. `step` must be above 0.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !Number.isFinite(step)) return false;
  const left = parseDecimal(value);
  const right = parseDecimal(step);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaleDecimal(left, exponent) % scaleDecimal(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  /** The value is `digits` × 10 ** `exponent`. */
  readonly exponent: number;
}

function parseDecimal(value: number): Decimal {
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

// A double spans about 630 decimal places, so the integers here stay below 2200 bits.
function scaleDecimal({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

import type { ReadingQuantity } from "#dc/model/enum_values.ts";

/** Factor and offset that convert a value to the quantity's own unit. */
export interface Conversion {
  readonly factor: number;
  /** Added after the multiplication. */
  readonly offset: number;
}

const SAME: Conversion = { factor: 1, offset: 0 };

const by = (factor: number, offset = 0): Conversion => ({ factor, offset });

/** Units of each quantity by the suffix of the quantity's name; the first unit is the quantity's own. */
const UNITS: Readonly<Record<string, Readonly<Record<string, Conversion>>>> = {
  W: { W: SAME, mW: by(0.001), kW: by(1000), MW: by(1e6) },
  VA: { VA: SAME, kVA: by(1000), MVA: by(1e6) },
  A: { A: SAME, mA: by(0.001) },
  C: { C: SAME, mC: by(0.001), F: by(5 / 9, -160 / 9), K: by(1, -273.15) },
  M3H: { "m3/h": SAME, "m3/s": by(3600), "l/s": by(3.6), "l/min": by(0.06) },
  BPS: { "bit/s": SAME, "kbit/s": by(1e3), "Mbit/s": by(1e6), "Gbit/s": by(1e9), "B/s": by(8) },
  PCT: { "%": SAME, ratio: by(100) },
  MIN: { min: SAME, s: by(1 / 60), h: by(60) },
};

/** Every unit that differs from its quantity's own unit. */
export const NAMED_UNITS: readonly string[] = Object.values(UNITS).flatMap((units) => Object.keys(units).slice(1));

/** Returns a unit's conversion; undefined if the quantity lacks the unit. Without a unit, nothing is converted. */
export function findConversion(quantity: ReadingQuantity, unit: string | undefined): Conversion | undefined {
  if (unit === undefined) return SAME;
  const units = findUnitTable(quantity);
  return Object.hasOwn(units, unit) ? units[unit] : undefined;
}

/** Returns the units of a quantity, its own unit first. */
export function listUnits(quantity: ReadingQuantity): readonly string[] {
  return Object.keys(findUnitTable(quantity));
}

function findUnitTable(quantity: ReadingQuantity): Readonly<Record<string, Conversion>> {
  const end = quantity.slice(quantity.lastIndexOf("_") + 1);
  return (Object.hasOwn(UNITS, end) ? UNITS[end] : undefined) ?? {};
}

/** Converts a value and rounds it to twelve digits, so that 0.1 kW is 100 W. */
export function convertValue(value: number, { factor, offset }: Conversion): number {
  return factor === 1 && offset === 0 ? value : Number((value * factor + offset).toPrecision(12));
}

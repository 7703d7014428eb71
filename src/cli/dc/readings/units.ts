import type { ReadingQuantity } from "#dc/model/enum_values.ts";

/** Factor and offset that convert a value to the quantity's own unit. */
export interface Conversion {
  readonly factor: number;
  /** Added after the multiplication. */
  readonly offset: number;
}

const IDENTITY: Conversion = { factor: 1, offset: 0 };

const createConversion = (factor: number, offset = 0): Conversion => ({ factor, offset });

/** Units of each quantity by the suffix of the quantity's name; the first unit is the quantity's own. */
const UNITS_BY_SUFFIX: Readonly<Record<string, Readonly<Record<string, Conversion>>>> = {
  W: { W: IDENTITY, mW: createConversion(0.001), kW: createConversion(1000), MW: createConversion(1e6) },
  VA: { VA: IDENTITY, kVA: createConversion(1000), MVA: createConversion(1e6) },
  A: { A: IDENTITY, mA: createConversion(0.001) },
  C: {
    C: IDENTITY,
    mC: createConversion(0.001),
    F: createConversion(5 / 9, -160 / 9),
    K: createConversion(1, -273.15),
  },
  M3H: {
    "m3/h": IDENTITY,
    "m3/s": createConversion(3600),
    "l/s": createConversion(3.6),
    "l/min": createConversion(0.06),
  },
  BPS: {
    "bit/s": IDENTITY,
    "kbit/s": createConversion(1e3),
    "Mbit/s": createConversion(1e6),
    "Gbit/s": createConversion(1e9),
    "B/s": createConversion(8),
  },
  PCT: { "%": IDENTITY, ratio: createConversion(100) },
  MIN: { min: IDENTITY, s: createConversion(1 / 60), h: createConversion(60) },
};

/** Every unit that differs from its quantity's own unit. */
export const CONVERTED_UNITS: readonly string[] = Object.values(UNITS_BY_SUFFIX).flatMap((units) =>
  Object.keys(units).slice(1),
);

/** Returns a unit's conversion; undefined if the quantity lacks the unit. Without a unit, nothing is converted. */
export function findConversion(quantity: ReadingQuantity, unit: string | undefined): Conversion | undefined {
  if (unit === undefined) return IDENTITY;
  const units = getUnitConversions(quantity);
  return Object.hasOwn(units, unit) ? units[unit] : undefined;
}

/** Returns the units of a quantity, its own unit first. */
export function listUnits(quantity: ReadingQuantity): readonly string[] {
  return Object.keys(getUnitConversions(quantity));
}

function getUnitConversions(quantity: ReadingQuantity): Readonly<Record<string, Conversion>> {
  const end = quantity.slice(quantity.lastIndexOf("_") + 1);
  return (Object.hasOwn(UNITS_BY_SUFFIX, end) ? UNITS_BY_SUFFIX[end] : undefined) ?? {};
}

/** Converts a value and rounds it to twelve digits, so that 0.1 kW is 100 W. */
export function convertValue(value: number, { factor, offset }: Conversion): number {
  return factor === 1 && offset === 0 ? value : Number((value * factor + offset).toPrecision(12));
}

import { fixDecimals, percent, watts } from "./figures.ts";
import { countOf } from "./names.ts";

/** Capacity of a rack, with the fields of the service's message. */
export interface RackCapacity {
  readonly totalU: number;
  readonly freeU: number;
  readonly largestFreeBlockU: number;
  readonly allocatedW: number;
  readonly powerCapacityW?: number | undefined;
  readonly failoverWByPath: readonly {
    readonly powerPath: string;
    readonly normalW: number;
    readonly failoverW: number;
  }[];
  readonly weightKg: number;
  readonly maxLoadKg?: number | undefined;
  readonly heatW: number;
  readonly airHeatW: number;
  readonly coolingCapacityW?: number | undefined;
  readonly devices: number;
  readonly devicesWithoutWeight: number;
}

/** How much of a limit is used, in words and in percent. */
export interface LimitFigure {
  readonly label: string;
  readonly value: string;
  /** What the value excludes. */
  readonly note?: string;
  /** Absent if the value or its limit is not recorded. */
  readonly pct?: number;
  /** The part of `pct` that is always present; the remainder comes with a failure. */
  readonly usualPct?: number;
  /** Share from which the rack's health watches it, in percent. */
  readonly watchAt?: number;
  /** Whether more may be used than is recorded, so that the share proves no reserve. */
  readonly isLowerBound?: boolean;
}

const NOT_RECORDED = "not recorded";

/** What a rack uses of each of its limits, as pages and pictures show it. */
export function capacityFigures(capacity: RackCapacity) {
  const { totalU, freeU, largestFreeBlockU, allocatedW, powerCapacityW, failoverWByPath, devices } = capacity;
  const planned = limitFigure("Planned power", { value: allocatedW, limit: powerCapacityW, say: watts });
  return {
    freeSpace: `${freeU} of ${totalU} U free`,
    largestRun: `${largestFreeBlockU} U in one run`,
    power: recordedFigure(devices, planned, allocatedW),
    /** The load that each side must carry alone. */
    sides: failoverWByPath.map(({ powerPath, normalW, failoverW }) =>
      limitFigure(`Side ${powerPath === "" ? "?" : powerPath} alone`, {
        value: failoverW,
        limit: powerCapacityW,
        say: watts,
        usual: normalW,
      }),
    ),
    weight: weightFigure(capacity),
    heat: heatFigure(capacity),
  };
}

/** Devices without a recorded weight make the sum a lower bound. */
function weightFigure({ weightKg, maxLoadKg, devices, devicesWithoutWeight }: RackCapacity): LimitFigure {
  if (devicesWithoutWeight > 0 && devicesWithoutWeight === devices) return { label: "Weight", value: NOT_RECORDED };
  const say = (kg: number) => `${fixDecimals(kg)} kg`;
  const known = limitFigure("Weight", { value: weightKg, limit: maxLoadKg, say, watchAt: 90 });
  if (devicesWithoutWeight === 0) return known;
  const note = `${devicesWithoutWeight} of ${countOf(devices, "device")} without weight`;
  return { ...known, value: `at least ${known.value}`, note, isLowerBound: true };
}

/** A rack's cooling capacity applies to heat to air; liquid cooling has separate units. */
function heatFigure({ heatW, airHeatW, coolingCapacityW, devices }: RackCapacity): LimitFigure {
  const air = limitFigure("Heat to air", { value: airHeatW, limit: coolingCapacityW, say: watts });
  const liquidW = heatW - airHeatW;
  return recordedFigure(devices, liquidW > 0 ? { ...air, note: `${watts(liquidW)} to liquid` } : air, heatW);
}

/** If no device draws or heats, the figure counts as not recorded. */
function recordedFigure(devices: number, figure: LimitFigure, value: number): LimitFigure {
  return value === 0 && devices > 0 ? { label: figure.label, value: NOT_RECORDED } : figure;
}

interface Limited {
  readonly value: number;
  readonly limit: number | undefined;
  readonly say: (value: number) => string;
  readonly usual?: number;
  readonly watchAt?: number;
}

function limitFigure(label: string, { value, limit, say, usual = value, watchAt = 80 }: Limited): LimitFigure {
  if (limit === undefined || limit <= 0) return { label, value: `${say(value)}, no limit recorded` };
  const pct = (value / limit) * 100;
  const usualPct = (Math.min(usual, value) / limit) * 100;
  return { label, value: `${say(value)} of ${say(limit)} (${percent(pct)})`, pct, usualPct, watchAt };
}

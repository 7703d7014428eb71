import { formatPercent, formatPlainNumber, formatWatts, isSumUnknown } from "./figures.ts";
import { formatCountWithNoun } from "./names.ts";

/** Capacity of a rack, with the fields of the service's `RackCapacity` message. */
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
  readonly devicesWithoutDraw: number;
}

/** Use of one limit, as text and in percent. */
export interface LimitFigure {
  readonly label: string;
  readonly value: string;
  /** Text that names what the value excludes. */
  readonly note?: string;
  /** Absent if the value or its limit is not recorded. */
  readonly pct?: number;
  /** Percent that is used in normal operation; the remainder of `pct` is added by a failure. */
  readonly usualPct?: number;
  /** Percent from which the rack's health reports a warning. */
  readonly watchAt?: number;
  /** Whether the actual use may exceed the recorded one, so that the share proves no reserve. */
  readonly isLowerBound?: boolean;
}

const NOT_RECORDED = "not recorded";

/** Returns the cooling that is left in an area; undefined if no heat of what its units carry is recorded. */
export function getKnownCooling<Free extends { readonly heatNotRecorded: boolean }>(
  free: Free | undefined,
): Free | undefined {
  return free?.heatNotRecorded === true ? undefined : free;
}

/** Formats a rack's use of each of its limits, for pages and pictures. */
export function formatCapacity(capacity: RackCapacity) {
  const { totalU, freeU, largestFreeBlockU, allocatedW, powerCapacityW, failoverWByPath } = capacity;
  const planned = formatLimit("Planned power", { value: allocatedW, limit: powerCapacityW, formatValue: formatWatts });
  return {
    freeSpace: `${freeU} of ${totalU} U free`,
    largestRun: `${largestFreeBlockU} U in one run`,
    power: noteUnrecordedDraws(capacity, planned, allocatedW),
    /** Load that each power path must carry if the other one fails. */
    sides: failoverWByPath.map(({ powerPath, normalW, failoverW }) =>
      formatLimit(`Side ${powerPath === "" ? "?" : powerPath} alone`, {
        value: failoverW,
        limit: powerCapacityW,
        formatValue: formatWatts,
        usual: normalW,
      }),
    ),
    weight: formatWeight(capacity),
    heat: formatHeat(capacity),
  };
}

/** Formats the use of the load limit. The sum is a lower bound if devices have no recorded weight. */
function formatWeight({ weightKg, maxLoadKg, devices, devicesWithoutWeight }: RackCapacity): LimitFigure {
  if (devicesWithoutWeight > 0 && devicesWithoutWeight === devices) return { label: "Weight", value: NOT_RECORDED };
  const say = (kg: number) => `${formatPlainNumber(kg)} kg`;
  const known = formatLimit("Weight", { value: weightKg, limit: maxLoadKg, formatValue: say, watchAt: 90 });
  if (devicesWithoutWeight === 0) return known;
  const note = `${devicesWithoutWeight} of ${formatCountWithNoun(devices, "device")} without weight`;
  return { ...known, value: `at least ${known.value}`, note, isLowerBound: true };
}

/** Formats the use of a rack's cooling capacity, which applies to heat to air; liquid cooling has separate units. */
function formatHeat(capacity: RackCapacity): LimitFigure {
  const { heatW, airHeatW, coolingCapacityW } = capacity;
  const air = formatLimit("Heat to air", { value: airHeatW, limit: coolingCapacityW, formatValue: formatWatts });
  const liquidW = heatW - airHeatW;
  return noteUnrecordedDraws(
    capacity,
    liquidW > 0 ? { ...air, note: `${formatWatts(liquidW)} to liquid` } : air,
    heatW,
  );
}

/**
 * Replaces a figure by "not recorded" if it is zero and devices have no recorded draw. Above zero it is a lower bound
 * then.
 */
function noteUnrecordedDraws(
  { devices, devicesWithoutDraw }: RackCapacity,
  figure: LimitFigure,
  value: number,
): LimitFigure {
  if (isSumUnknown(value, devicesWithoutDraw)) return { label: figure.label, value: NOT_RECORDED };
  if (devicesWithoutDraw === 0) return figure;
  const note = `${devicesWithoutDraw} of ${formatCountWithNoun(devices, "device")} without draw`;
  return {
    ...figure,
    value: `at least ${figure.value}`,
    note: figure.note === undefined ? note : `${figure.note}, ${note}`,
    isLowerBound: true,
  };
}

interface LimitFigureInput {
  readonly value: number;
  readonly limit: number | undefined;
  readonly formatValue: (value: number) => string;
  readonly usual?: number;
  readonly watchAt?: number;
}

function formatLimit(
  label: string,
  { value, limit, formatValue, usual = value, watchAt = 80 }: LimitFigureInput,
): LimitFigure {
  if (limit === undefined || limit <= 0) return { label, value: `${formatValue(value)}, no limit recorded` };
  const pct = (value / limit) * 100;
  const usualPct = (Math.min(usual, value) / limit) * 100;
  return {
    label,
    value: `${formatValue(value)} of ${formatValue(limit)} (${formatPercent(pct)})`,
    pct,
    usualPct,
    watchAt,
  };
}

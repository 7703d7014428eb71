import { formatCount, formatDecimal } from "#words/figures.ts";
import { formatConstant, getReasonUnit, POWER_NOT_RECORDED, pluralize } from "#words/names.ts";

/** Explanations of health reasons whose code alone is not clear. */
const REASON_LABELS: Readonly<Record<string, string>> = {
  POWER_NORMAL: "High load",
  POWER_FAILOVER: "High load after one failure",
  SPACE: "Little space left",
  WEIGHT: "Heavy",
  REDUNDANCY_UNMET: "Redundancy not met",
  REDUNDANCY_UNKNOWN: "Redundancy cannot be proven",
  SINGLE_CORDED: "One inlet only",
  SUPPLY_UNDOCUMENTED: "Supply not recorded",
  [POWER_NOT_RECORDED]: "Neither supply nor draw recorded",
  STALE_TELEMETRY: "Old measurements",
};

export function describeReason(code: string): string {
  return REASON_LABELS[code] ?? formatConstant(code);
}

/** Formats the measured value of a reason and its limit as a suffix of the reason's text; "" without a value. */
export function formatReasonFigures({ code, value, limit }: { code: string; value?: number; limit?: number }): string {
  if (value === undefined) return "";
  switch (code) {
    case "REDUNDANCY_UNMET":
    case "ONE_POWER_PATH":
      return `, ${formatDecimal(value)} of ${formatDecimal(limit)} separate supplies`;
    case "SINGLE_CORDED":
    case "SUPPLY_UNDOCUMENTED":
    case POWER_NOT_RECORDED:
      return `, ${formatCount(value)} ${value === 1 ? "device" : pluralize("device")}`;
    case "U_SPACE_OCCUPIED":
    case "UNIT_RESERVED":
    case "OUTSIDE_RACK":
      return `, U${formatDecimal(value)}`;
    default: {
      const found = `, ${formatDecimal(value, getReasonUnit(code))}`;
      return limit === undefined || limit === 0
        ? found
        : `${found}, limit ${formatDecimal(limit, getReasonUnit(code))}`;
    }
  }
}

/** Explanations of the reasons why a placement refuses a rack. */
const REFUSAL_LABELS: Readonly<Record<string, string>> = {
  RACK_STATUS: "The rack is not in use",
  RACK_TENANT: "The rack belongs to another tenant",
  NO_SPACE: "No free units",
  WEIGHT_LIMIT: "Too heavy",
  RACK_POWER: "Above the rack's power",
  RACK_COOLING: "Above the rack's cooling",
  AIRFLOW: "Opposite airflow",
  COOLING_METHOD: "Another way of cooling",
  NO_COOLING_UNIT: "No cooling unit",
  COOLING_CAPACITY: "Cooling units would be too small",
  COOLING_RESERVE: "Cooling would lose its reserve",
  NO_SUPPLY: "No supply is recorded",
  SUPPLY_DEAD: "A supply gives no power",
  ONE_SIDE: "Both sides fail together",
  SINGLE_CORDED: "One inlet is not enough",
  NO_OUTLET: "No free outlet",
  SUPPLY_LIMIT: "A supply would exceed its limit",
  SUPPLY_FAILOVER: "A supply would be overloaded after one failure",
  PHASE_LIMIT: "A phase would exceed its limit",
  NO_SWITCH: "No switch",
  NO_SWITCH_PORT: "No free port",
};

export function describeRefusal(reason: string): string {
  return REFUSAL_LABELS[reason] ?? formatConstant(reason);
}

import { MAX_PORTS } from "#dc/limits.ts";
import { findInletDraw } from "../draw.ts";
import { createRejection, createWarning } from "../finding.ts";
import type { Device } from "../resources.ts";
import type { Findings, ResourceWrite } from "../rule.ts";
import {
  checkNumberBounds,
  checkRequiredField,
  checkTableTexts,
  createAssetTagRule,
  createNumberRule,
} from "./checks.ts";
import { checkSlug } from "./general.ts";

const checkDeviceNumbers = createNumberRule<Device>([
  ["position_u", (device) => device.positionU, { min: 0.5, max: 1100, step: 0.5 }],
  ["u_height", (device) => device.uHeight, { min: 0, max: 100, step: 0.5 }],
  ["weight_kg", (device) => device.weightKg, { min: 0, max: 100_000 }],
  ["max_draw_w", (device) => device.maxDrawW, { min: 0 }],
  ["allocated_draw_w", (device) => device.allocatedDrawW, { min: 0 }],
  ["measured_draw_w", (device) => device.measuredDrawW, { min: 0 }],
  ["power_factor", (device) => device.powerFactor, { min: 0.5, max: 1 }],
  ["heat_w", (device) => device.heatW, { min: 0 }],
  ["liquid_fraction_pct", (device) => device.liquidFractionPct, { min: 0, max: 100 }],
  ["inlet_temp_c", (device) => device.inletTempC, { min: -60, max: 150 }],
  ["exhaust_temp_c", (device) => device.exhaustTempC, { min: -60, max: 150 }],
  ["power.capacity_w", (device) => device.power?.capacityW, { min: 0 }],
  ["power.max_utilization_pct", (device) => device.power?.maxUtilizationPct, { min: 1, max: 100 }],
  ["power.min_live_inlets", (device) => device.power?.minLiveInlets, { min: 0 }],
  ["power.runtime_s", (device) => device.power?.runtimeS, { min: 0 }],
  ["power.efficiency_pct", (device) => device.power?.efficiencyPct, { above: 0, max: 100 }],
]);

function checkDeviceTexts({ after }: ResourceWrite<Device>): Findings {
  return [
    ...checkRequiredField("kind", after.kind),
    ...checkSlug("role", after.role),
    ...checkTableTexts(after, ["name", "manufacturer", "model", "partNumber", "serial", "assetTag", "bay", "tenant"]),
    ...(after.power === undefined ? [] : checkTableTexts(after.power, ["powerPath"], "power.")),
    ...checkNumberBounds("ports", after.ports?.length, { max: MAX_PORTS }),
  ];
}

/**
 * Rejects an allocated draw above the nameplate draw, and a measured draw above 1.2 times the nameplate; warns about a
 * measured draw between the two.
 */
function checkDeviceDraws({ after }: ResourceWrite<Device>): Findings {
  const { maxDrawW, allocatedDrawW, measuredDrawW } = after;
  if (maxDrawW === undefined) return [];
  const limit = maxDrawW * 1.2;
  return [
    ...checkNumberBounds("allocated_draw_w", allocatedDrawW, { max: maxDrawW }),
    ...checkNumberBounds("measured_draw_w", measuredDrawW, { max: limit }),
    ...(measuredDrawW !== undefined && measuredDrawW > maxDrawW && measuredDrawW <= limit
      ? [
          createWarning("MEASURED_ABOVE_MAX", "measured_draw_w", "The measured draw is above the nameplate", {
            value: measuredDrawW,
            expected: `at most ${maxDrawW}`,
          }),
        ]
      : []),
  ];
}

function checkLiquidCooling({ after }: ResourceWrite<Device>): Findings {
  if (after.coolingMethod !== "HYBRID" || after.liquidFractionPct !== undefined) return [];
  return [
    createRejection("REQUIRED_FIELD", "liquid_fraction_pct", "A device with hybrid cooling needs its liquid fraction", {
      expected: "0 to 100",
    }),
  ];
}

/** Rules for the data of a device. Source: docs/contract/datacenter-rules.md#device-data. */
/** Warns if a device's own draw and the sum of its inlets' draws of the same kind differ by more than a tenth. */
function checkInletDraws({ after }: ResourceWrite<Device>): Findings {
  const inlets = findInletDraw(after);
  const isAllocated = inlets?.source === "INLETS_ALLOCATED" && after.allocatedDrawW !== undefined;
  const [field, own] = isAllocated
    ? (["allocated_draw_w", after.allocatedDrawW] as const)
    : (["max_draw_w", after.maxDrawW ?? after.allocatedDrawW] as const);
  if (inlets === undefined || own === undefined) return [];
  if (Math.abs(own - inlets.watts) <= MAX_DRAW_DIFFERENCE * Math.max(own, inlets.watts)) return [];
  return [
    createWarning(
      "INLET_DRAWS_DIFFER",
      field,
      "The device's own draw, which counts, differs from those of its inlets",
      {
        value: own,
        expected: `about ${inlets.watts}, the sum of its inlets`,
      },
    ),
  ];
}

/** Share by which a device's own draw and those of its inlets may differ. */
const MAX_DRAW_DIFFERENCE = 0.1;

export const deviceDataRules = [
  checkDeviceNumbers,
  checkDeviceTexts,
  checkDeviceDraws,
  checkInletDraws,
  checkLiquidCooling,
];
export const deviceUniquenessRules = [createAssetTagRule("device")];

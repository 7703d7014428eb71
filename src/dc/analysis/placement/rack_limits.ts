import { computeAirHeatW, getDrawW } from "#dc/model/draw.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import { sumNumbers } from "../cooling/cooling_balance.ts";
import { Limit, type LimitUse } from "./limits.ts";
import type { PlacementObstacle, PlacementRequest } from "./wanted.ts";

const USABLE_RACK_STATUSES: readonly (string | undefined)[] = ["ACTIVE", "AVAILABLE", undefined];
/** Share of a rack's maximum load from which a write warns. */
const WEIGHT_WARNING_SHARE = 0.9;
/** Margin below limits that writes compare exactly, because sums of fractions have rounding errors. */
const ROUNDING_MARGIN = 1e-3;

export interface RackLimits {
  readonly uses: readonly LimitUse[];
  readonly obstacles: readonly PlacementObstacle[];
  readonly weight: Limit;
  readonly power: Limit;
  readonly cooling: Limit;
}

/** Returns a rack's limits, and reasons that exclude it at any free capacity. Uses the same sums as the write rules. */
export function createRackLimits(rack: Rack, devices: readonly Device[], wanted: PlacementRequest): RackLimits {
  const weightKg = wanted.template.weightKg ?? 0;
  const weight = createRackLimit(rack, {
    reason: "WEIGHT_LIMIT",
    unit: "kg",
    capacity: rack.maxLoadKg,
    used: sumNumbers(devices.map((device) => device.weightKg ?? 0)),
    share: Math.min(WEIGHT_WARNING_SHARE, 1 - wanted.keep),
    margin: ROUNDING_MARGIN,
  });
  const power = createRackLimit(rack, {
    reason: "RACK_POWER",
    unit: "W",
    capacity: rack.powerCapacityW,
    used: sumNumbers(devices.map((device) => getDrawW(device, "ALLOCATED") ?? 0)),
    share: 1 - wanted.keep,
    margin: 0,
  });
  const heat = sumNumbers(devices.map((device) => computeAirHeatW(device, "ALLOCATED")));
  const cooling = createRackLimit(rack, {
    reason: "RACK_COOLING",
    unit: "W",
    capacity: rack.coolingCapacityW,
    used: heat,
    share: 1 - wanted.keep,
    margin: Number.isInteger(heat + wanted.airW) ? 0 : ROUNDING_MARGIN,
  });
  return {
    uses: [
      { limit: weight, each: weightKg },
      { limit: power, each: wanted.drawW },
      { limit: cooling, each: wanted.airW },
    ],
    obstacles: findRackObstacles(rack, wanted),
    weight,
    power,
    cooling,
  };
}

interface RackLimitInput {
  readonly reason: "WEIGHT_LIMIT" | "RACK_POWER" | "RACK_COOLING";
  readonly unit: string;
  readonly capacity: number | undefined;
  readonly used: number;
  readonly share: number;
  readonly margin: number;
}

function createRackLimit(rack: Rack, { capacity, share, margin, ...rest }: RackLimitInput): Limit {
  const most = capacity === undefined ? Number.POSITIVE_INFINITY : capacity * share - margin;
  return new Limit({ ...rest, ref: `rack:${rack.code}`, capacity: capacity ?? Number.POSITIVE_INFINITY, maxUse: most });
}

function findRackObstacles(
  rack: Rack,
  { template, coolingMethod, tenant }: PlacementRequest,
): readonly PlacementObstacle[] {
  const ref = `rack:${rack.code}`;
  const found: PlacementObstacle[] = [];
  if (!USABLE_RACK_STATUSES.includes(rack.status)) {
    found.push({ reason: "RACK_STATUS", message: `Rack "${rack.code}" is ${rack.status}`, ref });
  }
  if (rack.tenant !== undefined && rack.tenant !== tenant) {
    found.push({ reason: "RACK_TENANT", message: `Rack "${rack.code}" belongs to tenant "${rack.tenant}"`, ref });
  }
  if (hasOpposedAirflow(template.airflow, rack.airflow) || hasOpposedAirflow(rack.airflow, template.airflow)) {
    found.push({ reason: "AIRFLOW", message: `Rack "${rack.code}" moves air the other way`, ref });
  }
  const isAir = coolingMethod === "AIR";
  if ((rack.coolingCapability === "AIR_ONLY" && !isAir) || (rack.coolingCapability === "LIQUID_ONLY" && isAir)) {
    const message = `Rack "${rack.code}" offers ${rack.coolingCapability}, the devices need ${coolingMethod}`;
    found.push({ reason: "COOLING_METHOD", message, ref });
  }
  return found;
}

function hasOpposedAirflow(one: string | undefined, other: string | undefined): boolean {
  return one === "FRONT_TO_REAR" && other === "REAR_TO_FRONT";
}

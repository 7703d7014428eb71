import { computeScopeShares } from "#dc/analysis/cooling/thermal.ts";
import { computeUtilization, listNodeLoadReasons } from "#dc/analysis/power/power_failover.ts";
import { isLoadUnknown } from "#dc/analysis/power/unknown_draws.ts";
import { computeFloorPlan, type RackOnFloor } from "#dc/analysis/racks/floor_plan.ts";
import { countDevicesWithoutSupply, findWorstReason } from "#dc/analysis/racks/rack_elevation.ts";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import type { RackRiskRecord } from "#dc/analysis/rehearsal/rack_risks.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/ref.ts";
import {
  type FloorPlanRequest,
  type FloorPlanResponse,
  FloorPlanResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { convertToMessage } from "../messages/convert.ts";
import type { ReadSession } from "../rpc.ts";
import { readLoadBasis, readRef, requireLocation } from "./parameters.ts";

/** Effects of single failures on each rack, by the key of the rack code. */
export type RackRisks = ReadonlyMap<string, RackRiskRecord>;

/** Measured values of racks: their draw in watts and their warmest inlet temperature, by the key of the rack code. */
export interface MeasuredRacks {
  readonly watts: ReadonlyMap<string, number>;
  readonly inletsC: ReadonlyMap<string, number>;
}

/** Data for the requested colouring of a floor, beyond the racks themselves. */
interface RackColouringValues {
  readonly risks?: RackRisks | undefined;
  readonly measured?: MeasuredRacks | undefined;
}

/** Computes the reply of FloorPlan without its picture. @throws Refusal for a floor without racks and equipment */
export function answerFloorPlan(
  topology: Topology,
  { now, lapsesAt }: Pick<ReadSession, "now" | "lapsesAt">,
  { floorRef, loadBasis }: FloorPlanRequest,
  colouring: RackColouringValues = {},
): FloorPlanResponse {
  const scope = readRef("floor_ref", floorRef, ["floor"]);
  const { power } = topology;
  const basis = readLoadBasis(loadBasis);
  requireLocation(topology, scope, { field: "floor_ref", value: floorRef });
  const carried = topology.computeCarriedLoads(basis);
  const plan = computeFloorPlan(topology, scope, { basis, now });
  lapsesAt(
    computeNextChangeMs(
      plan.racks.map(({ rack }) => rack),
      now,
    ),
  );
  const cracs = computeScopeShares(topology, scope, { basis, reserveUnits: 0, failedCracCodes: [] });
  const tiles = plan.racks.map((one) => createFloorTile(topology, one, colouring));
  const cracUse = new Map(cracs.map(({ crac, utilizationPct }) => [crac.code, utilizationPct]));
  return convertToMessage(FloorPlanResponseSchema, {
    ...plan,
    floorRef,
    loadBasis: basis,
    racks: tiles.filter(({ placement }) => placement !== undefined),
    unplacedRacks: tiles.filter(({ placement }) => placement === undefined),
    cracs: plan.cracs
      .filter(({ placement }) => placement !== undefined)
      .map((crac) => ({ ...crac, utilizationPct: cracUse.get(crac.code) ?? 0 })),
    devices: plan.devices.map((device) => {
      const index = power.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
      const used = computeUtilization(carried, index);
      const reasons = listNodeLoadReasons(carried, index);
      return {
        ...device,
        health: findWorstReason(reasons),
        reasons,
        ...(!isLoadUnknown(carried, index) && { powerPct: used?.normalPct, powerFailoverPct: used?.failoverPct }),
        powerLimitPct: used?.limitPct,
      };
    }),
  });
}

function createFloorTile(
  topology: Topology,
  { rack, health, reasons, capacity, thermal }: RackOnFloor,
  { risks, measured }: RackColouringValues,
) {
  const key = codeKey(rack.code);
  const devicesWithoutSupply = countDevicesWithoutSupply(topology.rackSupply(rack.code));
  const { risk, ref: riskRef } = risks?.get(key) ?? {
    risk: devicesWithoutSupply === 0 ? ("NONE" as const) : undefined,
  };
  return {
    ...rack,
    health,
    reasons,
    spacePct: capacity.spacePct,
    powerPct: capacity.powerPct,
    devicesWithoutDraw: capacity.devicesWithoutDraw,
    devicesWithoutSupply,
    heatW: thermal.heatW,
    devicesWithoutHeat: thermal.devicesWithoutHeat,
    coolingPct: thermal.utilizationPct,
    inletTempC: measured === undefined ? thermal.inletTempC : measured.inletsC.get(key),
    measuredW: measured?.watts.get(key),
    row: rack.location?.row,
    ...(risks !== undefined && { risk, riskRef }),
  };
}

import { computeScopeShares } from "#dc/analysis/cooling/thermal.ts";
import { computeUtilization, listNodeLoadReasons } from "#dc/analysis/power/power_failover.ts";
import { isLoadUnknown } from "#dc/analysis/power/unknown_draws.ts";
import { computeFloorPlan, type RackOnFloor } from "#dc/analysis/racks/floor_plan.ts";
import { countDevicesWithoutSupply, findWorstReason } from "#dc/analysis/racks/rack_elevation.ts";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import type { RackRisks } from "#dc/analysis/rehearsal/rack_risks.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { getDrawSource, getDrawW } from "#dc/model/draw.ts";
import { FACES } from "#dc/model/enum_values.ts";
import { codeKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcReader } from "#dc/ports.ts";
import { findRoleColor } from "#dc/render/parts/marks.ts";
import { readColoring } from "#dc/render/read_options.ts";
import {
  DatacenterService,
  type FloorPlanRequest,
  type FloorPlanResponse,
  FloorPlanResponseSchema,
  type GetRackRequest,
  type GetRackResponse,
  GetRackResponseSchema,
  RackSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode, readEnumValue, readLoadBasis, readRef, requireLocation } from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { convertToMessage } from "./messages/convert.ts";
import { type MeasuredRacks, readMeasuredRacks } from "./planning/change_list.ts";
import { findRackRisks } from "./planning/rehearsals.ts";
import { defineRead, type ReadSession } from "./rpc.ts";

export const getRack = defineRead({
  method: DatacenterService.method.getRack,
  effect: "read",
  run(session, request) {
    const view = readEnumValue("face", request.face, FACES);
    return replyWithPicture(session, {
      screen: "ELEVATION",
      requestedOptions: request.render,
      defaultOptions: view === undefined ? {} : { view },
      async computeReply() {
        const topology = await session.topology("judged");
        const reply = await answerGetRack({ ...session, topology }, request);
        const rack = topology.rack(request.code);
        if (rack !== undefined) session.lapsesAt(computeNextChangeMs([rack], session.now));
        for (const occupant of reply.occupants) occupant.color = findRoleColor(occupant);
        return { reply, picture: () => reply };
      },
    });
  },
});

/** Computes the GetRack reply without picture and role colours, which GetRack adds. @throws Refusal NOT_FOUND */
export async function answerGetRack(
  { reader, topology, now }: { readonly reader: DcReader; readonly topology: Topology; readonly now: string },
  request: GetRackRequest,
): Promise<GetRackResponse> {
  const code = readCode("code", request.code);
  const stored = await reader.stored("rack", codeKey(code));
  const rack = topology.rack(code);
  if (stored === undefined || rack === undefined)
    throw refuse("NOT_FOUND", `Cannot find rack "${code}"`, { field: "code", ref: `rack:${code}` });
  const { etag, createTime, updateTime } = stored;
  const basis = "ALLOCATED" as const;
  const { elevation, thermal, health, reasons } = topology.computeRackStanding(rack, { now, basis });
  const { occupants, units, capacity, conflicts } = elevation;
  return convertToMessage(GetRackResponseSchema, {
    rack: convertToMessage(RackSchema, { ...rack, etag, createTime, updateTime, health, healthReasons: reasons }),
    occupants: occupants.map(({ code: deviceCode, uHeight = 0, ...device }) => ({
      ...device,
      deviceCode,
      uHeight,
      drawW: getDrawW(device, basis) ?? 0,
      drawSource: getDrawSource(device),
    })),
    units,
    capacity: {
      ...capacity,
      heatW: thermal.heatW,
      airHeatW: thermal.airHeatW,
      failoverWByPath: topology.computeRackPathLoads(code, basis),
    },
    conflicts,
  });
}

export const floorPlan = defineRead({
  method: DatacenterService.method.floorPlan,
  effect: "read",
  run(session, request) {
    const usual = readColoring("FLOOR", "coloring", request.coloring);
    return replyWithPicture(session, {
      screen: "FLOOR",
      requestedOptions: request.render,
      defaultOptions: { coloring: usual },
      async computeReply({ coloring }) {
        const topology = await session.topology("judged");
        const risks = await findRackRisks(session, topology, coloring);
        const measured = await readMeasuredRacks(session, topology, request);
        const reply = answerFloorPlan(topology, session, request, { risks, measured });
        return { reply, picture: () => reply };
      },
    });
  },
});

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
  const cracUse = new Map(cracs.map(({ crac, ...share }) => [crac.code, share]));
  return convertToMessage(FloorPlanResponseSchema, {
    ...plan,
    floorRef,
    loadBasis: basis,
    racks: tiles.filter(({ placement }) => placement !== undefined),
    unplacedRacks: tiles.filter(({ placement }) => placement === undefined),
    cracs: plan.cracs
      .filter(({ placement }) => placement !== undefined)
      .map((crac) => {
        const { utilizationPct = 0, devicesWithoutHeat = 0 } = cracUse.get(crac.code) ?? {};
        return { ...crac, utilizationPct, devicesWithoutHeat };
      }),
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

import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
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
  type GetRackRequest,
  type GetRackResponse,
  GetRackResponseSchema,
  RackSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { answerFloorPlan } from "./answers/floor_plan.ts";
import { readCode, readEnumValue } from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { convertToMessage } from "./messages/convert.ts";
import { readMeasuredRacks } from "./planning/change_list.ts";
import { findRackRisks } from "./planning/rehearsals.ts";
import { defineRead } from "./rpc.ts";

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

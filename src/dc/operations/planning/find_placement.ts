import { create } from "@bufbuild/protobuf";
import { listRacksInScope } from "#dc/analysis/placement/candidates.ts";
import { findPlaces } from "#dc/analysis/placement/find_places.ts";
import { listHostSwitchesNear } from "#dc/analysis/placement/switch_ports.ts";
import type { PlacementRequest } from "#dc/analysis/placement/wanted.ts";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import type { NetworkPortSummary } from "#dc/model/inventory.ts";
import { readRenderOptions } from "#dc/render/read_options.ts";
import { FloorPlanRequestSchema, type RenderOptions, RenderOptionsSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { FindPlacementResponse } from "#gen/datacenter/v1/placement_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { answerFloorPlan } from "../answers/floor_plan.ts";
import { replyWithPicture } from "../answers/pictured.ts";
import { readFreeSwitchPorts } from "../answers/switch_devices.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { createPlacementReply } from "./placement_reply.ts";
import { parsePlacementRequest } from "./placement_request.ts";

export const findPlacement = defineRead({
  method: PlanningService.method.findPlacement,
  effect: "read",
  async run(session, request) {
    const { render: options } = request;
    if (options !== undefined) readRenderOptions("FLOOR", options);
    const question = await parsePlacementRequest(session, request);
    const topology = await session.judgedTopology();
    session.lapsesAt(computeNextChangeMs(listRacksInScope(topology, question.wanted), session.now));
    const switches = await readReachableSwitchPorts(session, question.wanted);
    const placement = await findPlaces({ topology, wanted: question.wanted, switches }, session.scheduler);
    const revision = await session.reader.revision();
    const reply = await createPlacementReply(
      { question, placement, revision, withItems: request.includeItems },
      session,
    );
    if (options !== undefined) await addPicture(session, reply, options);
    return reply;
  },
});

/** Draws the floor of the first placement with every rack of the answer highlighted. */
async function addPicture(session: ReadSession, reply: FindPlacementResponse, options: RenderOptions): Promise<void> {
  const { siteId, floorNumber } = reply.places[0]?.location ?? {};
  if (siteId === undefined) return;
  const highlight = reply.racks.filter(({ placed }) => placed > 0).map(({ rackCode }) => `rack:${rackCode}`);
  const asked = create(RenderOptionsSchema, { ...options, highlight: [...options.highlight, ...highlight] });
  const floorRef = `floor:${siteId}/${floorNumber}`;
  await replyWithPicture(session, {
    screen: "FLOOR",
    requestedOptions: asked,
    defaultOptions: { highlightLabel: "rack with a new place" },
    async computeReply() {
      const plan = answerFloorPlan(
        await session.judgedTopology(),
        session,
        create(FloorPlanRequestSchema, { floorRef }),
      );
      return { reply, picture: () => plan };
    },
  });
}

/** Reads the free ports of the switches that racks of the scope may use. */
async function readReachableSwitchPorts(
  session: ReadSession,
  wanted: PlacementRequest,
): Promise<ReadonlyMap<string, NetworkPortSummary>> {
  if (wanted.ports.length === 0) return new Map();
  const topology = await session.topology();
  return readFreeSwitchPorts(session, topology, listHostSwitchesNear(topology, listRacksInScope(topology, wanted)));
}

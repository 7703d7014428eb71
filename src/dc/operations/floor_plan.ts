import { readColoring } from "#dc/render/read_options.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { answerFloorPlan } from "./answers/floor_plan.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { readMeasuredRacks } from "./planning/preview_changes.ts";
import { findRackRisks } from "./planning/rehearsals.ts";
import { defineRead } from "./rpc.ts";

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

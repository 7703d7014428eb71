import { readColoring } from "#dc/render/read_options.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { floorPlanAnswer } from "./answers/floor_plan.ts";
import { pictured } from "./answers/pictured.ts";
import { defineRead } from "./rpc.ts";

export const floorPlan = defineRead({
  method: DatacenterService.method.floorPlan,
  effect: "read",
  run: (session, request) =>
    pictured(session, {
      screen: "FLOOR",
      asked: request.render,
      usual: { coloring: readColoring("FLOOR", "coloring", request.coloring) },
      async answer() {
        const reply = floorPlanAnswer(await session.judgedTopology(), session, request);
        return { reply, picture: () => reply };
      },
    }),
});

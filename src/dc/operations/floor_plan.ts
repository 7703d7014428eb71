import { readColoring } from "#dc/render/read_options.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { floorPlanAnswer } from "./answers/floor_plan.ts";
import { pictured } from "./answers/pictured.ts";
import { risksFor } from "./planning/risks_for.ts";
import { defineRead } from "./rpc.ts";

export const floorPlan = defineRead({
  method: DatacenterService.method.floorPlan,
  effect: "read",
  run(session, request) {
    const usual = readColoring("FLOOR", "coloring", request.coloring);
    return pictured(session, {
      screen: "FLOOR",
      asked: request.render,
      usual: { coloring: usual },
      async answer({ coloring }) {
        const topology = await session.judgedTopology();
        const reply = floorPlanAnswer(topology, session, request, await risksFor(session, topology, coloring));
        return { reply, picture: () => reply };
      },
    });
  },
});

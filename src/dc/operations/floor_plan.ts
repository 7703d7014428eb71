import { readColoring } from "#dc/render/read_options.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { floorPlanAnswer } from "./answers/floor_plan.ts";
import { pictured } from "./pictured.ts";
import { defineRead } from "./rpc.ts";

export const floorPlan = defineRead({
  method: DatacenterService.method.floorPlan,
  effect: "read",
  // Its healths depend on the hour: measurements grow stale and reservations end.
  cached: false,
  run: ({ context, topology }, request) =>
    pictured(context, {
      screen: "FLOOR",
      asked: request.render,
      usual: { coloring: readColoring("FLOOR", "coloring", request.coloring) },
      async answer() {
        const reply = floorPlanAnswer(await topology(), context.clock.now().toISOString(), request);
        return { reply, picture: () => reply };
      },
    }),
});

import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { floorPlanAnswer } from "./answers/floor_plan.ts";
import { defineRead } from "./rpc.ts";

export const floorPlan = defineRead({
  method: DatacenterService.method.floorPlan,
  effect: "read",
  // Its healths depend on the hour: measurements grow stale and reservations end.
  cached: false,
  run: async ({ context, topology }, request) =>
    floorPlanAnswer(await topology(), context.clock.now().toISOString(), request),
});

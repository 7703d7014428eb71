import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { thermalHeadroomAnswer } from "./answers/thermal_headroom.ts";
import { defineRead } from "./rpc.ts";

export const thermalHeadroom = defineRead({
  method: DatacenterService.method.thermalHeadroom,
  effect: "read",
  cached: true,
  run: async ({ topology }, request) => thermalHeadroomAnswer(await topology(), request),
});

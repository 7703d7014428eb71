import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { traceCablePathAnswer } from "./answers/trace_cable_path.ts";
import { defineRead } from "./rpc.ts";

export const traceCablePath = defineRead({
  method: DatacenterService.method.traceCablePath,
  effect: "read",
  cached: false,
  run: ({ reader }, request) => traceCablePathAnswer(reader, request),
});

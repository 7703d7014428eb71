import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { pictured } from "./answers/pictured.ts";
import { traceCablePathAnswer } from "./answers/trace_cable_path.ts";
import { defineRead } from "./rpc.ts";

export const traceCablePath = defineRead({
  method: DatacenterService.method.traceCablePath,
  effect: "read",
  run: (session, request) =>
    pictured(session, {
      screen: "CABLE_PATH",
      asked: request.render,
      answer: () => traceCablePathAnswer(session, request),
    }),
});

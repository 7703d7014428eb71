import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { fabricTopologyAnswer } from "./answers/fabric_topology.ts";
import { pictured } from "./answers/pictured.ts";
import { defineRead } from "./rpc.ts";

export const fabricTopology = defineRead({
  method: DatacenterService.method.fabricTopology,
  effect: "read",
  run: ({ context, scheduler, reader, topology }, request) =>
    pictured(
      { context, scheduler },
      {
        screen: "FABRIC",
        asked: request.render,
        answer: async () => fabricTopologyAnswer({ reader, topology: await topology() }, request),
      },
    ),
});

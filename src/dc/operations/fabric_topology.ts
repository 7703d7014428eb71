import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { fabricTopologyAnswer } from "./answers/fabric_topology.ts";
import { defineRead } from "./rpc.ts";

export const fabricTopology = defineRead({
  method: DatacenterService.method.fabricTopology,
  effect: "read",
  cached: true,
  run: async ({ reader, topology }, request) => fabricTopologyAnswer({ reader, topology: await topology() }, request),
});

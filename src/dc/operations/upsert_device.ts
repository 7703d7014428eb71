import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { upsertOne } from "./writes/mutations.ts";

const method = DatacenterService.method.upsertDevice;

export const upsertDevice = defineWrite({
  method,
  effect: "write",
  run: (session, request) => upsertOne(session, method, "device", request),
});

import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { upsertOne } from "./writes/mutations.ts";

const method = DatacenterService.method.upsertCrac;

export const upsertCrac = defineWrite({
  method,
  effect: "write",
  run: (session, request) => upsertOne(session, method, "crac", request),
});

import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { bulkUpsert } from "./writes/mutations.ts";

export const bulkUpsertCracs = defineWrite({
  method: DatacenterService.method.bulkUpsertCracs,
  effect: "write",
  run: (session, request) => bulkUpsert(session, "crac", request),
});

import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { bulkUpsert } from "./writes/mutations.ts";

export const bulkUpsertRacks = defineWrite({
  method: DatacenterService.method.bulkUpsertRacks,
  effect: "write",
  run: (session, request) => bulkUpsert(session, "rack", request),
});

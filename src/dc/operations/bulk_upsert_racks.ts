import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { bulkUpsert } from "./mutations.ts";
import { defineWrite } from "./rpc.ts";

export const bulkUpsertRacks = defineWrite({
  method: DatacenterService.method.bulkUpsertRacks,
  effect: "write",
  run: (session, request) => bulkUpsert(session, "rack", request),
});

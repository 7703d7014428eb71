import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { bulkDelete } from "./writes/mutations.ts";

export const bulkDeleteRacks = defineWrite({
  method: DatacenterService.method.bulkDeleteRacks,
  effect: "write",
  run: (session, request) => bulkDelete(session, "rack", request),
});

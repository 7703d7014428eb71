import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { bulkDelete } from "./mutations.ts";
import { defineWrite } from "./rpc.ts";

export const bulkDeleteRacks = defineWrite({
  method: DatacenterService.method.bulkDeleteRacks,
  effect: "write",
  run: (session, request) => bulkDelete(session, "rack", request),
});

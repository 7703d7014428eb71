import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { bulkDelete } from "./writes/mutations.ts";

export const bulkDeleteCracs = defineWrite({
  method: DatacenterService.method.bulkDeleteCracs,
  effect: "write",
  run: (session, request) => bulkDelete(session, "crac", request),
});

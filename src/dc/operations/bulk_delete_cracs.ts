import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { bulkDelete } from "./mutations.ts";
import { defineWrite } from "./rpc.ts";

export const bulkDeleteCracs = defineWrite({
  method: DatacenterService.method.bulkDeleteCracs,
  effect: "write",
  run: (session, request) => bulkDelete(session, "crac", request),
});

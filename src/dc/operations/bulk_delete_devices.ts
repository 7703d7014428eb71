import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { bulkDelete } from "./mutations.ts";
import { defineWrite } from "./rpc.ts";

export const bulkDeleteDevices = defineWrite({
  method: DatacenterService.method.bulkDeleteDevices,
  effect: "write",
  run: (session, request) => bulkDelete(session, "device", request),
});

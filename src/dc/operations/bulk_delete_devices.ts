import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { bulkDelete } from "./writes/mutations.ts";

export const bulkDeleteDevices = defineWrite({
  method: DatacenterService.method.bulkDeleteDevices,
  effect: "write",
  run: (session, request) => bulkDelete(session, "device", request),
});

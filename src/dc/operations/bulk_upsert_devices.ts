import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { bulkUpsert } from "./writes/mutations.ts";

export const bulkUpsertDevices = defineWrite({
  method: DatacenterService.method.bulkUpsertDevices,
  effect: "write",
  run: (session, request) => bulkUpsert(session, "device", request),
});

import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { bulkUpsert } from "./mutations.ts";
import { defineWrite } from "./rpc.ts";

export const bulkUpsertDevices = defineWrite({
  method: DatacenterService.method.bulkUpsertDevices,
  effect: "write",
  run: (session, request) => bulkUpsert(session, "device", request),
});

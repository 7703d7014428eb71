import { create } from "@bufbuild/protobuf";
import { DatacenterService, DeleteDeviceResponseSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { deleteOne } from "./writes/mutations.ts";

export const deleteDevice = defineWrite({
  method: DatacenterService.method.deleteDevice,
  effect: "write",
  async run(session, request) {
    const { ref, deleted, cascadedRefs } = await deleteOne(session, "device", { ...request, field: "code" });
    return create(DeleteDeviceResponseSchema, { ref, deleted, cascadedRefs: [...cascadedRefs] });
  },
});

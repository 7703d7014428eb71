import { create } from "@bufbuild/protobuf";
import { DatacenterService, DeleteRackResponseSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { deleteOne } from "./writes/mutations.ts";

export const deleteRack = defineWrite({
  method: DatacenterService.method.deleteRack,
  effect: "write",
  async run(session, request) {
    const { ref, deleted, cascadedRefs } = await deleteOne(session, "rack", { ...request, field: "code" });
    return create(DeleteRackResponseSchema, { ref, deleted, cascadedRefs: [...cascadedRefs] });
  },
});

import { create } from "@bufbuild/protobuf";
import { DatacenterService, DeleteCracResponseSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { deleteOne } from "./writes/mutations.ts";

export const deleteCrac = defineWrite({
  method: DatacenterService.method.deleteCrac,
  effect: "write",
  async run(session, request) {
    const { ref, deleted, cascadedRefs } = await deleteOne(session, "crac", { ...request, field: "code" });
    return create(DeleteCracResponseSchema, { ref, deleted, cascadedRefs: [...cascadedRefs] });
  },
});

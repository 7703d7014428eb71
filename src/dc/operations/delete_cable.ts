import { create } from "@bufbuild/protobuf";
import { DatacenterService, DeleteCableResponseSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { namedEnds } from "./writes/ends.ts";
import { removeResource } from "./writes/remove.ts";

export const deleteCable = defineWrite({
  method: DatacenterService.method.deleteCable,
  effect: "write",
  async run(session, request) {
    const { etag, allowMissing } = request;
    const options = { field: "", etag, allowMissing, cascade: false };
    const { ref, deleted, cascadedRefs } = await removeResource(session, "cable", namedEnds("cable", request), options);
    return create(DeleteCableResponseSchema, { ref, deleted, cascadedRefs: [...cascadedRefs] });
  },
});

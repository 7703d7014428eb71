import { create } from "@bufbuild/protobuf";
import { DatacenterService, DeleteFabricLinkResponseSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { defineWrite } from "./rpc.ts";
import { namedEnds } from "./writes/ends.ts";
import { removeResource } from "./writes/remove.ts";

export const deleteFabricLink = defineWrite({
  method: DatacenterService.method.deleteFabricLink,
  effect: "write",
  async run(session, request) {
    const { etag, allowMissing } = request;
    const options = { field: "", etag, allowMissing, cascade: false };
    const { ref, deleted, cascadedRefs } = await removeResource(
      session,
      "fabric_link",
      namedEnds("fabric_link", request),
      options,
    );
    return create(DeleteFabricLinkResponseSchema, { ref, deleted, cascadedRefs: [...cascadedRefs] });
  },
});

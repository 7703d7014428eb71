import { create } from "@bufbuild/protobuf";
import { ListDeviceTypesResponseSchema, PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { defineRead } from "../rpc.ts";
import { pageOfDeviceTypes } from "./device_types.ts";

export const listDeviceTypes = defineRead({
  method: PlanningService.method.listDeviceTypes,
  effect: "read",
  async run(session, request) {
    return create(
      ListDeviceTypesResponseSchema,
      await pageOfDeviceTypes(session, request, "all device types", () => true),
    );
  },
});

import { create } from "@bufbuild/protobuf";
import { refuse } from "#dc/model/refusal.ts";
import { GetDeviceTypeResponseSchema, PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { defineRead } from "../rpc.ts";
import { deviceTypeMessage, storedDeviceType } from "./device_types.ts";

export const getDeviceType = defineRead({
  method: PlanningService.method.getDeviceType,
  effect: "read",
  async run({ reader }, { code }) {
    if (code === "") throw refuse("REQUIRED_FIELD", 'Field "code" is required', { field: "code" });
    const stored = await storedDeviceType(reader, code);
    if (stored === undefined) {
      const ref = `device_type:${code}`;
      throw refuse("NOT_FOUND", `Cannot find device type "${code}"`, { field: "code", value: code, ref });
    }
    return create(GetDeviceTypeResponseSchema, { deviceType: deviceTypeMessage(stored) });
  },
});

import { create } from "@bufbuild/protobuf";
import { refuse } from "#dc/model/refusal.ts";
import { Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService, UpsertDeviceTypeResponseSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { defineWrite } from "../rpc.ts";
import { deviceTypeMessage, givenDeviceType } from "./device_types.ts";
import { putDeviceType } from "./put_device_type.ts";

const FIELD = "device_type";

export const upsertDeviceType = defineWrite({
  method: PlanningService.method.upsertDeviceType,
  effect: "write",
  async run(session, { deviceType, etag }) {
    if (deviceType === undefined) throw refuse("REQUIRED_FIELD", `Field "${FIELD}" is required`, { field: FIELD });
    const given = givenDeviceType(deviceType, FIELD);
    const { outcome, stored } = await putDeviceType(session, given, { etag, at: FIELD });
    return create(UpsertDeviceTypeResponseSchema, { deviceType: deviceTypeMessage(stored), outcome: Outcome[outcome] });
  },
});

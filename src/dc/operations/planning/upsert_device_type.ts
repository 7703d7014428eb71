import { create } from "@bufbuild/protobuf";
import type { DeviceType } from "#dc/model/device_type.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Stored } from "#dc/ports.ts";
import { Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { DeviceTypeSchema, PlanningService, UpsertDeviceTypeResponseSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { fromMessage } from "../messages/convert.ts";
import { defineWrite } from "../rpc.ts";
import { deviceTypeMessage } from "./device_types.ts";
import { putDeviceType } from "./put_device_type.ts";

const FIELD = "device_type";

export const upsertDeviceType = defineWrite({
  method: PlanningService.method.upsertDeviceType,
  effect: "write",
  async run(session, { deviceType, etag }) {
    if (deviceType === undefined) throw refuse("REQUIRED_FIELD", `Field "${FIELD}" is required`, { field: FIELD });
    const {
      etag: _,
      createTime: __,
      updateTime: ___,
      ...given
    } = fromMessage<Stored<object> & DeviceType>(DeviceTypeSchema, deviceType, FIELD);
    const { outcome, stored } = await putDeviceType(session, given, etag);
    return create(UpsertDeviceTypeResponseSchema, { deviceType: deviceTypeMessage(stored), outcome: Outcome[outcome] });
  },
});

import { create } from "@bufbuild/protobuf";
import { Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { DeleteWindowResponseSchema, UpsertWindowResponseSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { defineWrite } from "../../rpc.ts";
import { dropWindow, putWindow } from "./put_window.ts";
import { windowMessage } from "./stored_windows.ts";

export const upsertWindow = defineWrite({
  method: PlanningService.method.upsertWindow,
  effect: "write",
  async run(session, request) {
    const { outcome, stored } = await putWindow(session, request);
    return create(UpsertWindowResponseSchema, { window: windowMessage(stored), outcome: Outcome[outcome] });
  },
});

export const deleteWindow = defineWrite({
  method: PlanningService.method.deleteWindow,
  effect: "write",
  async run(session, request) {
    return create(DeleteWindowResponseSchema, await dropWindow(session, request));
  },
});

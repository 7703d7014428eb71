import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { defineWrite } from "../rpc.ts";
import { bulkUpsert } from "../writes/mutations.ts";

export const bulkUpsertCables = defineWrite({
  method: PlanningService.method.bulkUpsertCables,
  effect: "write",
  run: (session, request) => bulkUpsert(session, "cable", request),
});

import { Type } from "@sinclair/typebox";
import { OperationError, shortenText } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import type { PlannerContext } from "../context.ts";
import { buildUnreadableField } from "./shared/listing.ts";

export const workListTool = defineTool<PlannerContext>()({
  name: "planner_work_list",
  summary: "List processes that work on specs, with counts. For worktrees and the watch use planner_watch_status.",
  resultDescription:
    '`{"processes":[…],"summary":{"running":1,"completed":0,"failed":0}}`. A failed process says why under `error`.',
  effect: "read",
  idempotent: true,
  params: Type.Object({
    process_id: Type.Optional(Type.String({ description: "Only this process, running or ended" })),
    include_completed: Type.Optional(Type.Boolean({ description: "List ended processes as well" })),
  }),
  async run(context, { process_id, include_completed = false }) {
    const [all, broken] = await Promise.all([context.work.readProcesses(), context.work.listBrokenRecords()]);
    const meant = process_id === undefined ? all : all.filter((record) => record.process_id === process_id);
    if (process_id !== undefined && meant.length === 0) {
      throw new OperationError("not_found", `Process not found: ${shortenText(process_id)}`);
    }
    const showEnded = include_completed || process_id !== undefined;
    const count = (status: ProcessRecord["status"]) => meant.filter((record) => record.status === status).length;
    return {
      value: {
        processes: meant.filter(({ status }) => showEnded || status === "running"),
        summary: { running: count("running"), completed: count("completed"), failed: count("failed") },
        ...buildUnreadableField(broken),
      },
    };
  },
});

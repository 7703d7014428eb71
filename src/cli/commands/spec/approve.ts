import { defineCommand } from "../../command.ts";
import { runDecision } from "../../decide_approval.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Approve a spec that requires approval",
  details: "Sets approval.status, approval.by and approval.at and adds an entry under `## Approval Discussion`.",
  positionals: { id: ACTIVE_ID },
  flags: {
    by: { type: "string", value: "name", summary: "Who approves (required)" },
    reason: { type: "string", value: "text", summary: "Comment on the approval" },
    json: JSON_FLAG,
  },
  examples: [{ line: "planner approve 003 --by Ann", shows: "Approve today's third spec" }],
  run: ({ id, by, reason, json }, cli) => runDecision("approved", { id, by, reason, json }, cli),
});

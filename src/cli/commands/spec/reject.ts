import { defineCommand } from "../../command.ts";
import { runDecision } from "../../decide_approval.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Reject a spec that requires approval",
  details:
    "Sets approval.status, approval.by and approval.at and adds the reason under `## Approval Discussion`. The spec keeps its status: change the spec and have it approved, or cancel it.",
  positionals: { id: ACTIVE_ID },
  flags: {
    by: { type: "string", value: "name", summary: "Who rejects (required)" },
    reason: { type: "string", value: "text", summary: "Why (required)" },
    json: JSON_FLAG,
  },
  examples: [{ line: 'planner reject 003 --by Ann --reason "Too vague"', shows: "Reject today's third spec" }],
  run: ({ id, by, reason, json }, cli) => runDecision("rejected", { id, by, reason, json }, cli),
});

import { defineCommand } from "../../command.ts";
import { runDecision } from "../../decide_approval.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Reject a spec that must not be worked without approval",
  details:
    "Sets approval.status, by and at, and adds the reason under `## Approval Discussion`, in one change of the file. The " +
    "spec's own status stays: change the spec and have it approved, or cancel it.",
  positionals: { id: ACTIVE_ID },
  flags: {
    by: { type: "string", value: "name", summary: "Who rejects; must be given" },
    reason: { type: "string", value: "text", summary: "Why; must be given" },
    json: JSON_FLAG,
  },
  examples: [{ line: 'planner reject 003 --by Ann --reason "Too vague"', shows: "it is not worked" }],
  run: ({ id, by, reason, json }, cli) => runDecision("rejected", { id, by, reason, json }, cli),
});

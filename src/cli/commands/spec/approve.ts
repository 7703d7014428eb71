import { defineCommand } from "../../command.ts";
import { runDecision } from "../../decide_approval.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Approve a spec that must not be worked without approval",
  details:
    "Sets approval.status, by and at, and adds an entry under `## Approval Discussion`, in one change of the file.",
  positionals: { id: ACTIVE_ID },
  flags: {
    by: { type: "string", value: "name", summary: "Who approves; must be given" },
    reason: { type: "string", value: "text", summary: "What there is to say about it" },
    json: JSON_FLAG,
  },
  examples: [{ line: "planner approve 003 --by Ann", shows: "today's third spec may be worked" }],
  run: ({ id, by, reason, json }, cli) => runDecision("approved", { id, by, reason, json }, cli),
});

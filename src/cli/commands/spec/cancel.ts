import { cancel } from "#planner/operations/cancel.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTool } from "../../run_spec_tool.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Cancel a spec that is not to be done; specs that wait for it become free",
  positionals: { id: ACTIVE_ID },
  flags: { json: JSON_FLAG },
  examples: [{ line: "planner cancel 003", shows: "give up today's third spec" }],
  run: ({ id, json }, cli) => runSpecTool(cli, cancel, { id, json }),
});

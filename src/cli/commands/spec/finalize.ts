import { finalize } from "#planner/operations/finalize.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTool } from "../../run_spec_tool.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Mark a spec completed if all acceptance criteria are checked and its output matches its schema",
  positionals: { id: ACTIVE_ID },
  flags: { json: JSON_FLAG },
  examples: [{ line: "planner finalize 003", shows: "Complete today's third spec" }],
  run: ({ id, json }, cli) => runSpecTool(cli, finalize, { id, json }),
});

import { pause } from "#planner/operations/pause.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTool } from "../../run_spec_tool.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Stop the agent of a spec; the spec stays in_progress",
  positionals: { id: ACTIVE_ID },
  flags: { json: JSON_FLAG },
  examples: [{ line: "planner pause 003", shows: "Stop the agent; `planner work 003` continues" }],
  run: ({ id, json }, cli) => runSpecTool(cli, pause, { id, json }),
});

import { archive } from "#planner/operations/archive.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTool } from "../../run_spec_tool.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Move a completed spec to the archive; its id stays valid for reading and as a dependency",
  positionals: { id: ACTIVE_ID },
  flags: { json: JSON_FLAG },
  examples: [{ line: "planner archive 2026-11-21-003", shows: "put a completed spec away" }],
  run: ({ id, json }, cli) => runSpecTool(cli, archive, { id, json }),
});

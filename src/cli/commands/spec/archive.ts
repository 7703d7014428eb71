import { archive } from "#planner/operations/archive.ts";
import { specList } from "#planner/operations/spec_list.ts";
import { runTool } from "#planner/service.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTools } from "../../run_spec_tool.ts";
import { ACTIVE_IDS, JSON_FLAG } from "../../shared_arguments.ts";
import { NO_LIMIT } from "../../spec_filter.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  summary: "Move completed specs to the archive; their ids stay valid for reading and as dependencies",
  positionals: { id: { ...ACTIVE_IDS, required: false } },
  flags: { completed: { type: "boolean", summary: "Archive every completed spec" }, json: JSON_FLAG },
  examples: [
    { line: "planner archive 2026-11-21-003", shows: "Archive a completed spec" },
    { line: "planner archive --completed", shows: "Archive all completed specs" },
  ],
  async run({ id: ids, completed, json }, cli) {
    if (completed === ids.length > 0) {
      const message = completed
        ? 'Flag "--completed" takes no ids'
        : "Missing argument <id>: expected ids, or --completed";
      throw new UsageError(message, null);
    }
    if (!completed) return runSpecTools(cli, archive, { ids, json });
    const found = await runTool(await cli.planner(), specList, { status: "completed", limit: NO_LIMIT });
    return runSpecTools(cli, archive, { ids: found.value.specs.map((spec) => spec.id), json });
  },
});

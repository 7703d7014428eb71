import { takeover } from "#planner/operations/takeover.ts";
import { runTool } from "#planner/service.ts";
import { defineCommand } from "../../command.ts";
import { withoutEscapes } from "../../output/plain_text.ts";
import { print, printJson } from "../../output/print.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Stop the agent of a spec and report what it did, to continue by hand",
  details: "The spec stays in_progress. Its worktree keeps the agent's changes.",
  positionals: { id: ACTIVE_ID },
  flags: {
    force: { type: "boolean", summary: "Report on the last run even if no agent works on the spec" },
    json: JSON_FLAG,
  },
  examples: [
    { line: "planner takeover 003", shows: "Continue today's third spec by hand" },
    { line: "planner takeover 003 --force", shows: "Report on its last run" },
  ],
  async run({ id, force, json }, cli) {
    const { value } = await runTool(await cli.planner(), takeover, { id, force });
    if (json) return printJson(value);
    const parts = [
      `${value.spec_id}\n${value.analysis}`,
      value.suggestion,
      `Worktree: ${value.worktree_path ?? "none"}`,
      `The end of the log:\n${value.log_tail}`,
      ...(value.notes ?? []),
    ];
    print(`${parts.map(withoutEscapes).join("\n\n")}\n`);
  },
});

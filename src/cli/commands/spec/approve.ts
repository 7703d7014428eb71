import { defineCommand } from "../../command.ts";
import { runDecision } from "../../decide_approval.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { JSON_FLAG } from "../../shared_arguments.ts";
import { UsageError } from "../../usage_error.ts";

export const command = defineCommand({
  summary: "Accept the commands that checks and settings name, or approve a spec that requires approval",
  details:
    "Without --by: shows the commands of a spec's checks that no person of this machine has accepted, with their origin, and asks. Accepted commands are kept outside of the repository. With --by: sets approval.status, approval.by and approval.at of the spec and adds an entry under `## Approval Discussion`.",
  positionals: { id: { summary: "Full or partial id of a spec", required: false, completes: "spec" } },
  flags: {
    commands: { type: "boolean", summary: "Accept the commands of the settings" },
    all: { type: "boolean", short: "a", summary: "Accept the commands of the settings and of all active specs" },
    like: {
      type: "string",
      value: "prefix",
      summary: "Accept checks that begin so, with plain words behind it: no flags, no special characters",
    },
    yes: { type: "boolean", short: "y", summary: "Ask nothing" },
    by: { type: "string", value: "name", summary: "Approve the spec itself: who approves" },
    reason: { type: "string", value: "text", summary: "With --by: comment on the approval" },
    json: JSON_FLAG,
  },
  examples: [
    { line: "planner approve 003", shows: "Accept the checks of today's third spec" },
    { line: "planner approve --commands", shows: "Accept the commands of the settings" },
    { line: "planner approve --like 'npm test --'", shows: "Accept `npm test --` with any test's name" },
    { line: "planner approve 003 --by Ann", shows: "Approve today's third spec, which requires it" },
  ],
  async run({ id, by, reason, ...words }, cli) {
    if (by === undefined && reason === undefined) {
      const { approveCommands } = await import("../../approve_commands.ts");
      return approveCommands({ id, ...words }, cli);
    }
    const other = [
      ["--commands", words.commands],
      ["--all", words.all],
      ["--like", words.like],
      ["--yes", words.yes],
    ] as const;
    const beside = other.find(([, value]) => value !== undefined && value !== false);
    if (beside !== undefined) throw new UsageError(`Flags "--by" and "${beside[0]}" exclude each other`, null);
    if (id === undefined) throw new UsageError("Missing argument <id>: full or partial id of a spec", null);
    await runDecision("approved", { id, by, reason, json: words.json }, cli);
    return EXIT_STATUS.ok;
  },
});

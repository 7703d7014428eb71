import { type ApprovalDecision, decideApproval } from "#planner/operations/decide_approval.ts";
import { ACTIVE_ID, type Args, type ArgValues, booleanFlag, JSON_FLAG, textFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { requireOutsideRun, trustProject } from "../../consent.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS } from "../../exit_status.ts";
import { print, printJson, sanitizeLine } from "../../output/print.ts";

const ARGS = {
  id: { ...ACTIVE_ID, required: false, replacedBy: ["--commands", "--all", "--like"] },
  commands: booleanFlag("Accept the commands of the settings", { excludes: ["<id>", "--all"] }),
  all: booleanFlag("Accept the commands of the settings and of all active specs", { alias: "a", excludes: ["<id>"] }),
  like: textFlag("prefix", "Accept checks that begin so, with plain words behind it: no flags, no special characters", {
    excludes: ["<id>", "--commands", "--all"],
  }),
  yes: booleanFlag("Ask nothing", { alias: "y" }),
  by: textFlag("name", "Approve the spec itself: who approves", {
    needs: ["<id>"],
    excludes: ["--commands", "--all", "--like", "--yes"],
  }),
  reason: textFlag("text", "Comment on the approval", { needs: ["--by"] }),
  json: JSON_FLAG,
} as const satisfies Args;

export type ApproveArgs = ArgValues<typeof ARGS>;

export const approve = defineCommand({
  meta: {
    name: "approve",
    description: "Accept the commands that checks and settings name, or approve a spec that requires approval",
  },
  details:
    "Without --by: shows the commands of a spec's checks that no person of this machine has accepted, with their origin, and asks. Accepted commands are kept outside of the repository. With --by: sets approval.status, approval.by and approval.at of the spec and adds an entry under `## Approval Discussion`; refused if the spec requires no approval, is approved already, completed or cancelled. Refused in a run and its worktree, as is `planner trust`. --json prints `accepted` of `kind`, `text`, `from` and `commit`, with --by `spec_id`, `approval`, `by` and `at`.",
  args: ARGS,
  examples: {
    "planner approve 003": "Accept the checks of today's third spec",
    "planner approve --commands": "Accept the commands of the settings",
    "planner approve --like 'npm test --'": "Accept `npm test --` with any test's name",
    "planner approve 003 --by Ann": "Approve today's third spec, which requires it",
  },
  async run({ args: { id, by, reason, ...words }, cli }) {
    if (by === undefined || id === undefined) {
      const { approveCommands } = await import("../../approve_commands.ts");
      return approveCommands({ id, ...words }, cli);
    }
    await runApprovalDecision("approved", { id, by, reason, json: words.json }, cli);
    return EXIT_STATUS.ok;
  },
});

export const reject = defineCommand({
  meta: { name: "reject", description: "Reject a spec that requires approval" },
  details:
    "Sets approval.status, approval.by and approval.at and adds the reason under `## Approval Discussion`. The spec keeps its status: change the spec and have it approved, or cancel it. It is refused as `planner approve --by` is, and while a process works on the spec. Agents may not work on a rejected spec.",
  args: {
    id: ACTIVE_ID,
    by: textFlag("name", "Who rejects", { required: true }),
    reason: textFlag("text", "Why", { required: true }),
    json: JSON_FLAG,
  },
  examples: { 'planner reject 003 --by Ann --reason "Too vague"': "Reject today's third spec" },
  run: ({ args: { id, by, reason, json }, cli }) => runApprovalDecision("rejected", { id, by, reason, json }, cli),
});

export const trust = defineCommand({
  meta: { name: "trust", description: "Accept every command of this project, also those that agents write" },
  details:
    "For people whose agents have a shell without a sandbox anyway. Asks on the terminal. Kept outside of the repository, for this person and this machine; `planner doctor` shows it.",
  args: { off: booleanFlag("Accept only single commands again") },
  examples: {
    "planner trust": "Accept every command of this project",
    "planner trust --off": "Take that back",
  },
  async run({ args: { off }, cli }) {
    const project = await cli.openProject();
    requireOutsideRun(project.root, "trust a project");
    return (await trustProject(project, !off)) ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  },
});

interface DecisionOptions {
  readonly id: string;
  readonly by: string;
  readonly reason: string | undefined;
  readonly json: boolean;
}

/** Stores the approval or the rejection of a spec and prints it. */
async function runApprovalDecision(
  status: ApprovalDecision["status"],
  words: DecisionOptions,
  cli: Cli,
): Promise<void> {
  const { id, by, reason, json } = words;
  const decided = await decideApproval(await cli.openContext(), id, { status, by, reason: reason ?? null });
  if (json) return printJson(decided);
  print(
    `${status === "approved" ? "Approved" : "Rejected"} spec: ${decided.spec_id} (by ${sanitizeLine(decided.by)})\n`,
  );
}

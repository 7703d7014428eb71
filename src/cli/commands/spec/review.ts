import { refuseInsideRun } from "#planner/operations/shared/change_spec.ts";
import type { ReviewFacts } from "#planner/runs/review/review_facts.ts";
import { ANY_ID, type Args, type ArgValues, booleanFlag, JSON_FLAG, readTextOrInput, textFlag } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { requireOutsideRun } from "../../consent.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { isInteractive, print, printJson } from "../../output/print.ts";
import { removeEscapes } from "../../output/remove_escapes.ts";
import { printText } from "../../output/wrap_text.ts";
import type { DecisionContext } from "../../review/decide.ts";

const REVIEW_ARGS = {
  id: ANY_ID,
  accept: booleanFlag("Accept the work without a question", { alias: "a", excludes: ["--back", "--reject"] }),
  back: textFlag("text", "Send it back with this text; - reads standard input", { alias: "b" }),
  reject: booleanFlag("Reject the work without a question", { excludes: ["--back"] }),
  json: JSON_FLAG,
} as const satisfies Args;

type ReviewArgs = ArgValues<typeof REVIEW_ARGS>;

export const command = defineCommand({
  meta: { name: "review", description: "Look at the work on a spec, then accept it, send it back or reject it" },
  details:
    "Without a terminal it prints the difference and asks nothing. Shows criteria, checks, commits and files, then the difference in git's pager, and asks. Accepting merges as planner merge does. Sending back adds your text under `## Review` and sets the spec pending: the next run goes on with the branch, and with the agent's session if it can. Rejecting cancels the spec and keeps its branch under refs/planner/kept. --json prints `spec_id`, `need`, `criteria`, `record`, `difference`, `uncommitted`, `reviews` and `members`; with --accept or --reject `results`, with --back `spec_id`, `specs` and `at`.",
  args: REVIEW_ARGS,
  examples: {
    "planner review 003": "Judge the work on today's third spec",
    "planner review 003 --accept": "Merge it",
    'planner review 003 --back "Handle an empty list too"': "Let the agent go on",
  },
  run: ({ args, cli }) => runReview(args, cli),
});

async function runReview(words: ReviewArgs, cli: Cli): Promise<ExitStatus> {
  const { id, accept, back, reject, json } = words;
  const project = await cli.openProject();
  refuseInsideRun(project.context, "review");
  requireOutsideRun(project.root, "review work");
  const [{ openRunDeps }, { readReviewFacts: reviewFacts }, decide] = await Promise.all([
    import("../../work/run_deps.ts"),
    import("#planner/runs/review/review_facts.ts"),
    import("../../review/decide.ts"),
  ]);
  const deps = await openRunDeps(project, { announced: null, tell: () => {} });
  const deciding = { project, deps, cli, json };
  if (back !== undefined) return decide.sendBackAndPrintWork(deciding, id, await readTextOrInput(back));
  if (reject) return decide.rejectAndPrintWork(deciding, id);
  const facts = await reviewFacts(deps, id);
  if (accept) return decide.acceptAndMergeWork(deciding, facts);
  if (json) {
    printJson(facts);
    return EXIT_STATUS.ok;
  }
  await showReviewFacts(deciding, facts);
  return isInteractive() ? decide.askForDecision(deciding, facts) : EXIT_STATUS.ok;
}

async function showReviewFacts({ deps }: DecisionContext, facts: ReviewFacts): Promise<void> {
  const { formatReviewFacts } = await import("../../review/facts_text.ts");
  const { spec_id, difference } = facts;
  printText(formatReviewFacts(facts));
  const hasFiles = difference !== null && difference.files.length > 0;
  if (!isInteractive()) {
    if (hasFiles) print(`\n${removeEscapes(await deps.ports.differences.readPatch(difference, null))}`);
    const asked = `planner review ${spec_id}`;
    print(`\n${asked} --accept\n${asked} --back "<text>"\n${asked} --reject\n`);
    return;
  }
  if (hasFiles) await deps.ports.differences.showDifference(difference);
}

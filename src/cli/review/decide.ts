import { OperationError } from "#kernel/errors.ts";
import type { MergeResult } from "#planner/runs/merge/complete_spec.ts";
import type { ReviewFacts } from "#planner/runs/review/review_facts.ts";
import { acceptWork, rejectWork, sendBackWork } from "#planner/runs/review/send_back.ts";
import type { RunDeps } from "#planner/runs/run_types.ts";
import { readTerminalLine } from "../consent.ts";
import type { Cli } from "../declaration.ts";
import { type EditedText, editText } from "../edit_text.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { askAboutMergeCommands, isMergeRefusal, printMergeResult } from "../merge_output.ts";
import type { OpenedProject } from "../open_project.ts";
import { print, printJson, sanitizeLine } from "../output/print.ts";
import { listenForSignals } from "../work/signals.ts";

/** Dependencies and output options of a review's decisions. */
export interface DecisionContext {
  readonly project: OpenedProject;
  readonly deps: RunDeps;
  readonly cli: Cli;
  readonly json: boolean;
}

export async function acceptAndMergeWork(
  deciding: DecisionContext,
  { spec_id, members }: ReviewFacts,
): Promise<ExitStatus> {
  const { project, deps, cli, json } = deciding;
  await askAboutMergeCommands(project, [spec_id, ...members.map((member) => member.spec_id)]);
  const signals = listenForSignals((name) => cli.note(`${name}: ending after this spec`));
  try {
    const tell = json ? undefined : (result: MergeResult) => printMergeResult(result, cli);
    const results = await acceptWork(deps, { id: spec_id, stop: signals }, tell);
    if (json) printJson({ results });
    return results.some(isMergeRefusal) ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } finally {
    signals.close();
  }
}

export async function sendBackAndPrintWork(
  { deps, json }: DecisionContext,
  id: string,
  text: string,
): Promise<ExitStatus> {
  const sent = await sendBackWork(deps, id, text);
  if (json) printJson(sent);
  else for (const one of sent.specs) print(`Sent back spec: ${one} (planner work ${one})\n`);
  return EXIT_STATUS.ok;
}

export async function rejectAndPrintWork({ deps, cli, json }: DecisionContext, id: string): Promise<ExitStatus> {
  const results = await rejectWork(deps, id);
  if (json) printJson({ results });
  else {
    for (const { spec_id, notes, kept } of results) {
      print(`Rejected spec: ${spec_id}\n`);
      for (const note of notes) cli.note(sanitizeLine(`${spec_id}: ${note}`));
      if (kept !== null) cli.warn(sanitizeLine(`The worktree of ${spec_id} is kept: ${kept}`));
    }
  }
  return EXIT_STATUS.ok;
}

const DECISION_QUESTION = "[a]ccept, send [b]ack, [r]eject or [l]eave? ";

/** Asks for one of four decisions about the work until a person gives one. An empty answer changes nothing. */
export async function askForDecision(deciding: DecisionContext, facts: ReviewFacts): Promise<ExitStatus> {
  for (;;) {
    const answer = readTerminalLine(DECISION_QUESTION).trim().toLowerCase();
    if (isWordOrInitial(answer, "accept")) return acceptAndMergeWork(deciding, facts);
    if (isWordOrInitial(answer, "back")) return sendWorkBackFromEditor(deciding, facts);
    if (isWordOrInitial(answer, "reject")) return rejectAndPrintWork(deciding, facts.spec_id);
    if (answer === "" || isWordOrInitial(answer, "leave")) return EXIT_STATUS.ok;
  }
}

function isWordOrInitial(answer: string, word: string): boolean {
  return answer === word || answer === word.charAt(0);
}

/** Opens the editor for a comment and sends the work back with it. If this fails, the comment stays in its file. */
async function sendWorkBackFromEditor(deciding: DecisionContext, { spec_id }: ReviewFacts): Promise<ExitStatus> {
  const edited = await editText("review.md", "");
  if (edited.text.trim() === "") {
    edited.discard();
    deciding.cli.note("The text is empty: nothing was sent back");
    return EXIT_STATUS.ok;
  }
  return sendBackAndDiscardCopy(deciding, spec_id, edited);
}

async function sendBackAndDiscardCopy(deciding: DecisionContext, id: string, { text, file, discard }: EditedText) {
  try {
    const status = await sendBackAndPrintWork(deciding, id, text);
    discard();
    return status;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(error.kind, `${error.message}: your text is kept in "${file}"`, { cause: error });
  }
}

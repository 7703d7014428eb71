import { OperationError } from "#kernel/errors.ts";
import type { CommitFacts, KeptRunRecord } from "#planner/work/records/read_record.ts";
import { refuseInsideRun } from "../operations/shared/change_spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { isLineAccepted } from "../work/acceptance.ts";
import { type CommandResult, type EditedFile, findMissingPart, listCommandResults } from "../work/provenance.ts";
import {
  judgeRecord,
  listRecordedChecks,
  listRecordedCommands,
  listRecordedVerdicts,
  type RecordCheck,
} from "../work/records/run_record.ts";
import { openJob } from "./job.ts";
import { judgeProvenance } from "./proof/prove_spec.ts";
import type { RunDeps, StopSignals } from "./run_types.ts";

export interface RecordVerification {
  readonly id: SpecId;
  readonly kept: KeptRunRecord;
  /** Whether to run the recorded commands again. */
  readonly rerun: boolean;
  readonly stop: StopSignals;
}

/** Checks a run's record against the repository; `rerun` also runs its commands in a new worktree of its commit. */
export async function verifyRecord(deps: RunDeps, request: RecordVerification): Promise<readonly RecordCheck[]> {
  const { id, kept, rerun } = request;
  const facts = await deps.ports.worktrees.readCommitFacts(id, kept);
  const checks = judgeRecord(id, kept.record, facts);
  if (!rerun) return checks;
  refuseInsideRun(deps.context, "rerun");
  if (kept.record["spec_id"] !== id) return checks;
  if (facts.parent === null || facts.parent !== kept.record["head"]) return checks;
  return [...checks, ...(await rerunRecordedCommands(deps, request, { head: facts.parent, facts }))];
}

async function rerunRecordedCommands(
  deps: RunDeps,
  { id, kept, stop }: RecordVerification,
  { head, facts }: { readonly head: string; readonly facts: CommitFacts },
): Promise<readonly RecordCheck[]> {
  const recorded = listRecordedCommands(kept.record).filter(({ command }) => typeof command === "string");
  if (recorded.length === 0) return [{ part: "rerun", result: "unknown", detail: "the record names no command" }];
  const checks = listRecordedChecks(kept.record).map(({ command }) => String(command));
  const accepted = await (await deps.context.openAcceptance()).read();
  const isRunnable = (command: string): boolean =>
    isLineAccepted(accepted, { kind: "check", text: command }) ||
    isLineAccepted(accepted, { kind: "verify", text: command });
  const foreign = recorded.filter(({ command }) => !isRunnable(String(command)));
  if (foreign.length > 0) {
    const named = foreign.map(({ command }) => `"${String(command)}"`).join(", ");
    const detail = `not run, since nobody here has accepted ${named}: "planner approve ${id}" and "planner approve --commands" show what waits`;
    return [{ part: "rerun", result: "differs", detail }];
  }
  const isCheck = (command: string) =>
    checks.includes(command) && isLineAccepted(accepted, { kind: "check", text: command });
  const commands = [...new Set(recorded.map(({ command }) => String(command)))];
  const { base } = kept.record;
  const rerun = judgeProvenance(
    deps,
    {
      ...(await openJob(deps, id, stop)),
      criteria: commands.filter(isCheck).map((verify) => ({ label: verify, checked: true, lost: false, verify })),
      commands: commands.filter((command) => !isCheck(command)),
    },
    {
      kind: "commit",
      commit: head,
      since: {
        origin: typeof base === "string" ? { from: base, name: base.slice(0, 10) } : null,
        changed: facts.files.map((path) => ({ path, isNew: false })),
      },
    },
  );
  const proof = await rerun.catch((error: unknown) => {
    // Without its environment a command says nothing about the record.
    if (!(error instanceof OperationError) || error.kind === "aborted") throw error;
    return error.message;
  });
  if (typeof proof === "string")
    return [{ part: "rerun", result: "unknown", detail: `the commands cannot run here: ${proof}` }];
  if (stop.soon.aborted) throw new OperationError("aborted", "interrupted before all commands were run again");
  const results = new Map(listCommandResults(proof).map((result) => [result.command, result]));
  const again = recorded.flatMap((before) => {
    const result = results.get(String(before["command"]));
    return result === undefined ? [] : [compareResults(result, before)];
  });
  return [...again, ...proof.edited.map((file) => buildEditedFileCheck(file, kept.record))];
}

/** Compares the result of a command that ran again with its recorded result. */
function compareResults(result: CommandResult, before: KeptRunRecord["record"]): RecordCheck {
  const { command, status, problem, output_hash } = result;
  const part = "rerun";
  const same = status === before["status"] && (problem === null) === (before["problem"] === null);
  const missing = same ? null : findMissingPart(result);
  if (missing !== null) {
    const detail = `"${command}" cannot run here: ${missing} that it needs is missing (status ${status})`;
    return { part, result: "unknown", detail };
  }
  const output = output_hash === before["output_hash"] ? "the same output" : "another output";
  const end = problem ?? "passed";
  const detail = same
    ? `"${command}" ${end} again, with ${output}`
    : `"${command}" ${end}, and the record says ${String(before["problem"] ?? "passed")}`;
  return { part, result: same ? "ok" : "differs", detail };
}

/** Reports a check that passes only with the run's own version of a file: it proves nothing. See `findEditedFiles`. */
function buildEditedFileCheck({ command, path, problem }: EditedFile, record: KeptRunRecord["record"]): RecordCheck {
  const isSaid = listRecordedVerdicts(record, command).has("edited");
  const detail = `"${command}" passes only with ${path} as the run has changed it: with the earlier one it ${problem}`;
  return { part: "rerun", result: isSaid ? "ok" : "differs", detail };
}

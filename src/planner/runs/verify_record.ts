import { OperationError } from "#kernel/errors.ts";
import type { CommitFacts, KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import { refuseInsideRun } from "../operations/shared/inside_run.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { isLineAccepted } from "../work/acceptance.ts";
import type { EditedFile } from "../work/provenance.ts";
import {
  judgeRecord,
  listRecordedChecks,
  listRecordedCommands,
  listRecordedVerdicts,
  type RecordCheck,
} from "../work/records/judge_record.ts";
import { openJob, runJobInFreshWorktree } from "./job.ts";
import { findEditedFiles } from "./proof/edited_files.ts";
import { runCommands } from "./run/run_commands.ts";
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
  return runJobInFreshWorktree(deps, await openJob(deps, id, stop), head, async (job) => {
    const commands = recorded.map(({ command }) => String(command));
    const results = await runCommands(deps, job, commands, { limitSeconds: job.config.verify.timeout_seconds });
    if (stop.soon.aborted) throw new OperationError("aborted", "interrupted before all commands were run again");
    const passed = new Set(results.flatMap(({ command, problem }) => (problem === null ? [command] : [])));
    const edited = await findEditedFiles(
      deps,
      { ...job, criteria: [], commands: [] },
      {
        accepted,
        ...buildRecordedState(kept.record, { head, facts }),
        commands: checks.filter((one) => passed.has(one)),
      },
    );
    const again = results.map((result, index): RecordCheck => {
      const before = recorded[index] ?? {};
      const same = result.status === before["status"] && (result.problem === null) === (before["problem"] === null);
      const output = result.output_hash === before["output_hash"] ? "the same output" : "another output";
      const end = result.problem ?? "passed";
      const detail = same
        ? `"${result.command}" ${end} again, with ${output}`
        : `"${result.command}" ${end}, and the record says ${String(before["problem"] ?? "passed")}`;
      return { part: "rerun", result: same ? "ok" : "differs", detail };
    });
    return [...again, ...edited.map((file) => buildEditedFileCheck(file, kept.record))];
  });
}

/** Returns the state of the recorded commit, with the files that the run changed since its base commit. */
function buildRecordedState(
  { base }: KeptRunRecord["record"],
  { head, facts }: { readonly head: string; readonly facts: CommitFacts },
) {
  const changed = facts.files.map((path) => ({ path, isNew: false }));
  const held = { commit: head, tree: null, uncommitted: [], ignored: [], changed, behind: false };
  return { held, origin: typeof base === "string" ? { from: base, name: base.slice(0, 10) } : null };
}

/** Reports a check that passes only with the run's own version of a file: it proves nothing. See `findEditedFiles`. */
function buildEditedFileCheck({ command, path, problem }: EditedFile, record: KeptRunRecord["record"]): RecordCheck {
  const isSaid = listRecordedVerdicts(record, command).has("edited");
  const detail = `"${command}" passes only with ${path} as the run has changed it: with the earlier one it ${problem}`;
  return { part: "rerun", result: isSaid ? "ok" : "differs", detail };
}

import { getErrorMessage } from "#kernel/errors.ts";
import { readProjectRules } from "#planner/operations/shared/held_rules.ts";
import { refuseInsideRun } from "#planner/operations/shared/inside_run.ts";
import { loadSpecWorld } from "#planner/operations/shared/world.ts";
import { repairRuns } from "#planner/runs/claims.ts";
import { type QueueOptions, type QueueResult, runQueue } from "#planner/runs/run_queue.ts";
import type { RunDeps, RunSettings } from "#planner/runs/run_types.ts";
import type { Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { buildCheckLines } from "#planner/work/acceptance.ts";
import { listConfigLines } from "#planner/work/config_lines.ts";
import { limitMemory } from "#runtime/small_memory.ts";
import { quoteShellWord } from "#words/shell_word.ts";
import { askToAcceptCommands } from "../accept_commands.ts";
import type { Cli } from "../command.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import type { OpenedProject } from "../open_project.ts";
import { recordUnbegunRun, takeBackgroundStart } from "./background_start.ts";
import { createProgress, createSafeReporter, type UnmergedWork } from "./progress.ts";
import { openRunDeps } from "./run_deps.ts";
import { getInterruptionStatus, type Interruption, listenForSignals } from "./signals.ts";

/** Arguments of `planner work`. */
export type WorkArgs = Omit<QueueOptions, "run"> & Omit<RunSettings, "stop" | "unproven"> & { readonly json: boolean };

/** Runs agents on specs until all runs end, and prints their progress. */
export async function runWork({ context, root }: OpenedProject, cli: Cli, words: WorkArgs): Promise<ExitStatus> {
  refuseInsideRun(context, "planner_work_start");
  await askAboutWorkCommands({ context, root }, words.ids);
  const progress = createProgress(cli, words.json);
  const signals = listenForSignals((name, again) => {
    progress.reportEvent({ event: "note", spec_id: null, message: formatInterruption(name, again) });
  });
  const background = takeBackgroundStart();
  const reporter = createSafeReporter(progress);
  const deps = await openRunDeps({ context, root }, { announced: background, tell: reporter.tell });
  const { ids, follow, width, stopAtFailure, budget, json: _, ...wished } = words;
  // Work in the background may skip the checkboxes of criteria, but not their checks.
  const unproven = background === null && wished.skipCriteria ? "--skip-criteria" : null;
  const run = { ...wished, unproven };
  const restoreMemoryLimit = limitMemory();
  let refused = "the process ended before the run began";
  try {
    await repairRuns(deps, ids);
    const wishes: QueueOptions = { ids, follow, width, stopAtFailure, budget, run: { ...run, stop: signals } };
    const result = await runQueue(deps, wishes);
    progress.printSummary(result, await findUnmergedWork(deps, result));
    reporter.complain();
    refused = result.refused.find(({ spec_id }) => spec_id === ids[0])?.reason ?? refused;
    return chooseExitStatus(result, signals.getFirstSignal());
  } catch (error) {
    refused = getErrorMessage(error);
    throw error;
  } finally {
    restoreMemoryLimit();
    progress.close();
    signals.close();
    if (background !== null) await recordUnbegunRun(deps.ports.records, background, refused);
  }
}

/** Asks about unaccepted checks of the specs that may be worked on, and about unaccepted commands of the settings. */
async function askAboutWorkCommands(project: OpenedProject, ids: readonly SpecId[]): Promise<void> {
  const { specs, readiness } = await loadSpecWorld(project.context);
  const isMeant = (spec: Spec): boolean =>
    ids.length === 0 ? readiness.isReady(spec) : ids.some((id) => spec.id === id || spec.id.startsWith(`${id}.`));
  const checks = specs.filter(isMeant).flatMap(({ body }) => buildCheckLines(body));
  const { lost } = await readProjectRules(project.context);
  await askToAcceptCommands(project, [...listConfigLines(await project.context.readConfig()), ...lost, ...checks]);
}

async function findUnmergedWork({ ports }: RunDeps, { results }: QueueResult): Promise<readonly UnmergedWork[]> {
  const waiting: UnmergedWork[] = [];
  for (const { spec_id, status } of results) {
    const worktree = status === "completed" ? await ports.worktrees.findWorktree(spec_id) : null;
    if (worktree === null || (await ports.worktrees.isMerged(spec_id))) continue;
    const range = quoteShellWord(`${worktree.mainBranch}...${worktree.branch}`);
    waiting.push({ spec_id, difference: `git diff ${range}` });
  }
  return waiting;
}

function chooseExitStatus({ results, refused }: QueueResult, by: Interruption | null): ExitStatus {
  if (by !== null) return getInterruptionStatus(by);
  const failed = refused.length > 0 || results.some(({ status }) => status !== "completed");
  return failed ? EXIT_STATUS.refused : EXIT_STATUS.ok;
}

function formatInterruption(name: Interruption, again: boolean): string {
  if (again) return `${name} again: ending the agents at once`;
  return `${name}: ending the agents and putting their specs back${name === "SIGINT" ? "; once more ends them at once" : ""}`;
}

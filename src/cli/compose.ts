import { resolve } from "node:path";
import { SYSTEM_CLOCK as clock } from "#kernel/clock.ts";
import type { PlannerContext } from "#planner/context.ts";
import { createLazyOutputValidator } from "#planner/output/checker/open_outputs.ts";
import { openGitHistory } from "#planner/store/git/git_history.ts";
import { openLogStore } from "#planner/store/logs/log_store.ts";
import { findProjectOfWorktree, findSurroundingRun } from "#planner/store/processes/inside_run.ts";
import { openWorkStore } from "#planner/store/processes/work_store.ts";
import { findRoot, isInitialisedProject } from "#planner/store/project/places.ts";
import {
  createConfigReader,
  createSettingsReader,
  openPromptStore,
  openTemplateFolder,
} from "#planner/store/project/prompt_store.ts";
import { SpecStore } from "#planner/store/specs/spec_store.ts";

export { findRoot };

export interface OpenPlannerOptions {
  /** Working directory of the caller. The project's root is this folder or the nearest parent that has one. */
  readonly cwd: string;
  /** The project's root, which replaces the search. */
  readonly root?: string;
}

/** Assembles the project around `cwd`. Never fails: without a project `initialised` resolves to false. */
export async function openPlanner({ cwd, root: given }: OpenPlannerOptions): Promise<PlannerContext> {
  const root = given === undefined ? (findRoot(cwd) ?? resolve(cwd)) : resolve(cwd, given);
  // In a worktree, checks use the settings of the project, so that a run cannot change them.
  const project = findProjectOfWorktree(root)?.project ?? root;
  const config = createConfigReader(project);
  return {
    isInitialised: async () => isInitialisedProject(root),
    readConfig: config,
    settings: createSettingsReader(project, config),
    specs: new SpecStore(root),
    logs: openLogStore(root),
    projectLogs: openLogStore(project),
    work: openWorkStore(root, clock),
    prompts: openPromptStore(root),
    templates: openTemplateFolder(root, ".planner/templates"),
    terminateProcess: async (pid) => (await import("#planner/store/processes/background.ts")).terminateProcess(pid),
    git: openGitHistory(root),
    outputs: createLazyOutputValidator(project),
    openAcceptance: createLazyLoader(async () =>
      (await import("#planner/store/project/accepted_commands.ts")).openAcceptance(project),
    ),
    proveSpec: async (wanted) =>
      (await import("./work/run_deps.ts")).proveSpecInFolder(root, wanted, { open: openPlanner }),
    storeManualRecord: async (end) =>
      (await import("./work/run_deps.ts")).recordManualCompletion(root, end, openPlanner),
    openRuns: createLazyLoader(async () =>
      (await import("#planner/store/processes/open_runs.ts")).openRuns(root, clock, config),
    ),
    readRunReports: async () => (await import("#planner/store/processes/run_reports.ts")).readRunReports(root),
    startInBackground: async (args, env) => {
      const { startInBackground } = await import("#planner/store/processes/background.ts");
      const { getSelfCommand, getSelfEnvironment } = await import("#runtime/self_command.ts");
      return startInBackground({ root, command: getSelfCommand(), env: getSelfEnvironment() }, args, env);
    },
    findSurroundingRun: () => findSurroundingRun(root, process.env),
    clock,
  };
}

function createLazyLoader<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= load();
    return value;
  };
}

import type { PlannerContext } from "#planner/context.ts";
import { proveSpec } from "#planner/runs/proof/prove_spec.ts";
import { keepManualRecord } from "#planner/runs/run/keep_record.ts";
import type { RunDeps } from "#planner/runs/run_types.ts";
import { findProjectOfWorktree } from "#planner/store/processes/inside_run.ts";
import { openRunFiles } from "#planner/store/worktrees/run_files.ts";
import type { ManualCompletion, ProofRequest, Provenance } from "#planner/work/provenance.ts";
import { getSelfCommand } from "#runtime/self_command.ts";
import type { OpenedProject } from "../open_project.ts";

/** Creates the dependencies of the runs of this process. */
export async function openRunDeps(
  { context, root }: OpenedProject,
  { announced, tell }: Pick<RunDeps, "announced" | "tell">,
): Promise<RunDeps> {
  return {
    context,
    ports: await context.openRuns(),
    files: openRunFiles(),
    root,
    pid: process.pid,
    // Asked for each agent, because an upgrade may replace the program during a watch.
    get selfCommand() {
      return getSelfCommand();
    },
    buildShellCommand: buildShellCommand,
    announced,
    tell,
  };
}

function buildShellCommand(line: string): readonly string[] {
  return process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", line] : ["/bin/sh", "-c", line];
}

interface ProofOptions {
  /** Opens a project. */
  readonly open: (options: { readonly cwd: string; readonly root: string }) => Promise<PlannerContext>;
  /** Receives lines about the progress and output of checks. */
  readonly tell?: (line: string) => void;
}

/** Runs the checks of a spec for a process that works in `root`: the project, or the worktree of a run. */
export async function proveSpecInFolder(
  root: string,
  wanted: ProofRequest,
  { open, tell = () => {} }: ProofOptions,
): Promise<Provenance> {
  const around = findProjectOfWorktree(root);
  const deps = await openProjectDeps(around?.project ?? root, { open, tell });
  return proveSpec(deps, { ...wanted, worktreeOf: around?.id ?? wanted.id });
}

/** Stores the record of a completion without a run. Does nothing in a worktree, because its run stores the record. */
export async function recordManualCompletion(
  root: string,
  end: ManualCompletion,
  open: ProofOptions["open"],
): Promise<number | null> {
  return findProjectOfWorktree(root) === null ? keepManualRecord(await openProjectDeps(root, { open }), end) : null;
}

async function openProjectDeps(root: string, { open, tell = () => {} }: ProofOptions): Promise<RunDeps> {
  return openProofDeps({ root, context: await open({ cwd: root, root }) }, tell);
}

/** Opens the dependencies of checks; `tell` receives lines about their progress and output. */
export function openProofDeps(project: OpenedProject, tell: (line: string) => void): Promise<RunDeps> {
  return openRunDeps(project, { announced: null, tell: (event) => event.event === "output" && tell(event.text) });
}

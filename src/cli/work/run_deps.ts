import type { RunDeps } from "#planner/runs/run_types.ts";
import { openRunFiles } from "#planner/store/worktrees/run_files.ts";
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

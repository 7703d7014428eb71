import { refuseInsideRun } from "#planner/operations/shared/change_spec.ts";
import { describeMergeRefusal, type MergeResult } from "#planner/runs/merge/complete_spec.ts";
import { type WatchEndReason, type WatchEvent, type WatchOptions, watchProject } from "#planner/runs/watch/watch.ts";
import type { Cli } from "../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { isMergeRefusal } from "../merge_output.ts";
import type { OpenedProject } from "../open_project.ts";
import { printJson } from "../output/print.ts";
import { printText } from "../output/wrap_text.ts";
import { openRunDeps } from "./run_deps.ts";
import { getInterruptionStatus, listenForSignals } from "./signals.ts";

/** Arguments of `planner watch`. */
export type WatchArgs = Pick<WatchOptions, "once" | "pollMs"> & { readonly json: boolean };

const END_TEXTS: Readonly<Record<WatchEndReason, string>> = {
  once: "Looked once",
  stopped: "Stopped",
  idle: "Ended: nothing to do",
  lost: "Ended: .planner/watch.pid was removed or taken by another process",
};

/** Watches a project until a signal, a stop request or the idle timeout, and prints the events. */
export async function runWatch(project: OpenedProject, cli: Cli, words: WatchArgs): Promise<ExitStatus> {
  refuseInsideRun(project.context, "planner_watch_start");
  const tell = words.json ? printJson : (event: WatchEvent): void => printWatchEvent(event, cli);
  const signals = listenForSignals((name) => tell({ event: "note", message: `${name}: ending` }));
  try {
    const deps = await openRunDeps(project, { announced: null, tell: () => {} });
    const { once, pollMs } = words;
    const { unmerged } = await watchProject(deps, { once, pollMs, stop: signals, tell });
    const by = signals.getFirstSignal();
    if (by !== null) return getInterruptionStatus(by);
    return once && unmerged ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } finally {
    signals.close();
  }
}

function printWatchEvent(event: WatchEvent, cli: Cli): void {
  if (event.event === "merge") printMerge(event, cli);
  else if (event.event === "started") cli.note(`Watching (PID: ${event.pid})`);
  else if (event.event === "repaired") printText(`Repaired ${event.subject}: ${event.message}\n`);
  else if (event.event === "retry") printText(`Trying ${event.spec_id} again (${event.process_id})\n`);
  else if (event.event === "closed") printText(`${event.spec_id}: ${event.message}\n`);
  else if (event.event === "note") cli.warn(event.message);
  else cli.note(END_TEXTS[event.reason]);
}

function printMerge(result: MergeResult, cli: Cli): void {
  if (isMergeRefusal(result)) cli.warn(describeMergeRefusal(result));
  else {
    printText(`Merged spec: ${result.spec_id}\n`);
    for (const note of result.notes) cli.warn(`${result.spec_id}: ${note}`);
    if (result.kept !== null) cli.warn(`The worktree of ${result.spec_id} is kept: ${result.kept}`);
  }
}

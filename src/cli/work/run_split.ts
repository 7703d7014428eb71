import { getErrorMessage, OperationError } from "#kernel/errors.ts";
import { DEFAULT_SPLIT_DEPTH } from "#planner/limits.ts";
import { refuseInsideRun } from "#planner/operations/shared/change_spec.ts";
import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import type { RunEvent } from "#planner/runs/run_types.ts";
import { type SplitReport, splitSpec } from "#planner/runs/split/split_spec.ts";
import type { SplitArgs } from "../commands/spec/work.ts";
import type { Cli } from "../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import type { OpenedProject } from "../open_project.ts";
import { printJson } from "../output/print.ts";
import { printText } from "../output/wrap_text.ts";
import { recordUnbegunRun, takeBackgroundStart } from "./background_start.ts";
import { openRunDeps } from "./run_deps.ts";
import { getInterruptionStatus, listenForSignals } from "./signals.ts";

/** Splits a spec and prints the new members. */
export async function runSplit(project: OpenedProject, cli: Cli, words: SplitArgs): Promise<ExitStatus> {
  const { recursive, "max-depth": maxDepth = DEFAULT_SPLIT_DEPTH, force, model = null, json } = words;
  const id = await findSpecId(project.context, words.id, { archived: false });
  refuseInsideRun(project.context, "planner_split");
  const background = takeBackgroundStart();
  const tell = (event: RunEvent): void => {
    if (event.event === "note") cli.note(event.message);
  };
  const deps = await openRunDeps(project, { announced: background, tell });
  const signals = listenForSignals((name) => cli.note(`${name}: ending the agent`));
  let refused = "the process ended before the split began";
  try {
    const report = await splitSpec(deps, id, { recursive, maxDepth, force, model, stop: signals });
    refused = report.refused[0]?.reason ?? refused;
    if (json) printJson(report);
    else printSplits(report, cli);
    return report.refused.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  } catch (error) {
    refused = getErrorMessage(error);
    const by = signals.getFirstSignal();
    if (by === null || !(error instanceof OperationError)) throw error;
    cli.warn(error.message);
    return getInterruptionStatus(by);
  } finally {
    signals.close();
    if (background !== null) await recordUnbegunRun(deps.ports.records, background, refused);
  }
}

function printSplits({ splits, refused }: SplitReport, cli: Cli): void {
  for (const { spec_id, members } of splits) printText(`Split spec: ${spec_id} -> ${members.join(", ")}\n`);
  for (const { reason } of refused) cli.warn(reason);
}

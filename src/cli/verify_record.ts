import { findSpecId } from "#planner/operations/shared/find_spec.ts";
import { verifyRecord } from "#planner/runs/verify_record.ts";
import type { VerifyArgs } from "./commands/spec/verify.ts";
import type { Cli } from "./declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "./exit_status.ts";
import type { OpenedProject } from "./open_project.ts";
import { print, printJson, sanitizeLine } from "./output/print.ts";
import { readRunRecord } from "./run_record.ts";
import { openRunDeps } from "./work/run_deps.ts";
import { listenForSignals } from "./work/signals.ts";

/** Verifies the record of a run again and prints the result. */
export async function verifyRunRecord(
  { context, root }: OpenedProject,
  cli: Cli,
  { id = "", run = "last", rerun, json }: VerifyArgs,
): Promise<ExitStatus> {
  const fullId = await findSpecId(context, id, { archived: true });
  const kept = await readRunRecord(await context.openRuns(), fullId, run);
  const stop = listenForSignals(() => cli.note("Ending the commands"));
  try {
    const deps = await openRunDeps(
      { context, root },
      { announced: null, tell: (event) => event.event === "output" && cli.note(sanitizeLine(event.text)) },
    );
    const checks = await verifyRecord(deps, { id: fullId, kept, rerun, stop });
    const verified = checks.every(({ result }) => result !== "differs");
    if (json) printJson({ spec_id: fullId, run: kept.run, verified, checks });
    else {
      const lines = checks.map(({ part, result, detail }) =>
        sanitizeLine(`${part.padEnd(9)} ${result.padEnd(8)} ${detail}`),
      );
      const isOpen = checks.some(({ part, result }) => part === "rerun" && result === "unknown");
      const holds = isOpen ? "the record holds as far as it can be checked here" : "the record holds";
      const end = verified ? holds : "the record does not hold";
      print([...lines, `${fullId}: run ${kept.run}: ${end}`, ""].join("\n"));
    }
    return verified ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  } finally {
    stop.close();
  }
}

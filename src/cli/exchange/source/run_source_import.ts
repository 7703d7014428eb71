import type { SourceKind } from "#planner/exchange/source.ts";
import type { Cli } from "../../command.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import type { OpenProject } from "../../open_project.ts";
import { printJson } from "../../output/print.ts";
import { openProgressBar } from "../../output/progress_bar.ts";
import { UsageError } from "../../usage_error.ts";
import { interruptionStatus, listenForSignals } from "../../work/signals.ts";
import { findSource } from "./find_source.ts";
import { importTasks } from "./import_tasks.ts";
import { printSourceReport } from "./print_source_report.ts";
import { type FoundSource, readSource } from "./read_source.ts";

export interface SourceImportArgs {
  readonly from: SourceKind | undefined;
  readonly origin: string | undefined;
  readonly overwrite: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/**
 * Imports the tasks of another tool from `path`.
 *
 * @returns undefined if `from` is not given and nothing of another tool is detected
 */
export async function runSourceImport(
  project: OpenProject,
  path: string,
  args: SourceImportArgs,
  cli: Cli,
): Promise<ExitStatus | undefined> {
  const source = findSource(path, args.from);
  if (source === undefined) return undefined;
  const origin = args.origin ?? source.format.kind;
  checkOrigin(origin);
  return importFound(project, { source, origin }, args, cli);
}

async function importFound(
  project: OpenProject,
  { source, origin }: { readonly source: FoundSource; readonly origin: string },
  { overwrite, dryRun, json }: SourceImportArgs,
  cli: Cli,
): Promise<ExitStatus> {
  const stop = new AbortController();
  const signals = listenForSignals((name) => {
    stop.abort();
    cli.note(`${name}: stopping after the specs that are being written`);
  });
  const bar = openProgressBar(cli);
  try {
    const reading = readSource(source, project.context.clock.now());
    const options = { origin, dryRun, overwrite, signal: stop.signal, progress: bar?.show };
    const report = await importTasks(project, source, reading, options);
    bar?.clear();
    if (json) printJson(report);
    else printSourceReport(report, cli);
    if (report.state === "stopped") return interruptionStatus(signals.by());
    return report.counts.refused + report.counts.kept > 0 ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } finally {
    bar?.clear();
    signals.close();
  }
}

/** The origin names a file of records and begins the field `origin`. */
function checkOrigin(origin: string): void {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(origin)) return;
  const expected = "expected letters, digits, dots, dashes and underscores, at most 64";
  throw new UsageError(`Invalid value "${origin}" for --origin: ${expected}`, null);
}

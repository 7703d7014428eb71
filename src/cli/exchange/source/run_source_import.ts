import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { SOURCE_FORMATS } from "#planner/exchange/formats.ts";
import type { SourceFormat, SourceKind } from "#planner/exchange/source.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import type { OpenedProject } from "../../open_project.ts";
import { printJson } from "../../output/print.ts";
import { openProgressBar } from "../../output/progress_bar.ts";
import { UsageError } from "../../usage_error.ts";
import { getInterruptionStatus, listenForSignals } from "../../work/signals.ts";
import { importTasks } from "./import_tasks.ts";
import { type FoundSource, listFolderFiles, readFileHead, readSource, wrapImportErrors } from "./read_source.ts";
import { printSourceReport } from "./source_report.ts";

export interface SourceImportArgs {
  readonly from: SourceKind | undefined;
  readonly origin: string | undefined;
  readonly overwrite: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Imports another tool's tasks. Returns undefined if `from` is not given and no tool is detected. */
export async function runTaskImport(
  project: OpenedProject,
  path: string,
  args: SourceImportArgs,
  cli: Cli,
): Promise<ExitStatus | undefined> {
  const source = findSource(path, args.from);
  if (source === undefined) return undefined;
  const origin = args.origin ?? source.format.kind;
  requireImportOrigin(origin);
  return importFoundSource(project, { source, origin }, args, cli);
}

async function importFoundSource(
  project: OpenedProject,
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
    if (report.state === "stopped") return getInterruptionStatus(signals.getFirstSignal());
    return report.counts.refused + report.counts.kept > 0 ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } finally {
    bar?.clear();
    signals.close();
  }
}

/** @throws UsageError unless the origin can be part of a file's name and of the field `origin` */
function requireImportOrigin(origin: string): void {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(origin)) return;
  const expected = "expected letters, digits, dots, dashes and underscores, at most 64";
  throw new UsageError(`Invalid value "${origin}" for --origin: ${expected}`, null);
}

/**
 * Finds the tool whose tasks are at `path`: a project, the tool's own folder, or a file.
 * @param from the tool, or undefined to detect it
 * @returns undefined if no tool is detected
 * @throws OperationError if `path` cannot be read, or has no tasks of `from`
 * @throws UsageError if there are tasks of several tools
 */
function findSource(path: string, from: SourceKind | undefined): FoundSource | undefined {
  const formats = SOURCE_FORMATS.filter(({ kind }) => from === undefined || kind === from);
  const found = wrapImportErrors(path, () => statSync(path)).isDirectory()
    ? findSourcesInFolder(path, formats)
    : findSourcesInFile(path, formats, from !== undefined);
  const [first, second] = found;
  if (second !== undefined && from === undefined) {
    const kinds = found.map(({ format }) => format.kind).join(", ");
    throw new UsageError(`"${path}" holds tasks of several tools: ${kinds}; name one with --from`, null);
  }
  if (first !== undefined || from === undefined) return first;
  const [format] = formats;
  const where =
    format === undefined || format.folders.length === 0 ? "" : `, in it or in ${format.folders.join(" or ")}`;
  throw new OperationError(
    "not_found",
    `Cannot import "${path}": expected tasks of ${format?.name}${where}, found none`,
  );
}

function findSourcesInFolder(path: string, formats: readonly SourceFormat[]): readonly FoundSource[] {
  const below = formats.flatMap((format) => {
    for (const name of format.folders) {
      const folder = join(path, name);
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
      const listing = listFolderFiles(folder);
      if (format.matchesPaths(listing.paths)) return [{ format, folder, ...listing }];
    }
    return [];
  });
  if (below.length > 0) return below;
  const listing = listFolderFiles(path);
  return formats
    .filter((format) => format.matchesPaths(listing.paths))
    .map((format) => ({ format, folder: path, ...listing }));
}

function findSourcesInFile(path: string, formats: readonly SourceFormat[], isNamed: boolean): readonly FoundSource[] {
  const name = basename(path);
  const head = readFileHead(path);
  const isOurs = (format: SourceFormat): boolean =>
    isNamed ? format.readsPath(name) : format.matchesFile?.(name, head) === true;
  return formats.filter(isOurs).map((format) => ({ format, folder: dirname(path), paths: [name], notes: [] }));
}

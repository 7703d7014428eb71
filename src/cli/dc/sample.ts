import type { ResourceKind } from "#dc/model/resources.ts";
import type { ImportSource, ResourceLine } from "#dc/operations/import/run_import.ts";
import { generateSample, MAX_SAMPLE_RACKS, SAMPLE_RACKS } from "#dc/sample/facility.ts";
import type { ExitStatus } from "../exit_status.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { UsageError } from "../usage_error.ts";
import type { DatabaseLocation } from "./database.ts";
import { importSource, openDatabaseTarget } from "./import/import_files.ts";
import { createWaitReporter, withImportStore } from "./import/import_store.ts";
import { writeLines } from "./line_output.ts";

/** Writes a sample site as JSON Lines, to a file or to standard output. Memory: 40 racks. */
export async function writeSample(racks: number, file: string | undefined, log: StderrLogger): Promise<void> {
  const count = await writeLines(file, generateSampleLines(racks));
  log.note(`${count} resources`);
}

/** Returns the sample site of 40 racks as one JSON object of lists, in the order in which an import writes them. */
export function formatSampleJson(): string {
  const lists = { racks: "rack", devices: "device", cracs: "crac", cables: "cable", fabric_links: "fabric_link" };
  const items = [...generateSample()];
  const byList = Object.entries(lists).map(([list, wanted]) => {
    return [list, items.filter(({ kind }) => kind === wanted).map(({ item }) => item)];
  });
  return JSON.stringify(Object.fromEntries(byList));
}

/** Loads a sample site into a database. */
export async function loadSample(racks: number, database: DatabaseLocation, log: StderrLogger): Promise<ExitStatus> {
  const importOptions = { errors: undefined, atomic: false, dryRun: false, json: false, cwd: "" };
  const waiting = createWaitReporter(log, false);
  return withImportStore(database, waiting, (opened) =>
    importSource(
      () => openDatabaseTarget(opened, importOptions, waiting),
      createSampleSource(racks),
      importOptions,
      log,
    ),
  );
}

function createSampleSource(racks: number): ImportSource {
  const counts = new Map<ResourceKind, number>();
  for (const { kind } of generateSample(racks)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return {
    counts,
    readBadLines: () => [],
    *readLines(wanted): Generator<ResourceLine> {
      let number = 0;
      for (const { kind, item } of generateSample(racks)) {
        number += 1;
        if (kind === wanted) yield { file: "sample", number, item: JSON.stringify({ [kind]: item }) };
      }
    },
    close: () => {},
  };
}

/** Returns the number of racks, by default that of the standard sample. @throws UsageError above the maximum */
export function requireSampleSize(racks = SAMPLE_RACKS): number {
  if (racks <= MAX_SAMPLE_RACKS) return racks;
  throw new UsageError(`Wrong value "${racks}" for "--racks": expected at most ${MAX_SAMPLE_RACKS}`);
}

function* generateSampleLines(racks: number): Generator<string> {
  for (const { kind, item } of generateSample(racks)) yield `${JSON.stringify({ [kind]: item })}\n`;
}

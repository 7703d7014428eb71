import type { ResourceKind } from "#dc/model/resources.ts";
import { MAX_SAMPLE_RACKS, SAMPLE_RACKS, sampleItems } from "#dc/sample/facility.ts";
import type { ExitStatus } from "../exit_status.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { usageError } from "../usage_error.ts";
import type { Database } from "./database.ts";
import { importSource, openDatabaseTarget } from "./import/import_files.ts";
import { waitReporter, withImportStore } from "./import/import_store.ts";
import type { Line, Source } from "./import/source.ts";
import { writeLines } from "./line_output.ts";

/** Writes a sample site as JSON Lines, to a file or to standard output. Cost: the memory of forty racks. */
export async function writeSample(racks: number, file: string | undefined, log: StderrLogger): Promise<void> {
  const count = await writeLines(file, sampleLines(racks));
  log.note(`${count} resources`);
}

/** The sample site of 40 racks as one JSON object of lists, in the order in which they are to be written. */
export function sampleJson(): string {
  const lists = { racks: "rack", devices: "device", cracs: "crac", cables: "cable", fabric_links: "fabric_link" };
  const items = [...sampleItems()];
  const byList = Object.entries(lists).map(([list, wanted]) => {
    return [list, items.filter(({ kind }) => kind === wanted).map(({ item }) => item)];
  });
  return JSON.stringify(Object.fromEntries(byList));
}

/** Brings a sample site straight into a database. */
export async function loadSample(racks: number, database: Database, log: StderrLogger): Promise<ExitStatus> {
  const manner = { errors: undefined, atomic: false, dryRun: false, json: false, cwd: "" };
  const waiting = waitReporter(log, false);
  return withImportStore(database, waiting, (opened) =>
    importSource(() => openDatabaseTarget(opened, manner, waiting), sampleSource(racks), manner, log),
  );
}

function sampleSource(racks: number): Source {
  const counts = new Map<ResourceKind, number>();
  for (const { kind } of sampleItems(racks)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return {
    counts,
    bad: () => [],
    *lines(wanted): Generator<Line> {
      let number = 0;
      for (const { kind, item } of sampleItems(racks)) {
        number += 1;
        if (kind === wanted) yield { file: "sample", number, text: JSON.stringify({ [kind]: item }) };
      }
    },
    close: () => {},
  };
}

/** Checks `--racks`. @throws UsageError beyond what a sample may have */
export function sampleSize(racks = SAMPLE_RACKS): number {
  if (racks <= MAX_SAMPLE_RACKS) return racks;
  throw usageError("dc sample", `Wrong value "${racks}" for "--racks": expected at most ${MAX_SAMPLE_RACKS}`);
}

function* sampleLines(racks: number): Generator<string> {
  for (const { kind, item } of sampleItems(racks)) yield `${JSON.stringify({ [kind]: item })}\n`;
}

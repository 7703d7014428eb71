import { join } from "node:path";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { resourceKey } from "#dc/model/resource_key.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { modelJson } from "#dc/operations/messages/model_json.ts";
import { SCHEMAS } from "#dc/operations/writes/changes.ts";
import type { DcReader } from "#dc/ports.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { makeFolder } from "../output/write_file.ts";
import { csvColumns, csvLine } from "./csv_columns.ts";
import { type Database, demandDatabase } from "./database.ts";
import { KINDS } from "./kinds.ts";
import { writeLines } from "./line_output.ts";

export interface ExportOptions {
  readonly format: "jsonl" | "csv";
  /** This kind only. */
  readonly kind: ResourceKind | undefined;
  /** A file, or for several CSV files a folder; standard output when it is absent. */
  readonly output: string | undefined;
}

/**
 * Writes a snapshot of the inventory: as JSON Lines, as one CSV, or as one CSV per
 * kind in a folder. Cost: the memory of a page.
 */
export async function exportInventory(
  database: Database,
  { format, kind, output }: ExportOptions,
  log: StderrLogger,
): Promise<void> {
  demandDatabase(database);
  const store = await database.open();
  try {
    const count = await store.read(async (reader) => {
      const kinds = KINDS.filter((one) => kind === undefined || one.kind === kind);
      if (format === "csv" && kind === undefined) return csvFolder(reader, output ?? ".");
      const pieces = format === "csv" ? csvOf : jsonLinesOf;
      const head = format === "csv" ? 1 : 0;
      const all = async function* () {
        for (const one of kinds) yield* pieces(reader, one.kind);
      };
      return (await writeLines(output, all())) - head;
    });
    log.note(`${count} resources`);
  } finally {
    await store.close();
  }
}

async function csvFolder(reader: DcReader, folder: string): Promise<number> {
  makeFolder(folder);
  let count = 0;
  for (const { kind, list } of KINDS) count += (await writeLines(join(folder, `${list}.csv`), csvOf(reader, kind))) - 1;
  return count;
}

async function* jsonLinesOf(reader: DcReader, kind: ResourceKind): AsyncGenerator<string> {
  for await (const resource of all(reader, kind)) {
    yield `${JSON.stringify({ [kind]: modelJson(SCHEMAS[kind], resource) })}\n`;
  }
}

async function* csvOf(reader: DcReader, kind: ResourceKind): AsyncGenerator<string> {
  const columns = csvColumns(kind);
  yield csvLine(columns.map(({ name }) => name));
  for await (const resource of all(reader, kind)) {
    const json = modelJson(SCHEMAS[kind], resource);
    yield csvLine(columns.map(({ write }) => write(json)));
  }
}

async function* all(reader: DcReader, kind: ResourceKind): AsyncGenerator<object> {
  for (let after = ""; ; ) {
    const page = await reader.page(kind, after, MAX_PAGE_SIZE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < MAX_PAGE_SIZE) return;
    after = resourceKey(last);
  }
}

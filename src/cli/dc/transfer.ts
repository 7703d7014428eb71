import { readFileSync } from "node:fs";
import { openService } from "#dc/open_service.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { plainLines } from "../plain_text.ts";
import { print, printError } from "../print.ts";
import type { Talk } from "../talk.ts";
import { writeFile } from "../write_file.ts";
import type { Database } from "./database.ts";
import { importLines, type KindCount } from "./import_lines.ts";
import { estateLines, readLines } from "./lines.ts";

/** How many wrong lines are told one by one; the rest is counted. */
const MOST_TOLD = 20;

/** Brings a file of JSON Lines into the database; `-` is standard input. Status 1 when a line could not be taken. */
export async function importFile(database: Database, file: string, talk: Talk): Promise<ExitStatus> {
  const { lines, bad: unreadable } = readLines(readText(file));
  const store = await database.open();
  try {
    const service = await openService(store, { clock: { now: () => new Date() }, authRequired: false });
    const { counts, bad } = await importLines(service, lines, progressLine());
    for (const count of counts) print(`${sentence(count)}\n`);
    const wrong = [...unreadable, ...bad];
    for (const { number, message } of wrong.slice(0, MOST_TOLD)) talk.warn(plainLines(`line ${number}: ${message}`));
    if (wrong.length > MOST_TOLD) talk.warn(`${wrong.length - MOST_TOLD} more lines could not be taken`);
    return wrong.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
  } finally {
    await store.close();
  }
}

/** Writes the whole estate as JSON Lines, to a file or to standard output. */
export async function exportFile(database: Database, file: string | undefined, talk: Talk): Promise<void> {
  // Opening would make an empty one, and a mistyped path would look like an empty estate.
  if (!database.exists()) throw new OperationError("not_found", `There is no database "${database.shown}"`);
  const store = await database.open();
  try {
    const lines = [...estateLines(await store.read((reader) => reader.estate()))];
    if (file === undefined) for (const line of lines) print(line);
    else writeFile(file, lines.join(""));
    talk.note(`${lines.length} resources`);
  } finally {
    await store.close();
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new OperationError("not_found", `Cannot read "${file}": ${(error as Error).message}`, { cause: error });
  }
}

function sentence({ key, created, updated, unchanged, failed }: KindCount): string {
  return `${key}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
}

/** Shows on a terminal how far the import is; elsewhere nothing. */
function progressLine(): (done: number, total: number) => void {
  if (process.stderr.isTTY !== true) return () => {};
  return (done, total) => {
    const share = Math.floor((done / Math.max(total, 1)) * 100);
    printError(done === total ? "\r\u001b[K" : `\r${share} % of ${total}\u001b[K`);
  };
}

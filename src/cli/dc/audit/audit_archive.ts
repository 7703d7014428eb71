import { createArchiveSigner, planArchive, removeArchivedEntries, writeArchiveLines } from "#dc/audit/archive.ts";
import { getOrCreateLogOrigin, verifyLog } from "#dc/audit/verify_log.ts";
import type { DcStore } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { printText } from "../../output/wrap_text.ts";
import type { DatabaseLocation } from "../database.ts";
import { writeLines } from "../line_output.ts";
import { withStore } from "../with_service.ts";
import { getPublicKeyPath, openSigningKey, readVerifierKeys } from "./audit_keys.ts";
import { readArchive } from "./audit_verify.ts";

/** File mode of an archive: the log contains names of people, so other users must not read it. */
const ARCHIVE_MODE = 0o640;

export interface ArchiveOptions {
  /** Time in ISO 8601; entries before it are archived. */
  readonly before: string;
  readonly output: string;
  /** Path of the private key that signs the archive's end. */
  readonly key: string;
}

/** Moves old entries to a signed file. Verifies the log before the write, and the file before it removes entries. */
export async function archiveChangeLog(database: DatabaseLocation, options: ArchiveOptions): Promise<ExitStatus> {
  return withStore(database, async (store) => {
    const origin = await getOrCreateLogOrigin(store);
    const key = openSigningKey(options.key, origin);
    const count = await writeArchive(store, options, createArchiveSigner({ origin, key, now: new Date() }));
    if (count === 0) {
      printText(`No entry is from before ${options.before}\n`);
      return EXIT_STATUS.ok;
    }
    const archive = await readArchive(options.output, readVerifierKeys(getPublicKeyPath(options.key)));
    if (!archive.ok) throw new Error(`The archive that was just written is broken: ${archive.detail}`);
    await removeArchivedEntries(store, archive);
    printText(
      `${count} entries moved to ${options.output}; the log continues after entry ${archive.checkpoint.size}\n`,
    );
    return EXIT_STATUS.ok;
  });
}

/** Writes the archive and returns the number of its entries. Writes no file if there are none. */
async function writeArchive(
  store: DcStore,
  { before, output }: ArchiveOptions,
  sign: ReturnType<typeof createArchiveSigner>,
): Promise<number> {
  return store.read(async (reader) => {
    const log = await verifyLog(reader);
    if (!log.ok) {
      throw new OperationError("failed_precondition", `The change log is broken: entry ${log.seq} ${log.detail}`);
    }
    const plan = await planArchive(reader, before);
    if (plan === undefined) return 0;
    await writeLines(output, appendLineBreaks(writeArchiveLines(reader, plan, sign)), {
      isNew: true,
      mode: ARCHIVE_MODE,
    });
    return plan.until - log.since;
  });
}

async function* appendLineBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

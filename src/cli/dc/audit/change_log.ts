import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import {
  type ArchiveVerdict,
  type Checkpoint,
  createArchiveSigner,
  openCheckpoint,
  planArchive,
  removeArchivedEntries,
  type VerifiedArchive,
  verifyArchive,
  writeArchiveLines,
} from "#dc/audit/archive.ts";
import { computeProofRoot } from "#dc/audit/merkle_tree.ts";
import { formatKeyHash, listSignerHashes, type VerifierKey } from "#dc/audit/signed_note.ts";
import { getOrCreateLogOrigin, type LogChecks, type VerifiedLog, verifyLog } from "#dc/audit/verify_log.ts";
import type { ChangeRecord } from "#dc/model/inventory.ts";
import { InventoryVerification } from "#dc/operations/verify_inventory.ts";
import type { DcReader, DcStore } from "#dc/ports.ts";
import { getSchemaState } from "#dc/store/migrations.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { logError } from "../../output/stderr_logger.ts";
import { printText } from "../../output/wrap_text.ts";
import type { DatabaseLocation } from "../database.ts";
import { writeLines } from "../line_output.ts";
import { withInspectedStore, withStore } from "../with_service.ts";
import { getPublicKeyPath, openSigningKey, readVerifierKeys } from "./checkpoints.ts";

/** File mode of an archive: the log contains names of people, so other users must not read it. */
const ARCHIVE_MODE = 0o640;

export interface VerifyOptions {
  /** True to compare the rows of the inventory with the log too. */
  readonly inventory: boolean;
  /** Files of signed checkpoints that the log must contain. */
  readonly checkpoints: readonly string[];
  /** Files with the public keys of the signers, one per line. Default: the keys beside a database file. */
  readonly keys: readonly string[];
  /** Hashes of lost keys, whose signatures in the database are not checked. */
  readonly lostKeys: readonly string[];
  readonly expectedHead: string | undefined;
  /** Sequence number of an entry whose inclusion is to be proven. */
  readonly prove: number | undefined;
  /** Files with archived parts of the log, in any order. */
  readonly archives: readonly string[];
}

class VerificationError extends Error {}

/** Verifies the change log of any schema version and prints the result. Returns status 1 if the log is broken. */
export async function verifyChangeLog(database: DatabaseLocation, options: VerifyOptions): Promise<ExitStatus> {
  const keys = chooseVerifierKeys(database, options);
  const given = options.checkpoints.map((path) => readCheckpoint(path, keys));
  return withInspectedStore(database, async (store) => {
    try {
      const earlier = describeEarlierSchema(store.steps);
      const lines = await store.read((reader) => verifyLogParts(reader, options, { keys, given }));
      if (earlier !== undefined) lines.push(earlier);
      printText(lines.map((line) => `${line}\n`).join(""));
      return EXIT_STATUS.ok;
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      logError(error.message);
      return EXIT_STATUS.refused;
    }
  });
}

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

/** Returns a remark about a log of an earlier schema; undefined for the current one. */
function describeEarlierSchema(steps: number): string | undefined {
  const { done, known, since, pending } = getSchemaState(steps);
  if (pending.length === 0) return undefined;
  const warning = pending.includes("audit head and checkpoints")
    ? "; it does not record the log's end: only a checkpoint shows one cut off"
    : "";
  return `the schema has ${done} of ${known} steps, those of version ${since}; nothing was changed${warning}`;
}

interface SignatureInputs {
  readonly keys: readonly VerifierKey[];
  readonly given: readonly Checkpoint[];
}

async function verifyLogParts(
  reader: DcReader,
  options: VerifyOptions,
  { keys, given }: SignatureInputs,
): Promise<string[]> {
  const kept = await verifyStoredCheckpoints(reader, keys, options.lostKeys);
  const archives = await verifyArchives(options.archives, keys);
  const inventory = options.inventory ? await readArchiveEntries(archives, keys) : undefined;
  const size = given.at(-1)?.size ?? (await reader.chainHead()).seq;
  const checks: LogChecks = {
    checkpoints: given,
    ...(options.expectedHead !== undefined && { expectedHead: options.expectedHead }),
    ...(options.prove !== undefined && { prove: { seq: options.prove, size } }),
    ...(inventory !== undefined && { onEntry: (record: ChangeRecord) => inventory.addEntry(record) }),
  };
  const log = await verifyLog(reader, checks);
  if (!log.ok) throw new VerificationError(`The change log is broken: entry ${log.seq} ${log.detail}`);
  const lines = [`${log.head.seq} entries, unbroken; head ${log.head.hash || "none"}`];
  if (log.since > 0) lines.push(formatArchives(log.since, archives));
  if (kept.kept + given.length > 0)
    lines.push(`${kept.good.length + given.length} signed checkpoints agree${kept.unchecked}`);
  if (inventory !== undefined) lines.push(await verifyInventory(inventory, reader));
  if (options.prove !== undefined) lines.push(formatProof(log, options.prove));
  return lines;
}

async function verifyInventory(inventory: InventoryVerification, reader: DcReader): Promise<string> {
  const verdict = await inventory.compareRows(reader);
  if (!verdict.ok)
    throw new VerificationError(`The inventory is not what the change log says: ${verdict.ref} ${verdict.detail}`);
  const { resources, documents, outOfBand, archived } = verdict;
  const others = documents === 0 ? "" : ` and ${documents} windows and device types`;
  const open = outOfBand === 0 ? "" : `; ${outOfBand} more were changed without the service, as the log says`;
  const older = archived === 0 ? "" : `; ${archived} more were last changed in archives: give them with --archive`;
  return `${resources} resources${others} are what the change log says${open}${older}`;
}

function formatProof({ proof, since }: VerifiedLog, seq: number): string {
  if (proof === undefined)
    throw new VerificationError(`Entry ${seq} cannot be proven: expected one from ${since + 1} on in the log`);
  const { hash, size, path } = proof;
  const root = computeProofRoot(hash, { index: seq - 1, size }, path)?.toString("base64");
  return JSON.stringify({ seq, hash, size, root, path: path.map((one) => one.toString("base64")) });
}

/** Verifies the checkpoints in the database; throws if one is invalid. Without keys, only counts them. */
async function verifyStoredCheckpoints(reader: DcReader, keys: readonly VerifierKey[], lost: readonly string[]) {
  const good: Checkpoint[] = [];
  const kept = await reader.checkpoints();
  if (keys.length === 0) {
    const unchecked = kept.length === 0 ? "" : `; ${kept.length} in the database were not checked without --key`;
    return { good, unchecked, kept: kept.length };
  }
  let lostCount = 0;
  for (const { size, note } of kept) {
    const checkpoint = openCheckpoint(note, keys);
    if (checkpoint?.size === size) good.push(checkpoint);
    else if (listSignerHashes(note).some((hash) => lost.includes(hash))) lostCount += 1;
    else throw new VerificationError(`The checkpoint of ${size} entries ${explainUnverified(note, keys)}`);
  }
  const unchecked = lostCount === 0 ? "" : `; ${lostCount} in the database are of a lost key and were not checked`;
  return { good, unchecked, kept: kept.length };
}

/** Explains why a checkpoint could not be verified, as the end of a sentence. */
function explainUnverified(note: string, keys: readonly VerifierKey[]): string {
  const known = keys.map((key) => formatKeyHash(key));
  const signer = listSignerHashes(note).find((hash) => !known.includes(hash));
  if (signer === undefined) return "has no good signature of the key";
  return `has no good signature of the key: ${signer} signed it, expected its public key by "--key" (given: ${known.join(", ")})`;
}

interface ArchiveFile extends VerifiedArchive {
  readonly path: string;
}

/** Verifies each archive and returns the archives, the oldest first; throws if one is incomplete or not signed. */
async function verifyArchives(paths: readonly string[], keys: readonly VerifierKey[]): Promise<readonly ArchiveFile[]> {
  const verified: ArchiveFile[] = [];
  for (const path of paths) {
    const verdict = await readArchive(path, keys);
    if (!verdict.ok) throw new VerificationError(`The archive "${path}" is broken: ${verdict.detail}`);
    verified.push({ path, ...verdict });
  }
  return verified.toSorted((a, b) => a.after - b.after);
}

/** Reads the verified archives again, for their entries about resources. */
async function readArchiveEntries(
  archives: readonly ArchiveFile[],
  keys: readonly VerifierKey[],
): Promise<InventoryVerification> {
  const inventory = new InventoryVerification();
  for (const { path } of archives) await readArchive(path, keys, (record) => inventory.addEntry(record));
  return inventory;
}

async function readArchive(
  path: string,
  keys: readonly VerifierKey[],
  onEntry?: (record: ChangeRecord) => void,
): Promise<ArchiveVerdict> {
  if (!existsSync(path)) throw new OperationError("not_found", `There is no archive "${path}"`);
  const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
  return verifyArchive(lines, keys, onEntry);
}

function formatArchives(since: number, archives: readonly VerifiedArchive[]): string {
  const covered = archives.reduce((end, one) => (one.after === end ? one.checkpoint.size : end), 0);
  if (covered === since) return `entries up to ${since} are in ${archives.length} archives, which fit`;
  return `entries up to ${since} are archived; --archive verifies them`;
}

function chooseVerifierKeys(database: DatabaseLocation, options: VerifyOptions): readonly VerifierKey[] {
  const { keys, checkpoints, archives } = options;
  if (keys.length > 0) return keys.flatMap((path) => readVerifierKeys(path));
  const beside = database.file === undefined ? undefined : getPublicKeyPath(`${database.file}.checkpoint-key`);
  if (beside !== undefined && existsSync(beside)) return readVerifierKeys(beside);
  const [needing] = [...checkpoints, ...archives];
  if (needing === undefined) return [];
  const expected = "expected the public key that signed it";
  throw new OperationError("invalid_argument", `"${needing}" cannot be verified without "--key": ${expected}`);
}

function readCheckpoint(path: string, keys: readonly VerifierKey[]): Checkpoint {
  if (!existsSync(path)) throw new OperationError("not_found", `There is no checkpoint "${path}"`);
  const note = readFileSync(path, "utf8");
  const checkpoint = openCheckpoint(note, keys);
  if (checkpoint !== undefined) return checkpoint;
  throw new OperationError("failed_precondition", `The checkpoint "${path}" ${explainUnverified(note, keys)}`);
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

import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { type ArchiveVerdict, type VerifiedArchive, verifyArchive } from "#dc/audit/archive.ts";
import { type Checkpoint, openCheckpoint } from "#dc/audit/checkpoint.ts";
import { rootOfProof } from "#dc/audit/merkle.ts";
import type { VerifierKey } from "#dc/audit/signed_note.ts";
import { type LogChecks, type VerifiedLog, verifyLog } from "#dc/audit/verify_log.ts";
import type { ChangeRecord } from "#dc/model/change_record.ts";
import { InventoryVerification } from "#dc/operations/verify_inventory.ts";
import type { DcReader } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { print } from "../print.ts";
import { logError } from "../stderr_logger.ts";
import { publicPath, readVerifierKey } from "./audit_keys.ts";
import { withStore } from "./audit_store.ts";
import type { Database } from "./database.ts";

export interface VerifyOptions {
  /** Compares the rows of the inventory with the log too. */
  readonly inventory: boolean;
  /** Files of signed checkpoints that the log must contain. */
  readonly checkpoints: readonly string[];
  /** File with the line of the key that signed them. */
  readonly key: string | undefined;
  readonly expectedHead: string | undefined;
  /** Seq of an entry whose inclusion is to be proven. */
  readonly prove: number | undefined;
  /** Archived parts of the log, in any order. */
  readonly archives: readonly string[];
}

class Failed extends Error {}

/** Verifies the change log and prints what holds; status 1, and the first place that does not fit, when it is broken. */
export async function auditVerify(database: Database, options: VerifyOptions): Promise<ExitStatus> {
  const key = verifierKey(database, options);
  const given = options.checkpoints.map((path) => givenCheckpoint(path, key));
  return withStore(database, async (store) => {
    try {
      const lines = await store.read((reader) => verifyAll(reader, options, { key, given }));
      print(lines.map((line) => `${line}\n`).join(""));
      return EXIT_STATUS.ok;
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      logError(error.message);
      return EXIT_STATUS.refused;
    }
  });
}

interface Signed {
  readonly key: VerifierKey | undefined;
  readonly given: readonly Checkpoint[];
}

async function verifyAll(reader: DcReader, options: VerifyOptions, { key, given }: Signed): Promise<readonly string[]> {
  const kept = await keptCheckpoints(reader, key);
  const archives = await verifyArchives(options.archives, key);
  const inventory = options.inventory ? await followedArchives(archives, key) : undefined;
  const size = given.at(-1)?.size ?? (await reader.chainHead()).seq;
  const checks: LogChecks = {
    checkpoints: [...kept.good, ...given],
    ...(options.expectedHead !== undefined && { expectedHead: options.expectedHead }),
    ...(options.prove !== undefined && { prove: { seq: options.prove, size } }),
    ...(inventory !== undefined && { onEntry: (record: ChangeRecord) => inventory.take(record) }),
  };
  const log = await verifyLog(reader, checks);
  if (!log.ok) throw new Failed(`The change log is broken: entry ${log.seq} ${log.detail}`);
  const lines = [`${log.head.seq} entries, unbroken; head ${log.head.hash || "none"}`];
  if (log.since > 0) lines.push(archiveLine(log.since, archives));
  if (kept.kept + given.length > 0)
    lines.push(`${kept.good.length + given.length} signed checkpoints agree${kept.unchecked}`);
  if (inventory !== undefined) lines.push(await inventoryLine(inventory, reader));
  if (options.prove !== undefined) lines.push(proofLine(log, options.prove));
  return lines;
}

async function inventoryLine(inventory: InventoryVerification, reader: DcReader): Promise<string> {
  const verdict = await inventory.compare(reader);
  if (!verdict.ok) throw new Failed(`The inventory is not what the change log says: ${verdict.ref} ${verdict.detail}`);
  const { resources, outOfBand, archived } = verdict;
  const open = outOfBand === 0 ? "" : `; ${outOfBand} more were changed without the service, as the log says`;
  const older = archived === 0 ? "" : `; ${archived} more were last changed in archives: give them with --archive`;
  return `${resources} resources are what the change log says${open}${older}`;
}

function proofLine({ proof, since }: VerifiedLog, seq: number): string {
  if (proof === undefined)
    throw new Failed(`Entry ${seq} cannot be proven: expected one from ${since + 1} on in the log`);
  const { hash, size, path } = proof;
  const root = rootOfProof(hash, { index: seq - 1, size }, path)?.toString("base64");
  return JSON.stringify({ seq, hash, size, root, path: path.map((one) => one.toString("base64")) });
}

/** The checkpoints in the database; each must have a good signature when there is a key to check it. */
async function keptCheckpoints(reader: DcReader, key: VerifierKey | undefined) {
  const good: Checkpoint[] = [];
  const kept = await reader.checkpoints();
  if (key === undefined) {
    const unchecked = kept.length === 0 ? "" : `; ${kept.length} in the database were not checked without --key`;
    return { good, unchecked, kept: kept.length };
  }
  for (const { size, note } of kept) {
    const checkpoint = openCheckpoint(note, key);
    if (checkpoint?.size !== size)
      throw new Failed(`The checkpoint of ${size} entries has no good signature of the key`);
    good.push(checkpoint);
  }
  return { good, unchecked: "", kept: kept.length };
}

interface ReadArchive extends VerifiedArchive {
  readonly path: string;
}

/** Verifies each archive by itself; the oldest first. */
async function verifyArchives(paths: readonly string[], key: VerifierKey | undefined): Promise<readonly ReadArchive[]> {
  const verified: ReadArchive[] = [];
  for (const path of paths) verified.push({ path, ...(await verifyArchiveFile(path, key)) });
  return verified.toSorted((a, b) => a.after - b.after);
}

/** Reads the archives once more, now that they are known to be good, for what they say about resources. */
async function followedArchives(
  archives: readonly ReadArchive[],
  key: VerifierKey | undefined,
): Promise<InventoryVerification> {
  const inventory = new InventoryVerification();
  for (const { path } of archives) await readArchive(path, demandKey(key, path), (record) => inventory.take(record));
  return inventory;
}

/** Verifies one archive by itself. @throws Failed when it is not whole or not signed by the key */
async function verifyArchiveFile(path: string, key: VerifierKey | undefined): Promise<VerifiedArchive> {
  const verdict = await readArchive(path, demandKey(key, path));
  if (!verdict.ok) throw new Failed(`The archive "${path}" is broken: ${verdict.detail}`);
  return verdict;
}

export async function readArchive(
  path: string,
  key: VerifierKey,
  onEntry?: (record: ChangeRecord) => void,
): Promise<ArchiveVerdict> {
  if (!existsSync(path)) throw new OperationError("not_found", `There is no archive "${path}"`);
  const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
  return verifyArchive(lines, key, onEntry);
}

function archiveLine(since: number, archives: readonly VerifiedArchive[]): string {
  const covered = archives.reduce((end, one) => (one.after === end ? one.checkpoint.size : end), 0);
  if (covered === since) return `entries up to ${since} are in ${archives.length} archives, which fit`;
  return `entries up to ${since} are archived; --archive verifies them`;
}

function verifierKey(database: Database, { key, checkpoints, archives }: VerifyOptions): VerifierKey | undefined {
  const beside = database.file === undefined ? undefined : publicPath(`${database.file}.checkpoint-key`);
  const path = key ?? (beside !== undefined && existsSync(beside) ? beside : undefined);
  if (path !== undefined) return readVerifierKey(path);
  const [needing] = [...checkpoints, ...archives];
  return needing === undefined ? undefined : demandKey(undefined, needing);
}

function demandKey(key: VerifierKey | undefined, path: string): VerifierKey {
  if (key !== undefined) return key;
  throw new OperationError("invalid_argument", `"${path}" cannot be verified without "--key": expected its public key`);
}

function givenCheckpoint(path: string, key: VerifierKey | undefined): Checkpoint {
  if (!existsSync(path)) throw new OperationError("not_found", `There is no checkpoint "${path}"`);
  const checkpoint = openCheckpoint(readFileSync(path, "utf8"), demandKey(key, path));
  if (checkpoint !== undefined) return checkpoint;
  throw new OperationError("failed_precondition", `The checkpoint "${path}" has no good signature of the key`);
}

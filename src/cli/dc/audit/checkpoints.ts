import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatVerifierLine, parseVerifierLine, type VerifierKey } from "#dc/audit/signed_note.ts";
import { getOrCreateLogOrigin, makeCheckpoint } from "#dc/audit/verify_log.ts";
import type { DcStore } from "#dc/ports.ts";
import { describeError, OperationError } from "#kernel/errors.ts";
import { OutageReporter } from "#kernel/notices.ts";

/** Interval between checks of the log's length, in milliseconds. */
const CHECK_INTERVAL_MS = 30_000;
/** Number of unsigned entries that causes a checkpoint. */
const MAX_UNSIGNED_ENTRIES = 10_000;
/** Maximum age of the last checkpoint if there are unsigned entries, in milliseconds. */
const MAX_UNSIGNED_MS = 24 * 60 * 60 * 1000;
/** Number of digits in a file's name, so that names sort by log size. */
const SIZE_DIGITS = 12;

export interface CheckpointOptions {
  /** Path of the private key; created if it does not exist. */
  readonly key: string;
  readonly directory: string | undefined;
}

/** Signs checkpoints of the change log at intervals while a server runs. */
export class CheckpointWriter {
  readonly #store: DcStore;
  readonly #options: CheckpointOptions;
  readonly #outage: OutageReporter;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();
  #last: { readonly size: number; readonly at: number } | undefined;
  #isClosed = false;

  private constructor(store: DcStore, options: CheckpointOptions, say: (message: string) => void) {
    this.#store = store;
    this.#options = options;
    const gone = (why: string) => `No checkpoint can be signed: ${why}`;
    this.#outage = new OutageReporter({ gone, back: "Checkpoints are signed again" }, say);
  }

  /** Starts signing with these options; returns undefined without options. */
  static start(
    store: DcStore,
    options: CheckpointOptions | undefined,
    say: (message: string) => void,
  ): CheckpointWriter | undefined {
    if (options === undefined) return undefined;
    const writer = new CheckpointWriter(store, options, say);
    writer.#checkRepeatedly();
    return writer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Checks the log now, and again at intervals until `close`. */
  #checkRepeatedly(): void {
    this.#running = this.#signIfDue().finally(() => {
      if (!this.#isClosed) this.#timer = setTimeout(() => this.#checkRepeatedly(), CHECK_INTERVAL_MS).unref();
    });
  }

  async #signIfDue(): Promise<void> {
    try {
      const { seq } = await this.#store.read((reader) => reader.chainHead());
      if (!this.#isClosed && this.#isDue(seq)) await this.#signCheckpoint();
      this.#outage.recordSuccess();
    } catch (error) {
      this.#outage.recordFailure(describeError(error));
    }
  }

  #isDue(seq: number): boolean {
    const last = this.#last;
    if (last === undefined) return seq > 0;
    return (
      seq - last.size >= MAX_UNSIGNED_ENTRIES || (seq > last.size && performance.now() - last.at >= MAX_UNSIGNED_MS)
    );
  }

  async #signCheckpoint(): Promise<void> {
    const origin = await getOrCreateLogOrigin(this.#store);
    const key = openSigningKey(this.#options.key, origin);
    const made = await makeCheckpoint(this.#store, { origin, key, now: new Date() });
    if (!made.ok) throw new Error(`the change log is broken: entry ${made.seq} ${made.detail}`);
    const { size } = made.checkpoint;
    if (this.#options.directory !== undefined) writeCheckpoint(this.#options.directory, size, made.note);
    this.#last = { size, at: performance.now() };
  }
}

/** Returns the path of the file with the public keys of a private key (listed first) and of its predecessors. */
export function getPublicKeyPath(keyPath: string): string {
  return `${keyPath}.pub`;
}

/** Reads the signing key, or creates it for its owner only. @throws OperationError for an unfit or readable file */
export function openSigningKey(path: string, origin: string): KeyObject {
  const key = readPrivateKey(path) ?? createKeyFile(path);
  insertFirstLine(getPublicKeyPath(path), formatVerifierLine(origin, key));
  return key;
}

/** Reads a file's keys, one per line. @throws OperationError for an invalid line and for an empty file. */
export function readVerifierKeys(path: string): readonly VerifierKey[] {
  const lines = readLines(path);
  const keys = lines.map((line) => parseVerifierLine(line));
  const wrong = keys.indexOf(undefined);
  if (lines.length > 0 && wrong < 0) return keys.filter((key) => key !== undefined);
  const where = wrong > 0 ? ` in line ${wrong + 1}` : "";
  const expected = 'expected lines "name+hash+key", as "dc serve" writes them beside its key';
  throw new OperationError("invalid_argument", `Cannot read a verifier key from "${path}"${where}: ${expected}`);
}

/** Writes a checkpoint to two files, each completely or not at all: one named by the log's size, one for the latest. */
function writeCheckpoint(directory: string, size: number, note: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of [`${String(size).padStart(SIZE_DIGITS, "0")}.checkpoint`, "latest.checkpoint"]) {
    const staged = join(directory, `.${name}.${process.pid}`);
    writeFileSync(staged, note, { flush: true });
    renameSync(staged, join(directory, name));
  }
}

/** Inserts a key's line at the beginning of a file. Earlier keys stay, because they verify earlier signatures. */
function insertFirstLine(path: string, line: string): void {
  const lines = readLines(path);
  if (lines[0] === line) return;
  const earlier = lines.filter((one) => one !== line && parseVerifierLine(one) !== undefined);
  const staged = `${path}.${process.pid}`;
  writeFileSync(staged, `${[line, ...earlier].join("\n")}\n`, { mode: 0o644, flush: true });
  renameSync(staged, path);
}

function readLines(path: string): readonly string[] {
  return (readText(path) ?? "").split("\n").filter((line) => line.trim() !== "");
}

function createKeyFile(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync("ed25519");
  // The flag wx prevents overwriting a key that another process has created meanwhile.
  writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  return privateKey;
}

function readPrivateKey(path: string): KeyObject | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  if ((statSync(path).mode & 0o077) !== 0) {
    const expected = "expected mode 0600, so that its owner alone can sign";
    throw new OperationError("failed_precondition", `The checkpoint key "${path}" can be read by others: ${expected}`);
  }
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The error below reports an invalid key without the file's content.
  }
  throw new OperationError("invalid_argument", `Cannot read a key from "${path}": expected an Ed25519 key in PEM`);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new OperationError("unavailable", `Cannot read "${path}": ${(error as Error).message}`, { cause: error });
  }
}

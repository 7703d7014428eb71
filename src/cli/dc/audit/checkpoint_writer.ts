import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getOrCreateLogOrigin, makeCheckpoint } from "#dc/audit/verify_log.ts";
import type { DcStore } from "#dc/ports.ts";
import { describeError } from "#kernel/errors.ts";
import { OutageReporter } from "#kernel/outage.ts";
import { openSigningKey } from "./audit_keys.ts";

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

/** Writes a checkpoint to two files, each completely or not at all: one named by the log's size, one for the latest. */
function writeCheckpoint(directory: string, size: number, note: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of [`${String(size).padStart(SIZE_DIGITS, "0")}.checkpoint`, "latest.checkpoint"]) {
    const staged = join(directory, `.${name}.${process.pid}`);
    writeFileSync(staged, note, { flush: true });
    renameSync(staged, join(directory, name));
  }
}

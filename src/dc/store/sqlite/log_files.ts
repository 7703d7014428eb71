import { closeSync, fstatSync, ftruncateSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { endianness } from "node:os";
import { refuseUnavailable } from "#dc/model/refusal.ts";
import type { OperationError } from "#kernel/errors.ts";

/** Bytes of the header of `-wal`, and of each frame before its page. Source: https://www.sqlite.org/walformat.html. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Bytes of the header of `-shm`, which is there twice; the number of frames that are in the database follows it. */
const INDEX_HEADER_BYTES = 48;
const INDEX_BYTES = 2 * INDEX_HEADER_BYTES + 4;
/** Attempts to read an index that another process is writing. */
const MAX_READS = 5;

const readWord = endianness() === "LE" ? "readUInt32LE" : "readUInt32BE";
const readHalf = endianness() === "LE" ? "readUInt16LE" : "readUInt16BE";

/** What `-shm` says of the log. */
interface LogIndex {
  readonly pageBytes: number;
  /** Frames of committed pages. */
  readonly frames: number;
  /** Frames that the database file has already. */
  readonly copied: number;
  /** Pages of the database after the last commit. */
  readonly pages: number;
  /** Differs after every copy of frames to the database. */
  readonly copyMark: string;
}

/**
 * The files beside an open database, `-wal` and `-shm`, by separate descriptors. A committed change is in `-wal`
 * alone until it is copied to the database, so a crash loses it if the path names another file by then.
 *
 * To be closed after all connections to the database: closing a descriptor ends the locks of its process.
 */
export class LogFiles {
  readonly #log: OpenFile;
  readonly #index: OpenFile;
  readonly #header = Buffer.alloc(INDEX_BYTES);
  #indexBytes: number;
  #checked: LogIndex | undefined;

  /** @param path the database, which a connection has open with its log */
  constructor(path: string) {
    // SQLite puts both beside the file that a link leads to.
    const real = realpathSync(path);
    this.#log = new OpenFile(`${real}-wal`);
    this.#index = new OpenFile(`${real}-shm`);
    this.#indexBytes = this.#index.bytes;
  }

  /** Size of the database file once all frames have been copied to it, in bytes; 0 if the index cannot be read. */
  get databaseBytes(): number {
    const state = this.#state();
    return state === undefined ? 0 : state.pages * state.pageBytes;
  }

  /** Differs after every copy of frames to the database; undefined if the index cannot be read. */
  get copyMark(): string | undefined {
    return this.#state()?.copyMark;
  }

  /** `frames` and `copyMark` as they were when the log was checked last. */
  get checked(): Pick<LogIndex, "frames" | "copyMark"> | undefined {
    return this.#checked;
  }

  /** Why the log is not the opened one, or holds less than was committed; undefined otherwise. */
  logFault(): OperationError | undefined {
    // The state first: another process may add to the log at any time.
    const state = this.#checkedState();
    const { misnamed, bytes } = this.#log.look();
    if (misnamed !== undefined) return changedFile(this.#log.path, "-wal", misnamed);
    const isShort = state !== undefined && bytes < bytesOf(state, state.frames) && this.#isLogShort();
    return isShort ? changedFile(this.#log.path, "-wal", "truncated") : undefined;
  }

  /** Why `-shm` is not the opened one, or holds less; undefined otherwise. Gives a truncated one its size back. */
  indexFault(): OperationError | undefined {
    const { misnamed, bytes } = this.#index.look();
    const how = misnamed ?? (this.keepIndex(bytes) ? undefined : "truncated");
    return how && changedFile(this.#index.path, "-shm", how);
  }

  /** Which of the files holds less than was committed; undefined for none. Gives a truncated `-shm` its size back. */
  shortage(): OperationError | undefined {
    if (this.#isLogShort()) return changedFile(this.#log.path, "-wal", "truncated");
    return this.keepIndex() ? undefined : changedFile(this.#index.path, "-shm", "truncated");
  }

  /**
   * Gives a truncated `-shm` its size back: SQLite has it mapped, and an access behind its end would kill the process.
   * SQLite then reads the log anew. Returns whether it had its size.
   */
  keepIndex(bytes = this.#index.bytes): boolean {
    const isWhole = bytes >= this.#indexBytes;
    if (isWhole) this.#indexBytes = bytes;
    else this.#index.resize(this.#indexBytes);
    return isWhole;
  }

  /** Whether all that was committed can be copied to the database, and no other process has begun another log. */
  get canBeCopied(): boolean {
    const isTaken = this.#log.look().misnamed === "replaced" && statSync(this.#log.path).size > 0;
    return !isTaken && !this.#isLogShort();
  }

  /** Whether the path of `-wal` names the open file. */
  get isNamed(): boolean {
    return this.#log.look().misnamed === undefined;
  }

  /**
   * Empties a log that lacks frames which the database has: SQLite would put older pages over newer ones. One that has
   * them leads to a whole state.
   */
  discardCopied(): void {
    const state = this.#state();
    if (state !== undefined && this.#log.bytes < bytesOf(state, state.copied)) this.#log.resize(0);
  }

  /** Removes all frames: they do not belong to the database that is beside them now. */
  empty(): void {
    this.#log.resize(0);
  }

  close(): void {
    this.#log.close();
    this.#index.close();
  }

  #isLogShort(): boolean {
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const state = this.#checkedState();
      if (state === undefined || this.#log.bytes >= bytesOf(state, state.frames)) return false;
      // Another process may have shortened it rightly meanwhile, and then the index said so first.
      if (this.#state()?.frames === state.frames) return true;
    }
    return false;
  }

  #checkedState(): LogIndex | undefined {
    this.#checked = this.#state();
    return this.#checked;
  }

  /** Undefined while another process writes it. */
  #state(): LogIndex | undefined {
    const header = this.#header;
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      this.#index.read(header);
      const first = header.subarray(0, INDEX_HEADER_BYTES);
      if (!first.equals(header.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))) continue;
      const half = first[readHalf](14);
      return {
        pageBytes: half === 1 ? 65_536 : half,
        frames: first[readWord](16),
        pages: first[readWord](20),
        copied: header[readWord](2 * INDEX_HEADER_BYTES),
        copyMark: header.toString("hex", 32, 40) + header.toString("hex", 2 * INDEX_HEADER_BYTES, INDEX_BYTES),
      };
    }
    return undefined;
  }
}

/** The refusal of changes once a file is not what was opened any more. */
export function changedFile(path: string, part: string, how: string): OperationError {
  const message = `The database's ${part} file was ${how} while the server had it open`;
  const cause = new Error(`the file "${path}" was ${how} while it was open`);
  return refuseUnavailable(`${message}: changes are refused until the server is started again`, cause);
}

function bytesOf({ pageBytes }: LogIndex, frames: number): number {
  return frames === 0 ? 0 : LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes);
}

/** A file by its descriptor and its path. */
class OpenFile {
  readonly path: string;
  readonly #descriptor: number;
  readonly #device: bigint;
  readonly #inode: bigint;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, "r+");
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    this.#device = dev;
    this.#inode = ino;
  }

  get bytes(): number {
    return fstatSync(this.#descriptor).size;
  }

  /** What the path names: how it changed if that is not the open file, and its bytes. */
  look(): { readonly misnamed: "removed" | "replaced" | undefined; readonly bytes: number } {
    const present = statSync(this.path, { throwIfNoEntry: false, bigint: true });
    if (present === undefined) return { misnamed: "removed", bytes: 0 };
    const isOpened = present.ino === this.#inode && present.dev === this.#device;
    return { misnamed: isOpened ? undefined : "replaced", bytes: Number(present.size) };
  }

  /** Reads its beginning. */
  read(into: Uint8Array): void {
    readSync(this.#descriptor, into, 0, into.length, 0);
  }

  resize(bytes: number): void {
    ftruncateSync(this.#descriptor, bytes);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

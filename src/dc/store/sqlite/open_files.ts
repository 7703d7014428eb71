import { closeSync, fstatSync, ftruncateSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { endianness } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperationError } from "#kernel/errors.ts";
import { createUnavailableRefusal } from "../../model/refusal.ts";
import type { FileProperties, SqliteFile, SqliteRunner } from "./sqlite_connection.ts";

/** Number of log frames from which the log is copied to the database; SQLite's own default. */
const MIN_COPIED_FRAMES = 1000;
/** Name of the database file itself in messages. */
const MAIN_FILE = "main";
/** Query for rows that identify a database and its state. */
const STATE_QUERY = "SELECT name, value FROM setting WHERE name IN ('page_token_key', 'revision')";

/**
 * Maximum time for another process to record that it copied the log, in milliseconds, and the pause between checks.
 * Chosen by us: a slow disk needs seconds to flush.
 */
const MAX_COPY_WAIT_MS = 5000;
const COPY_CHECK_MS = 50;

/** Contents of the database file without its log. */
interface FileState {
  /** Random key of the database; undefined before it was created. */
  readonly key: string | undefined;
  readonly revision: number;
}

/**
 * The files of a database that is open for writing. Content that is committed to files without a path is lost with the
 * process, so the store checks the paths before it acknowledges a write.
 */
export class OpenFiles {
  readonly #file: SqliteFile;
  readonly #logFiles: LogFiles;
  /** Fault of the files. It is permanent, because later commits may be in files without a path. */
  #fault: OperationError | undefined;
  /** State of the database file at the last read: modification time, the log's copy before it, and content. */
  #writtenAt: bigint | undefined;
  #copyMark: string | undefined;
  #state: FileState | undefined;

  /** Opens the files. @param file the database, which a connection has open with its log */
  constructor(file: SqliteFile) {
    this.#file = file;
    this.#logFiles = new LogFiles(file.path);
    this.#recordState(this.#readState());
  }

  /** Requires that the paths of database and log name the open files at full length. @throws Refusal unavailable */
  requireNamedFiles(): FileProperties {
    return this.#requireFiles(() => this.#logFiles.findLogFault() ?? this.#logFiles.findIndexFault());
  }

  /** Requires as `requireNamedFiles`, and that no other program wrote to the database. @throws Refusal unavailable */
  async requireWholeFiles(): Promise<void> {
    await this.#requireNoOtherWriter(this.requireNamedFiles());
  }

  /** Requires as `requireWholeFiles`, but not of `-shm`, which has no committed content. @throws Refusal unavailable */
  async requireCommittedFiles(): Promise<void> {
    await this.#requireNoOtherWriter(this.#requireFiles(() => this.#logFiles.findLogFault()));
  }

  /**
   * Checks the length of the files before a transaction: SQLite would read missing pages, and a long transaction may
   * write to the log before its commit, which restores the length of a truncated log.
   * @throws Refusal unavailable
   */
  requireFileLengths(): void {
    this.#fault ??= this.#logFiles.findShortage();
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Restores the size of `-shm` before a read, because SQLite accesses it. */
  restoreIndexSize(): void {
    this.#logFiles.restoreIndexSize();
  }

  /** Copies a long log to the database right after a check of both files. SQLite would copy it within the commit. */
  async copyLongLog(writer: SqliteRunner): Promise<void> {
    if ((this.#logFiles.checkedIndex?.frames ?? 0) < MIN_COPIED_FRAMES) return;
    // The committed content is in the log; if the disk is full now, the next change fails.
    await writer.all("PRAGMA wal_checkpoint(PASSIVE)").catch(() => {});
    this.#recordState(this.#readState());
  }

  /**
   * Leaves a consistent database at the path after a fault. Copies the log to the opened database if the log lost its
   * path, or if another database is at the path. Otherwise empties a log that does not belong to the database there.
   */
  async saveContent(writer: SqliteRunner): Promise<void> {
    const look = this.#file.readProperties();
    const isReplaced = look?.isOpened === false;
    if (this.#fault === undefined && !isReplaced) return;
    const isWhole = look?.isOpened === true && (!this.#isShort(look) || this.#isOtherState(this.#readState()));
    try {
      const isStranded = isReplaced ? this.#logFiles.isLogNamed : isWhole && !this.#logFiles.isLogNamed;
      if (isStranded && this.#logFiles.canLogBeCopied) await writer.all("PRAGMA wal_checkpoint(TRUNCATE)");
      else if (
        isWhole &&
        this.#logFiles.isLogNamed &&
        this.#logFiles.copyMark === this.#copyMark &&
        this.#isOtherState(this.#readState())
      )
        this.#logFiles.emptyLog();
      else this.#logFiles.discardShortLog();
    } catch {
      // The next check tries again: the disk may be full, or a reader may block the copy.
    }
  }

  /** Whether connections may be closed: not after a fault, because the last one copies the log to the database. */
  async canCloseConnections(writer: SqliteRunner): Promise<boolean> {
    try {
      await this.requireWholeFiles();
    } catch {
      await this.saveContent(writer);
    }
    return this.#fault === undefined;
  }

  /** Closes the descriptors. Call it after all connections are closed. */
  close(): void {
    this.#logFiles.close();
  }

  #requireFiles(faultOf: () => OperationError | undefined): FileProperties {
    if (this.#fault !== undefined) throw this.#fault;
    const look = this.#file.requireSameFile();
    this.#fault = faultOf();
    // A backup that was copied over the database may be shorter and still complete.
    if (this.#isShort(look))
      this.#fault ??= createChangedFileRefusal(
        this.#file.path,
        MAIN_FILE,
        this.#isOtherState(this.#readState()) ? "overwritten" : "truncated",
      );
    if (this.#fault !== undefined) throw this.#fault;
    return look;
  }

  async #requireNoOtherWriter({ writtenAt }: FileProperties): Promise<void> {
    if (writtenAt === this.#writtenAt) {
      // A new log has another mark, although no frames were copied.
      this.#copyMark = this.#logFiles.checkedIndex?.copyMark;
      return;
    }
    if (!(await this.#isOverwritten())) return;
    this.#fault = createChangedFileRefusal(this.#file.path, MAIN_FILE, "overwritten");
    throw this.#fault;
  }

  /**
   * Whether the database file differs from the last read although no process copied the log to it. A process records
   * such a copy only at its end, so the check waits.
   */
  async #isOverwritten(): Promise<boolean> {
    let writtenAt = this.#file.readProperties()?.writtenAt;
    for (let end = performance.now() + MAX_COPY_WAIT_MS; ; ) {
      const state = this.#readState();
      if (!this.#isOtherState(state) || this.#logFiles.copyMark !== this.#copyMark) {
        this.#recordState(state);
        return false;
      }
      if (performance.now() > end) return true;
      await sleep(COPY_CHECK_MS);
      const now = this.#file.readProperties()?.writtenAt;
      if (now !== writtenAt) end = performance.now() + MAX_COPY_WAIT_MS;
      writtenAt = now;
    }
  }

  #isOtherState(state: FileState | undefined): boolean {
    const known = this.#state;
    if (known === undefined || state === undefined) return false;
    return known.revision !== state.revision || (known.key !== undefined && known.key !== state.key);
  }

  #recordState(state: FileState | undefined): void {
    this.#writtenAt = this.#file.readProperties()?.writtenAt;
    this.#copyMark = this.#logFiles.copyMark;
    this.#state = state ?? this.#state;
  }

  /** Reads the file's state; undefined if unreadable now: no descriptor is left or the tables do not exist yet. */
  #readState(): FileState | undefined {
    try {
      const database = new DatabaseSync(this.#file.formatAddress("alone"), { timeout: 0 });
      try {
        const rows = database.prepare(STATE_QUERY).all();
        const values = new Map(rows.map(({ name, value }) => [name, String(value)]));
        return { key: values.get("page_token_key"), revision: Number(values.get("revision")) };
      } finally {
        database.close();
      }
    } catch {
      return undefined;
    }
  }

  #isShort(look: FileProperties): boolean {
    return this.#file.hasShrunk(look, () => this.#logFiles.databaseBytes);
  }
}

/** Bytes of the header of `-wal`, and of the header of each frame. Source: https://www.sqlite.org/walformat.html. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Bytes of the header of `-shm`. Two copies of it precede the number of frames that were copied to the database. */
const INDEX_HEADER_BYTES = 48;
const INDEX_BYTES = 2 * INDEX_HEADER_BYTES + 4;
/** Maximum attempts to read an index that another process is writing. */
const MAX_READS = 5;

const WORD_METHOD = endianness() === "LE" ? "readUInt32LE" : "readUInt32BE";
const HALF_WORD_METHOD = endianness() === "LE" ? "readUInt16LE" : "readUInt16BE";

/** Contents of the header of `-shm`, the index of the log. */
interface LogIndex {
  readonly pageBytes: number;
  /** Number of frames of committed pages. */
  readonly frames: number;
  /** Number of frames that were already copied to the database file. */
  readonly copied: number;
  /** Number of pages of the database after the last commit. */
  readonly pages: number;
  /** Value that changes after every copy of frames to the database. */
  readonly copyMark: string;
}

/**
 * The files next to an open database, `-wal` and `-shm`, by separate descriptors. A committed change is only in `-wal`
 * until it is copied to the database, so a crash loses the change if the path names another file by then.
 * Must be closed after all connections to the database: closing a descriptor ends the locks of its process.
 */
class LogFiles {
  readonly #log: OpenFile;
  readonly #index: OpenFile;
  readonly #header = Buffer.alloc(INDEX_BYTES);
  #indexBytes: number;
  #checkedIndex: LogIndex | undefined;

  /** Opens the files. @param path the database, which a connection has open with its log */
  constructor(path: string) {
    // SQLite creates both next to the target of a symbolic link.
    const real = realpathSync(path);
    this.#log = new OpenFile(`${real}-wal`);
    this.#index = new OpenFile(`${real}-shm`);
    this.#indexBytes = this.#index.bytes;
  }

  /** Size of the database file after all frames are copied to it, in bytes; 0 if the index cannot be read. */
  get databaseBytes(): number {
    const state = this.#readIndex();
    return state === undefined ? 0 : state.pages * state.pageBytes;
  }

  /** Value that changes after every copy of frames to the database; undefined if the index cannot be read. */
  get copyMark(): string | undefined {
    return this.#readIndex()?.copyMark;
  }

  /** Values of `frames` and `copyMark` at the last check of the log. */
  get checkedIndex(): Pick<LogIndex, "frames" | "copyMark"> | undefined {
    return this.#checkedIndex;
  }

  /** Returns the fault if the log is not the opened file, or is shorter than its committed content; else undefined. */
  findLogFault(): OperationError | undefined {
    // Read the state first, because another process may add to the log at any time.
    const state = this.#checkIndex();
    const { misnamed, bytes } = this.#log.inspectPath();
    if (misnamed !== undefined) return createChangedFileRefusal(this.#log.path, "-wal", misnamed);
    const isShort = state !== undefined && bytes < computeLogBytes(state, state.frames) && this.#isLogShort();
    return isShort ? createChangedFileRefusal(this.#log.path, "-wal", "truncated") : undefined;
  }

  /** Returns a fault if `-shm` is not the opened file or is too short, else undefined. Restores a truncated `-shm`. */
  findIndexFault(): OperationError | undefined {
    const { misnamed, bytes } = this.#index.inspectPath();
    const how = misnamed ?? (this.restoreIndexSize(bytes) ? undefined : "truncated");
    return how && createChangedFileRefusal(this.#index.path, "-shm", how);
  }

  /** Returns the fault if a file lacks committed content, else undefined. Restores the size of a truncated `-shm`. */
  findShortage(): OperationError | undefined {
    if (this.#isLogShort()) return createChangedFileRefusal(this.#log.path, "-wal", "truncated");
    return this.restoreIndexSize() ? undefined : createChangedFileRefusal(this.#index.path, "-shm", "truncated");
  }

  /**
   * Restores the size of a truncated `-shm`: SQLite maps the file into memory, and an access beyond its end would kill
   * the process. SQLite then reads the log again.
   * @returns whether the file had its size
   */
  restoreIndexSize(bytes = this.#index.bytes): boolean {
    const isWhole = bytes >= this.#indexBytes;
    if (isWhole) this.#indexBytes = bytes;
    else this.#index.resize(this.#indexBytes);
    return isWhole;
  }

  /** Whether the log has all committed content, and no other process has started a new log at its path. */
  get canLogBeCopied(): boolean {
    const isTaken = this.#log.inspectPath().misnamed === "replaced" && statSync(this.#log.path).size > 0;
    return !isTaken && !this.#isLogShort();
  }

  /** Whether the path of `-wal` still names the open file. */
  get isLogNamed(): boolean {
    return this.#log.inspectPath().misnamed === undefined;
  }

  /**
   * Empties a log that is shorter than its copied frames, because SQLite would replace newer pages by older ones. Keeps
   * a longer log, which leads to a consistent state.
   */
  discardShortLog(): void {
    const state = this.#readIndex();
    if (state !== undefined && this.#log.bytes < computeLogBytes(state, state.copied)) this.#log.resize(0);
  }

  /** Removes all frames, because they do not belong to the database that is at the path now. */
  emptyLog(): void {
    this.#log.resize(0);
  }

  close(): void {
    this.#log.close();
    this.#index.close();
  }

  #isLogShort(): boolean {
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const state = this.#checkIndex();
      if (state === undefined || this.#log.bytes >= computeLogBytes(state, state.frames)) return false;
      // Another process may have shortened the log legitimately in the meantime; it changes the index first.
      if (this.#readIndex()?.frames === state.frames) return true;
    }
    return false;
  }

  #checkIndex(): LogIndex | undefined {
    this.#checkedIndex = this.#readIndex();
    return this.#checkedIndex;
  }

  /** Reads the state of the log; undefined while another process writes it. */
  #readIndex(): LogIndex | undefined {
    const header = this.#header;
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      this.#index.read(header);
      const first = header.subarray(0, INDEX_HEADER_BYTES);
      if (!first.equals(header.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))) continue;
      const half = first[HALF_WORD_METHOD](14);
      return {
        pageBytes: half === 1 ? 65_536 : half,
        frames: first[WORD_METHOD](16),
        pages: first[WORD_METHOD](20),
        copied: header[WORD_METHOD](2 * INDEX_HEADER_BYTES),
        copyMark: header.toString("hex", 32, 40) + header.toString("hex", 2 * INDEX_HEADER_BYTES, INDEX_BYTES),
      };
    }
    return undefined;
  }
}

/** Creates the error for changes after a file was replaced, removed or truncated. */
function createChangedFileRefusal(path: string, part: string, change: string): OperationError {
  const message = `The database's ${part} file was ${change} while the server had it open`;
  const cause = new Error(`the file "${path}" was ${change} while it was open`);
  return createUnavailableRefusal(`${message}: changes are refused until the server is started again`, cause);
}

function computeLogBytes({ pageBytes }: LogIndex, frames: number): number {
  return frames === 0 ? 0 : LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes);
}

/** An open file with its descriptor and its path. */
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

  /** Checks the file at the path: whether it was removed or replaced, and its size in bytes. */
  inspectPath(): { readonly misnamed: "removed" | "replaced" | undefined; readonly bytes: number } {
    const present = statSync(this.path, { throwIfNoEntry: false, bigint: true });
    if (present === undefined) return { misnamed: "removed", bytes: 0 };
    const isOpened = present.ino === this.#inode && present.dev === this.#device;
    return { misnamed: isOpened ? undefined : "replaced", bytes: Number(present.size) };
  }

  /** Reads the beginning of the file into a buffer. */
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

import { existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { createPreconditionError } from "#kernel/errors.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { formatLogLines, formatOwnLine, formatPrintedLine, formatRunHeader } from "../../work/records/log_file.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { runInOpenFolder } from "../files/open_folder.ts";
import { isLink, isLinkOutside, LOGS_FOLDER } from "../project/places.ts";

/** Maximum time in ms that a line stays in memory. Chosen by planner: a person who follows the log sees no delay. */
const LOG_FLUSH_MS = 100;

/** Buffered characters per log above which callers wait for the disk. Chosen by planner. */
const MAX_WAITING_CHARS = 64 * 1024;

/** Maximum characters of a stored line. Chosen by planner: at three bytes each it fits one answer of planner_log. */
const MAX_LINE_CHARS = 256 * 1024;

export interface RunLog {
  /** Path relative to the project's root; null if the log has no file. */
  readonly file: string | null;
  /**
   * Appends a line with the current time; a text with line breaks becomes several lines. Resolves at once unless the
   * buffer is full. The file has the line within `LOG_FLUSH_MS` milliseconds, or after `flush` once half of the limit
   * is used.
   *
   * @throws OperationError if the disk rejects the write
   */
  line(text: string): Promise<void>;
  /** Appends printed lines, given without line breaks. Marks them, so none can be mistaken for planner's own. */
  printed(lines: readonly string[], from: "stdout" | "stderr"): Promise<void>;
  /** Resolves when all lines are written to the file. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Opens `.planner/logs/` for writing, in the format of work/records/log_file.ts. Only the holder of a spec's claim
 * writes its log.
 */
export function openRunLogs(root: string, clock: Clock) {
  return {
    /**
     * Begins a run's log: completes a line that a killed writer left unfinished, then writes the run's header.
     *
     * @param maxBytes limit for the output of the run's programs; beyond it the middle is omitted, and one line says so
     */
    async open(id: SpecId, processId: string, maxBytes: number): Promise<RunLog> {
      const file = `${LOGS_FOLDER}/${id}.log`;
      const path = join(root, file);
      assertSafeLogLink(root, { file, path });
      const handle = await openLogForAppend(path, file);
      const log = new FileRunLog(handle, { file, clock, maxBytes });
      await log.begin(processId);
      return log;
    },
  };
}

/** Rejects a link that leads out of the project, or to a missing file, which a write would create. */
function assertSafeLogLink(root: string, { file, path }: { readonly file: string; readonly path: string }): void {
  if (!isLink(path)) return;
  const where = isLinkOutside(root, path) ? "out of the project" : existsSync(path) ? null : "to no file";
  if (where === null) return;
  throw createPreconditionError(`Cannot write "${file}": it is a symbolic link that leads ${where}`);
}

async function openLogForAppend(path: string, file: string): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await runInOpenFolder(path, (inside) => open(inside, "a+"));
    await completeLastLine(handle);
    return handle;
  } catch (error) {
    await handle?.close();
    throw convertToDiskError(`write "${file}"`, error);
  }
}

/** Ends a line that a killed writer left unfinished. */
async function completeLastLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  if (size === 0) return;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  if (last[0] !== 10) await handle.appendFile("\n");
}

class FileRunLog implements RunLog {
  readonly file: string;
  readonly #handle: FileHandle;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** Bytes left in the log's first half. Later output stays in `#end`, which keeps only the last lines. */
  #bytesLeft: number;
  #isHalfFull = false;
  readonly #outputTail: OutputTail;
  #bufferedTexts: string[] = [];
  #bufferedChars = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  #ended = false;

  constructor(
    handle: FileHandle,
    { file, clock, maxBytes }: { readonly file: string; readonly clock: Clock; readonly maxBytes: number },
  ) {
    this.#maxBytes = maxBytes;
    this.#bytesLeft = Math.floor(maxBytes / 2);
    this.#outputTail = new OutputTail(this.#bytesLeft);
    this.#handle = handle;
    this.file = file;
    this.#clock = clock;
  }

  async begin(processId: string): Promise<void> {
    this.#bufferedTexts.push(`${formatRunHeader(this.#clock.now(), processId)}\n`);
    await this.flush();
  }

  line(text: string): Promise<void> {
    return this.#appendLines(text.split(/\r?\n/), formatOwnLine);
  }

  printed(lines: readonly string[], from: "stdout" | "stderr"): Promise<void> {
    return this.#appendLines(lines, (part) => formatPrintedLine(part, from));
  }

  /** Appends lines. @param marked formats each part of a line, so that no part can be mistaken for planner's own */
  async #appendLines(lines: readonly string[], marked: (part: string) => string): Promise<void> {
    if (this.#ended) throw createPreconditionError(`Cannot write "${this.file}": the run has ended`);
    if (this.#failure !== undefined) throw this.#failure;
    if (lines.length === 0) return;
    const parts = lines.some((line) => line.length > MAX_LINE_CHARS) ? lines.flatMap(splitLongLine) : lines;
    this.#storeLines(parts.map(marked));
    if (this.#bufferedChars >= MAX_WAITING_CHARS) await this.#drainBuffer();
    else this.#timer ??= setTimeout(() => this.#flushInTheBackground(), LOG_FLUSH_MS);
  }

  async flush(): Promise<void> {
    const { left, lines } = this.#outputTail.takeLines();
    const notice = `planner: ${left} bytes are left out here: log.max_bytes is ${this.#maxBytes}`;
    this.#bufferText(`${left === 0 ? "" : formatLogLines(this.#clock.now(), [notice])}${lines}`);
    await this.#drainBuffer();
  }

  async #drainBuffer(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Further lines may have arrived during the write.
    while (this.#failure === undefined && (this.#writing !== undefined || this.#bufferedTexts.length > 0)) {
      this.#writing ??= this.#writeBuffer();
      await this.#writing;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    try {
      await this.flush();
    } finally {
      await this.#handle.close();
    }
  }

  #storeLines(lines: readonly string[]): void {
    const time = this.#clock.now();
    const text = formatLogLines(time, lines);
    const bytes = Buffer.byteLength(text);
    if (!this.#isHalfFull && bytes <= this.#bytesLeft) {
      this.#bytesLeft -= bytes;
      this.#bufferText(text);
      return;
    }
    const rest = this.#isHalfFull ? lines : lines.slice(this.#storeFirstLines(lines, time));
    if (!this.#isHalfFull) {
      const notice = `planner: half of log.max_bytes is used: the last ${this.#outputTail.max} bytes of what follows are written when the run ends`;
      this.#bufferText(formatLogLines(time, [notice]));
      this.#isHalfFull = true;
    }
    for (const line of rest) this.#outputTail.addLine(formatLogLines(time, [line]));
  }

  /** Stores those first lines that still fit. @returns the number of stored lines */
  #storeFirstLines(lines: readonly string[], time: Date): number {
    let count = 0;
    for (const line of lines) {
      const text = formatLogLines(time, [line]);
      const bytes = Buffer.byteLength(text);
      if (bytes > this.#bytesLeft) break;
      this.#bytesLeft -= bytes;
      this.#bufferText(text);
      count += 1;
    }
    return count;
  }

  #bufferText(text: string): void {
    if (text === "") return;
    this.#bufferedTexts.push(text);
    this.#bufferedChars += text.length;
  }

  #flushInTheBackground(): void {
    // The error is stored, and the next line or the end reports it.
    this.#drainBuffer().catch(() => {});
  }

  /** Writes the buffered lines. Stores an error in `#failure` instead of rejecting. */
  async #writeBuffer(): Promise<void> {
    const bytes = Buffer.from(this.#bufferedTexts.join(""));
    this.#bufferedTexts = [];
    this.#bufferedChars = 0;
    try {
      for (let offset = 0; offset < bytes.length; ) {
        offset += (await this.#handle.write(bytes, offset)).bytesWritten;
      }
    } catch (error) {
      this.#failure = convertToDiskError(`write "${this.file}"`, error);
    } finally {
      this.#writing = undefined;
    }
  }
}

/** The last lines of a text, at most `max` bytes but always the very last line. */
class OutputTail {
  readonly max: number;
  #lines: string[] = [];
  /** Index of the first kept line; earlier lines are removed in bulk. */
  #first = 0;
  #bytes = 0;
  #omittedBytes = 0;

  constructor(max: number) {
    this.max = max;
  }

  addLine(line: string): void {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line);
    for (; this.#bytes > this.max && this.#first < this.#lines.length - 1; this.#first++) {
      const bytes = Buffer.byteLength(this.#lines[this.#first] ?? "");
      this.#bytes -= bytes;
      this.#omittedBytes += bytes;
    }
    if (this.#first < 1000 || this.#first < this.#lines.length / 2) return;
    this.#lines = this.#lines.slice(this.#first);
    this.#first = 0;
  }

  /** Returns the lines and the number of bytes omitted before them, and removes both. */
  takeLines(): { readonly left: number; readonly lines: string } {
    const taken = { left: this.#omittedBytes, lines: this.#lines.slice(this.#first).join("") };
    [this.#lines, this.#first, this.#bytes, this.#omittedBytes] = [[], 0, 0, 0];
    return taken;
  }
}

/** Splits a long line into parts of limited length without splitting a surrogate pair. */
function splitLongLine(line: string): readonly string[] {
  if (line.length <= MAX_LINE_CHARS) return [line];
  const parts: string[] = [];
  for (let start = 0; start < line.length; ) {
    let end = Math.min(start + MAX_LINE_CHARS, line.length);
    if (end < line.length && /[\ud800-\udbff]/.test(line.charAt(end - 1))) end--;
    parts.push(line.slice(start, end));
    start = end;
  }
  return parts;
}

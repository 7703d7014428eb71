import { randomUUID } from "node:crypto";
import { closeSync, createReadStream, openSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CsvRecord, detectCsvForm, HEADER_BYTES, readCsvRecords } from "#dc/operations/import/sheet.ts";
import { OperationError } from "#kernel/errors.ts";
import { wrapWriteErrors } from "../../output/write_file.ts";
import {
  detectByteOrderMark,
  type Encoding,
  readFirstBytes,
  requireUtf8,
  transcodeFile,
  wrapReadErrors,
} from "./encoding.ts";

const CHUNK_BYTES = 1 << 20;
/** Maximum bytes of a line; a device with the maximum number of ports needs half a megabyte. */
const MAX_IMPORT_LINE_BYTES = 16 * (1 << 20);
const NEWLINE = 10;

/** A file that can be read more than once. */
export interface TextFile {
  readonly path: string;
  /** Name of the file in messages: the path that the user gave, or words such as "standard input". */
  readonly displayName: string;
  close(): void;
}

/**
 * Opens a file for reading; `-` is standard input. `shown` is its name in messages. A file that can be read only once
 * (a pipe) or is not UTF-8 is copied to a temporary file in UTF-8. A byte order mark takes precedence over `encoding`.
 * @throws OperationError if it cannot be read, and for bytes that are not in the encoding
 */
export function openTextFile(file: string, shown: string, encoding: Encoding = "utf-8"): TextFile {
  const opened = openByteFile(file, shown);
  try {
    const mark = detectByteOrderMark(readFirstBytes(opened.path, 3));
    const actual = mark ?? encoding;
    if (actual !== "utf-8") return decodeFile(opened, actual);
    requireUtf8(opened.path, shown);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Creates a copy of a file in UTF-8 and closes the original. */
function decodeFile(
  { path, displayName, close }: TextFile,
  encoding: "windows-1252" | "utf-16le" | "utf-16be",
): TextFile {
  const copy = createTemporaryCopy(displayName, (to) => transcodeFile(path, displayName, encoding, to));
  close();
  return copy;
}

function createTemporaryCopy(shown: string, fill: (to: number, copy: string) => void): TextFile {
  const copy = join(tmpdir(), `planner-import-${randomUUID()}.tmp`);
  const close = () => rmSync(copy, { force: true });
  // Only its owner may read the file, because other users can list a temporary folder.
  const to = wrapWriteErrors(copy, () => openSync(copy, "wx", 0o600));
  try {
    fill(to, copy);
    return { path: copy, displayName: shown, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    closeSync(to);
  }
}

/** Opens a file for reading its bytes; `-` is standard input. A file that can be read only once is copied. */
export function openByteFile(file: string, shown: string): TextFile {
  return wrapReadErrors(shown, () => {
    if (file === "-" || !statSync(file).isFile())
      return createTemporaryCopy(shown, (to, copy) => copyToDescriptor(to, copy, file));
    closeSync(openSync(file, "r"));
    return { path: file, displayName: shown, close: () => {} };
  });
}

function copyToDescriptor(to: number, copy: string, file: string): void {
  const from = file === "-" ? 0 : openSync(file, "r");
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let size = readChunk(from, chunk); size > 0; size = readChunk(from, chunk)) {
      wrapWriteErrors(copy, () => writeFileSync(to, chunk.subarray(0, size)));
    }
  } finally {
    if (from !== 0) closeSync(from);
  }
}

function readChunk(descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk, 0, chunk.length, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      // Standard input is non-blocking if another process that shares it has made it so.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Reads the records of a CSV file in UTF-8. @throws OperationError for text that is not CSV */
export function readCsvFile(path: string, shown: string): AsyncGenerator<CsvRecord> {
  const form = detectCsvForm(Buffer.from(readFirstBytes(path, HEADER_BYTES)));
  return readCsvRecords(createReadStream(path), form, `"${shown}"`);
}

/** Returns the first characters of a file, for format detection. */
export function readFirstCharacters({ path }: TextFile): string {
  return Buffer.from(readFirstBytes(path, 256)).toString("utf8");
}

/** A part of a file, as byte offsets. */
export interface FileSpan {
  readonly from: number;
  readonly to: number;
  /** Number of the first line of the part. */
  readonly line: number;
}

export interface TextLine {
  readonly number: number;
  /** Offset of the line's first byte. */
  readonly at: number;
  readonly text: string;
}

/** Reads the lines of a file or of a part of it, without line ends and without empty lines. Memory: one chunk. */
export function* readLines(
  { path, displayName }: TextFile,
  span: FileSpan = { from: 0, to: Number.POSITIVE_INFINITY, line: 1 },
) {
  const descriptor = openSync(path, "r");
  try {
    let number = span.line;
    let at = span.from;
    let unread: Buffer = Buffer.alloc(0);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = span.from; ; ) {
      const size = readSync(descriptor, chunk, 0, Math.min(CHUNK_BYTES, span.to - position), position);
      position += size;
      unread =
        unread.length === 0 ? Buffer.from(chunk.subarray(0, size)) : Buffer.concat([unread, chunk.subarray(0, size)]);
      let start = 0;
      for (let end = unread.indexOf(NEWLINE); end >= 0; end = unread.indexOf(NEWLINE, start)) {
        yield* decodeLine(number, at + start, unread.subarray(start, end));
        number += 1;
        start = end + 1;
      }
      at += start;
      unread = unread.subarray(start);
      if (unread.length > MAX_IMPORT_LINE_BYTES) {
        const expected = `expected at most ${MAX_IMPORT_LINE_BYTES} bytes`;
        throw new OperationError("invalid_argument", `Line ${number} of ${displayName} is too long: ${expected}`);
      }
      if (size === 0) break;
    }
    yield* decodeLine(number, at, unread);
  } finally {
    closeSync(descriptor);
  }
}

function* decodeLine(number: number, at: number, bytes: Buffer): Generator<TextLine> {
  let text = bytes.toString("utf8");
  if (number === 1) text = text.replace(/^\uFEFF/, "");
  if (/\S/.test(text)) yield { number, at, text };
}

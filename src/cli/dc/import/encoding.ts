import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { OperationError } from "#kernel/errors.ts";
import { describeSystemError, isMissingError } from "#planner/store/files/disk_error.ts";

/** Encodings for `--encoding`. UTF-16 is not listed, because its byte order mark identifies it. */
export const ENCODINGS = ["utf-8", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

type ByteOrderMark = "utf-8" | "utf-16le" | "utf-16be";

/** Detects the byte order mark at the beginning of a file; undefined without one. */
export function detectByteOrderMark(beginning: Uint8Array): ByteOrderMark | undefined {
  const [a, b, c] = beginning;
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xef && b === 0xbb && c === 0xbf ? "utf-8" : undefined;
}

export function readFirstBytes(path: string, length: number): Uint8Array {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Checks that a file is UTF-8. Cost: about a second per GB. @throws OperationError with file, line, byte and remedy */
export function requireUtf8(path: string, shown: string): void {
  let line = 1;
  let column = 1;
  for (const bytes of readWholeCharacters(path)) {
    const bad = isUtf8(bytes) ? -1 : findFirstInvalidByte(bytes);
    const end = bad < 0 ? bytes.length : bad;
    for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) {
      line += 1;
      column = -at;
    }
    if (bad >= 0) throw createEncodingError(shown, { line, column: column + bad, byte: bytes[bad] ?? 0 });
    column += bytes.length;
  }
}

/** Reads a whole file. @throws OperationError invalid_argument for invalid UTF-8, with its position. */
export function readUtf8(path: string, shown: string): string {
  requireUtf8(path, shown);
  return readFileSync(path, "utf8");
}

/** Writes a copy of a file in UTF-8. @throws OperationError invalid_argument for bytes that are not in `encoding` */
export function transcodeFile(
  path: string,
  shown: string,
  encoding: "windows-1252" | "utf-16le" | "utf-16be",
  to: number,
) {
  const decoder = new TextDecoder(encoding === "windows-1252" ? encoding : "utf-16le", { fatal: true });
  try {
    for (const bytes of readChunks(path)) {
      // Not every JavaScript engine has a decoder for big-endian UTF-16.
      if (encoding === "utf-16be") bytes.swap16();
      writeFileSync(to, decoder.decode(bytes, { stream: true }));
    }
    writeFileSync(to, decoder.decode());
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new OperationError("invalid_argument", `Cannot read "${shown}": it is not ${encoding}`, { cause: error });
  }
}

function createEncodingError(
  shown: string,
  { line, column, byte }: { line: number; column: number; byte: number },
): OperationError {
  const what = `line ${line}, byte ${column} is 0x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  const advice = "save it as UTF-8, or give --encoding windows-1252 for a file of Excel";
  return new OperationError("invalid_argument", `Cannot read "${shown}" as UTF-8: ${what}; ${advice}`);
}

/** Runs `work`, which reads a file. @throws OperationError for an error of the operating system */
export function wrapReadErrors<Result>(shown: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof OperationError) throw error;
    const kind = isMissingError(error) ? "not_found" : "unavailable";
    throw new OperationError(kind, `Cannot read "${shown}": ${describeSystemError(error)}`, { cause: error });
  }
}

function* readChunks(path: string): Generator<Buffer> {
  const descriptor = openSync(path, "r");
  try {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const size = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (size === 0) return;
      yield chunk.subarray(0, size);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Reads a file in chunks that do not split UTF-8 characters. */
function* readWholeCharacters(path: string): Generator<Buffer> {
  let unfinished: Buffer = Buffer.alloc(0);
  for (const chunk of readChunks(path)) {
    const bytes = unfinished.length === 0 ? chunk : Buffer.concat([unfinished, chunk]);
    const end = bytes.length - countUnfinishedBytes(bytes);
    yield bytes.subarray(0, end);
    unfinished = bytes.subarray(end);
  }
  if (unfinished.length > 0) yield unfinished;
}

/** Counts the bytes at the end that begin an incomplete character: at most 3. */
function countUnfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return getCharacterLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Returns the length of the character that begins with this byte; 0 for an invalid byte. Source: RFC 3629, 4. */
function getCharacterLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/** Returns the offset of the first byte that is not UTF-8, or -1. */
function findFirstInvalidByte(bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) {
    const length = getCharacterLength(bytes[at] ?? 0);
    if (length === 0 || at + length > bytes.length || !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return -1;
}

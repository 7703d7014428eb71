import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { createPreconditionError, type OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { locateOffset } from "#planner/spec/text_lines.ts";
import { MAX_SPEC_BYTES } from "../../limits.ts";
import { isLinkOutside } from "../project/places.ts";
import { describeSystemError, getErrorCode, isMissingError } from "./disk_error.ts";

/** Metadata that distinguishes two states of a file or folder without reading it. */
export interface FileMark {
  readonly device: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
}

/** Minimum age in ms at which an equal mark proves no change: older kernels count file times in steps of 10 ms. */
const UNSETTLED_MS = 100;

/** Minimum age in ms at which an equal mark proves no change if the file system counts file times in seconds. */
const UNSETTLED_COARSE_MS = 2100;

export function buildFileMark(stats: Stats): FileMark {
  return { device: stats.dev, inode: stats.ino, size: stats.size, modifiedMs: stats.mtimeMs, changedMs: stats.ctimeMs };
}

/** Returns the mark of the file to which the path leads; null if it cannot be read. */
export function readFileMark(path: string): FileMark | null {
  try {
    return buildFileMark(statSync(path));
  } catch {
    return null;
  }
}

export function isSameMark(a: FileMark, b: FileMark): boolean {
  return (
    a.modifiedMs === b.modifiedMs &&
    a.size === b.size &&
    a.inode === b.inode &&
    a.changedMs === b.changedMs &&
    a.device === b.device
  );
}

/**
 * Returns whether a change right after `nowMs` could leave the mark unchanged, because the clock of file times has not
 * advanced. The caller must read such a file again, as git does with its index.
 */
export function isUnsettledMark(mark: FileMark, nowMs: number): boolean {
  const newest = Math.max(mark.modifiedMs, mark.changedMs);
  return nowMs - newest < (mark.changedMs % 1000 === 0 ? UNSETTLED_COARSE_MS : UNSETTLED_MS);
}

/** Result of reading a file. `missing` means that no file of this name exists now. */
export type TextReadResult =
  | { readonly kind: "text"; readonly text: string; readonly mark: FileMark; readonly mode: number }
  | { readonly kind: "missing" }
  | {
      readonly kind: "unreadable";
      readonly line: number | null;
      readonly column: number | null;
      readonly message: string;
      /** Mark of the file; null if its metadata could not be read. */
      readonly mark: FileMark | null;
    };

/** Flags that open a named pipe without waiting for its other end. Windows has neither the flag nor such files. */
export const NON_BLOCKING_READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

// One buffer for every read: a spec fits, and allocating 10,000 buffers would cost more than reading does.
let readBuffer = Buffer.alloc(0);

/**
 * Reads one text file of at most MAX_SPEC_BYTES. Never throws. Opens only regular files and links to them.
 *
 * @param isRegular true when the folder's listing has just reported a regular file, which saves a system call
 */
export function readTextFile(path: string, isRegular = false): TextReadResult {
  try {
    if (!isRegular) {
      const stats = statSync(path);
      if (!stats.isFile()) return buildUnreadableResult(describeFileKind(stats), stats);
    }
    return readOpenedFile(path);
  } catch (error) {
    return buildReadFailure(path, error);
  }
}

/**
 * Reads one file of the project at `root`. Does not follow a link that leads out of the project.
 *
 * @param file path from the root
 * @param isRegular true when the folder's listing has just reported a regular file
 */
export function readProjectText(root: string, file: string, isRegular = false): TextReadResult {
  const path = join(root, file);
  if (isRegular || !isLinkOutside(root, path)) return readTextFile(path, isRegular);
  return { ...UNREADABLE_WITHOUT_POSITION, message: "It is a symbolic link that leads out of the project", mark: null };
}

function readOpenedFile(path: string): TextReadResult {
  const descriptor = openSync(path, NON_BLOCKING_READ_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return buildUnreadableResult(describeFileKind(stats), stats);
    if (stats.size > MAX_SPEC_BYTES) return buildUnreadableResult(describeTooLarge(stats.size), stats);
    const bytes = readAllBytes(descriptor, stats.size);
    if (bytes === undefined) return buildUnreadableResult(describeTooLarge(MAX_SPEC_BYTES + 1), stats);
    const decoded = decodeText(bytes);
    if (decoded.ok) return { kind: "text", text: decoded.text, mark: buildFileMark(stats), mode: stats.mode & 0o7777 };
    return { ...decoded, kind: "unreadable", mark: buildFileMark(stats) };
  } finally {
    closeSync(descriptor);
  }
}

/** Reads up to the file's end, even if the file grows meanwhile; undefined if it exceeds MAX_SPEC_BYTES. */
function readAllBytes(descriptor: number, expected: number): Uint8Array | undefined {
  if (readBuffer.length <= expected) readBuffer = Buffer.allocUnsafeSlow(Math.max(64 * 1024, expected * 2));
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, readBuffer, length, readBuffer.length - length, null);
    length += count;
    // A short read of a regular file means its end; another read would double the system calls.
    if (count === 0 || (length === expected && length < readBuffer.length)) return readBuffer.subarray(0, length);
    if (length > MAX_SPEC_BYTES) return undefined;
    if (length === readBuffer.length) readBuffer = Buffer.concat([readBuffer], readBuffer.length * 2);
  }
}

/** Maximum bytes of a file that a run may have written. Chosen by planner: as much as git's answers may have. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file that a run may have written, without waiting for a pipe's other end and without reading an endless file.
 *
 * @throws OperationError `failed_precondition` that names a pipe, socket or device, or a file above the limit; the
 *   system's own error for a missing file or a folder
 */
export function readRegularFile(path: string): Buffer {
  const descriptor = openSync(path, NON_BLOCKING_READ_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() && !stats.isDirectory()) throw buildFileKindError(path, describeFileKind(stats));
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = Buffer.allocUnsafe(Math.min(Math.max(stats.size - length, 0) + 1024, 1024 * 1024));
      const count = readSync(descriptor, chunk);
      if (count === 0) return Buffer.concat(chunks);
      length += count;
      if (length > MAX_FILE_BYTES) throw buildFileKindError(path, `It has over ${MAX_FILE_BYTES} bytes`);
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
}

function buildFileKindError(path: string, words: string): OperationError {
  const cause = words.replace(/^It/, "it").replace(/: expected a file$/, "");
  return createPreconditionError(`Cannot read "${path}": ${cause}: remove it`);
}

/** Returns the error message for a file above the size limit. */
export function describeTooLarge(size: number): string {
  return `File of ${size} bytes is not read: expected at most ${MAX_SPEC_BYTES}`;
}

function buildReadFailure(path: string, error: unknown): TextReadResult {
  if (!isMissingError(error))
    return { ...UNREADABLE_WITHOUT_POSITION, message: formatSentence(describeSystemError(error)), mark: null };
  try {
    // The name may exist although the file does not: a link to a missing file.
    if (!lstatSync(path).isSymbolicLink()) return readTextFile(path);
    return {
      ...UNREADABLE_WITHOUT_POSITION,
      message: "It is a symbolic link to a file that does not exist",
      mark: null,
    };
  } catch (again) {
    return getErrorCode(again) === "ENOENT"
      ? { kind: "missing" }
      : { ...UNREADABLE_WITHOUT_POSITION, message: formatSentence(describeSystemError(again)), mark: null };
  }
}

const UNREADABLE_WITHOUT_POSITION = { kind: "unreadable", line: null, column: null } as const;

function buildUnreadableResult(message: string, stats: Stats): TextReadResult {
  return { ...UNREADABLE_WITHOUT_POSITION, message, mark: buildFileMark(stats) };
}

export function describeFileKind(stats: Stats): string {
  if (stats.isDirectory()) return "It is a folder: expected a file";
  if (stats.isFIFO()) return "It is a named pipe: expected a file";
  if (stats.isSocket()) return "It is a socket: expected a file";
  return "It is a device: expected a file";
}

function formatSentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Decoded text of a file, or the position of its first byte that is not UTF-8. */
type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly message: string };

const STRICT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT_DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT_CHARACTER = "\uFFFD";

/** Decodes UTF-8 and keeps a byte-order mark. Rejects invalid bytes, because an edit would write back replacements. */
export function decodeText(bytes: Uint8Array): DecodedText {
  try {
    return { ok: true, text: STRICT_DECODER.decode(bytes) };
  } catch {
    const text = LENIENT_DECODER.decode(bytes);
    const { index, offset } = findFirstReplacement(text, bytes);
    const byte = (bytes[offset] ?? 0).toString(16).padStart(2, "0");
    return {
      ok: false,
      ...locateOffset(text, index),
      message: `Byte 0x${byte} is not valid UTF-8: expected UTF-8 text`,
    };
  }
}

/** Finds the first U+FFFD that decoding inserted: its index in `text` and its offset in `bytes`. */
function findFirstReplacement(text: string, bytes: Uint8Array): { readonly index: number; readonly offset: number } {
  let offset = 0;
  let from = 0;
  for (
    let index = text.indexOf(REPLACEMENT_CHARACTER);
    index !== -1;
    index = text.indexOf(REPLACEMENT_CHARACTER, from)
  ) {
    offset += Buffer.byteLength(text.slice(from, index));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return { index, offset };
    offset += 3;
    from = index + 1;
  }
  return { index: text.length, offset: bytes.length };
}

/** Object in a JSON file with the file's text and time of last write, or the reason why it cannot be read. */
export type JsonReadResult =
  | {
      readonly kind: "object";
      readonly object: Readonly<Record<string, unknown>>;
      readonly text: string;
      readonly modified: Date;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly message: string; readonly text: string | null; readonly modified: Date };

/**
 * Reads a JSON file of at most MAX_SPEC_BYTES. Never throws.
 * @param omits what may precede the JSON text
 */
export function readJsonFile(path: string, { omits }: { readonly omits?: RegExp } = {}): JsonReadResult {
  const read = readTextFile(path);
  if (read.kind === "missing") return read;
  const modified = new Date(read.mark?.modifiedMs ?? 0);
  if (read.kind === "unreadable") return { kind: "broken", message: read.message, text: null, modified };
  const { text } = read;
  try {
    const value: unknown = JSON.parse(omits === undefined ? text : text.replace(omits, ""));
    if (isJsonObject(value)) {
      return { kind: "object", object: value as Readonly<Record<string, unknown>>, text, modified };
    }
    return { kind: "broken", message: "Expected a JSON object", text, modified };
  } catch (error) {
    return { kind: "broken", message: `Invalid JSON: ${(error as Error).message}`, text, modified };
  }
}

/** Returns a field if it is a non-empty text, else null. */
export function getTextField(object: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = object[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns a field as a time; null if it is not a text with a valid time. */
export function getTimeField(object: Readonly<Record<string, unknown>>, name: string): Date | null {
  const text = getTextField(object, name);
  const time = text === null ? null : new Date(text);
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}

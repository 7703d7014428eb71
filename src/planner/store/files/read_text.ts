import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { MAX_SPEC_BYTES } from "../../limits.ts";
import { leadsOutside } from "../project/project_bounds.ts";
import { decodeText } from "./decode_text.ts";
import { errorCode, isMissing, reason } from "./disk_error.ts";
import { type FileMark, markOf } from "./file_mark.ts";

/** Result of reading a file. `missing` means that no file of this name exists now. */
export type TextRead =
  | { readonly kind: "text"; readonly text: string; readonly mark: FileMark; readonly mode: number }
  | { readonly kind: "missing" }
  | {
      readonly kind: "unreadable";
      readonly line: number | null;
      readonly column: number | null;
      readonly message: string;
      /** State of the file; null if even that could not be read. */
      readonly mark: FileMark | null;
    };

/** Flags that open a named pipe without waiting for its other end. Windows has neither the flag nor such files. */
export const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

// One buffer for every read: a spec fits, and allocating 10,000 buffers would cost more than reading does.
let buffer = Buffer.alloc(0);

/**
 * Reads one spec file. Never throws. Opens only regular files and links to them.
 *
 * @param isRegular true when the folder's listing has just reported a regular file, which saves a system call
 */
export function readText(path: string, isRegular = false): TextRead {
  try {
    if (!isRegular) {
      const stats = statSync(path);
      if (!stats.isFile()) return unreadableText(kindOf(stats), stats);
    }
    return readOpened(path);
  } catch (error) {
    return failedRead(path, error);
  }
}

/**
 * Reads one file of the project at `root`. Does not follow a link that leads out of the project.
 *
 * @param file path from the root
 * @param isRegular as for `readText`
 */
export function readProjectText(root: string, file: string, isRegular = false): TextRead {
  const path = join(root, file);
  if (isRegular || !leadsOutside(root, path)) return readText(path, isRegular);
  return { ...NOWHERE, message: "It is a symbolic link that leads out of the project", mark: null };
}

function readOpened(path: string): TextRead {
  const descriptor = openSync(path, READ_WITHOUT_WAITING);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return unreadableText(kindOf(stats), stats);
    if (stats.size > MAX_SPEC_BYTES) return unreadableText(tooLarge(stats.size), stats);
    const bytes = readAll(descriptor, stats.size);
    if (bytes === undefined) return unreadableText(tooLarge(MAX_SPEC_BYTES + 1), stats);
    const decoded = decodeText(bytes);
    if (decoded.ok) return { kind: "text", text: decoded.text, mark: markOf(stats), mode: stats.mode & 0o7777 };
    return { ...decoded, kind: "unreadable", mark: markOf(stats) };
  } finally {
    closeSync(descriptor);
  }
}

/** Reads up to the file's end, even if the file grows meanwhile; undefined once it is too large. */
function readAll(descriptor: number, expected: number): Uint8Array | undefined {
  if (buffer.length <= expected) buffer = Buffer.allocUnsafeSlow(Math.max(64 * 1024, expected * 2));
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    // A short read of a regular file means its end; another read would double the system calls.
    if (count === 0 || (length === expected && length < buffer.length)) return buffer.subarray(0, length);
    if (length > MAX_SPEC_BYTES) return undefined;
    if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}

/** Returns the error message for a file above the size limit. */
export function tooLarge(size: number): string {
  return `File of ${size} bytes is not read: expected at most ${MAX_SPEC_BYTES}`;
}

function failedRead(path: string, error: unknown): TextRead {
  if (!isMissing(error)) return { ...NOWHERE, message: sentence(reason(error)), mark: null };
  try {
    // The name may exist although the file does not: a link to a missing file.
    if (!lstatSync(path).isSymbolicLink()) return readText(path);
    return { ...NOWHERE, message: "It is a symbolic link to a file that does not exist", mark: null };
  } catch (again) {
    return errorCode(again) === "ENOENT"
      ? { kind: "missing" }
      : { ...NOWHERE, message: sentence(reason(again)), mark: null };
  }
}

const NOWHERE = { kind: "unreadable", line: null, column: null } as const;

function unreadableText(message: string, stats: Stats): TextRead {
  return { ...NOWHERE, message, mark: markOf(stats) };
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "It is a folder: expected a file";
  if (stats.isFIFO()) return "It is a named pipe: expected a file";
  if (stats.isSocket()) return "It is a socket: expected a file";
  return "It is a device: expected a file";
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

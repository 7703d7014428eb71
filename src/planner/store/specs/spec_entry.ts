import { buildSpec } from "../../spec/build_spec.ts";
import { parseDocument } from "../../spec/document.ts";
import type { Spec, UnreadableFile } from "../../spec/spec.ts";
import { type FileMark, isSameMark, isUnsettledMark, readFileMark } from "../files/file_mark.ts";
import { readProjectText, type TextReadResult } from "../files/read_text.ts";
import { parseIdFromName } from "./folder_names.ts";

export interface SpecEntry {
  /** Mark of the file; null if its metadata could not be read. */
  readonly mark: FileMark | null;
  /** Whether an equal mark proves later that the file has not changed. */
  readonly settled: boolean;
  /** The text that was parsed into `content`; null if it could not be read. */
  readonly text: string | null;
  readonly content: Spec | UnreadableFile;
}

/** Location of a file: `file` is its path from `root`, `path` the absolute one. */
export interface SpecFileLocation {
  readonly root: string;
  readonly name: string;
  readonly file: string;
  readonly path: string;
  readonly archived: boolean;
}

/** Returns whether the file's metadata proves that it has not changed. Cost: one system call. */
export function isCurrentEntry(entry: SpecEntry, path: string): boolean {
  if (entry.mark === null || !entry.settled) return false;
  const mark = readFileMark(path);
  return mark !== null && isSameMark(mark, entry.mark);
}

export function isParsedSpec(content: Spec | UnreadableFile): content is Spec {
  return "id" in content;
}

/**
 * Reads one file; undefined when it does not exist.
 *
 * @param isRegular true when the folder's listing has just reported a regular file
 * @param known the earlier entry, whose content object is reused when the text did not change
 */
export function readSpecEntry(place: SpecFileLocation, isRegular: boolean, known?: SpecEntry): SpecEntry | undefined {
  const now = Date.now();
  const read = readProjectText(place.root, place.file, isRegular);
  if (read.kind === "missing") {
    // A name that is not UTF-8 is listed with replacement characters, and no file can be opened by it.
    if (!place.name.includes("\uFFFD")) return undefined;
    return { mark: null, settled: false, text: null, content: buildUnreadableEntry(place, NOT_UTF8_NAME_MESSAGE) };
  }
  const text = read.kind === "text" ? read.text : null;
  return {
    mark: read.mark,
    settled: read.mark !== null && !isUnsettledMark(read.mark, now),
    text,
    content: text !== null && text === known?.text ? known.content : parseEntryContent(place, read),
  };
}

const NOT_UTF8_NAME_MESSAGE = 'The file\'s name is not valid UTF-8: expected a spec id and ".md"';
const INVALID_ID_NAME_MESSAGE = "The file's name cannot be a spec id: expected at most 200 characters and no backslash";

function parseEntryContent(
  place: SpecFileLocation,
  read: Exclude<TextReadResult, { kind: "missing" }>,
): Spec | UnreadableFile {
  if (read.kind === "unreadable")
    return { file: place.file, line: read.line, column: read.column, message: read.message };
  const id = parseIdFromName(place.name);
  if (id === undefined) return buildUnreadableEntry(place, INVALID_ID_NAME_MESSAGE);
  const document = parseDocument(read.text);
  if (!document.ok) return { file: place.file, ...document.problem };
  return buildSpec({ id, file: place.file, archived: place.archived }, document);
}

function buildUnreadableEntry({ file }: SpecFileLocation, message: string): UnreadableFile {
  return { file, line: null, column: null, message };
}

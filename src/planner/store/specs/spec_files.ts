import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildSpec, parseDocument } from "../../spec/document.ts";
import type { Spec, SpecSet, UnreadableFile } from "../../spec/spec.ts";
import { parseSpecId, parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError, getErrorCode } from "../files/disk_error.ts";
import {
  buildFileMark,
  type FileMark,
  isSameMark,
  isUnsettledMark,
  readFileMark,
  readProjectText,
  type TextReadResult,
} from "../files/read_text.ts";

interface SpecFilesOptions {
  readonly root: string;
  /** Path of the folder from the root, with forward slashes. */
  readonly folder: string;
  readonly archived: boolean;
  readonly names: FolderNames;
}

/**
 * The parsed files of one folder, kept between reads. Each read lists the folder, checks the metadata of every file and
 * parses only changed files.
 */
export class SpecFiles {
  readonly #options: SpecFilesOptions;
  readonly #path: string;
  readonly #entries = new Map<string, SpecEntry>();
  /** File names sorted by their ids, kept because sorting takes longer than all other work after one change. */
  #order: readonly string[] | undefined;
  #set: SpecSet | undefined;

  constructor(options: SpecFilesOptions) {
    this.#options = options;
    this.#path = join(options.root, options.folder);
  }

  /**
   * Returns the specs sorted by id; the same object as before if nothing changed. Cost: one system call per file, one
   * read per changed file.
   *
   * @throws OperationError for a folder that cannot be read
   */
  readSpecs(): SpecSet {
    const { entries } = this.#options.names.readListing();
    for (const name of [...this.#entries.keys()]) if (!entries.has(name)) this.#removeEntry(name);
    for (const [name, { isRegular }] of entries) {
      const known = this.#entries.get(name);
      if (known === undefined || !isCurrentEntry(known, `${this.#path}/${name}`))
        this.#updateEntry(name, isRegular, known);
    }
    this.#set ??= this.#collectSpecs();
    return this.#set;
  }

  #updateEntry(name: string, isRegular: boolean, known: SpecEntry | undefined): void {
    const { root, folder, archived } = this.#options;
    const place = { root, name, file: `${folder}/${name}`, path: `${this.#path}/${name}`, archived };
    const entry = readSpecEntry(place, isRegular, known);
    if (entry === undefined) {
      this.#removeEntry(name);
      return;
    }
    this.#entries.set(name, entry);
    if (known === undefined) this.#order = undefined;
    if (entry.content !== known?.content) this.#set = undefined;
  }

  #removeEntry(name: string): void {
    if (!this.#entries.delete(name)) return;
    this.#order = undefined;
    this.#set = undefined;
  }

  #collectSpecs(): SpecSet {
    // A file name's stem counts as an id here, even an invalid one.
    this.#order ??= sortItemsById(
      Array.from(this.#entries.keys(), (name) => ({ id: name.slice(0, -SPEC_EXTENSION.length) as SpecId, name })),
    ).map(({ name }) => name);
    const specs: Spec[] = [];
    const unreadable: UnreadableFile[] = [];
    for (const name of this.#order) {
      const content = this.#entries.get(name)?.content;
      if (content === undefined) continue;
      if (isParsedSpec(content)) specs.push(content);
      else unreadable.push(content);
    }
    return { specs, unreadable };
  }
}

interface SpecEntry {
  /** Mark of the file; null if its metadata could not be read. */
  readonly mark: FileMark | null;
  /** Whether an equal mark proves later that the file has not changed. */
  readonly settled: boolean;
  /** The text that was parsed into `content`; null if it could not be read. */
  readonly text: string | null;
  readonly content: Spec | UnreadableFile;
}

/** Location of a file: `file` is its path from `root`, `path` the absolute one. */
interface SpecFileLocation {
  readonly root: string;
  readonly name: string;
  readonly file: string;
  readonly path: string;
  readonly archived: boolean;
}

/** Returns whether the file's metadata proves that it has not changed. Cost: one system call. */
function isCurrentEntry(entry: SpecEntry, path: string): boolean {
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

const SPEC_EXTENSION = ".md";

/** Returns the id in a file's name; undefined if the name is not a valid id. */
function parseIdFromName(name: string): SpecId | undefined {
  // A name that is not UTF-8 arrives with replacement characters, and no file can be opened by it.
  return name.includes("\uFFFD") ? undefined : parseSpecId(name.slice(0, -SPEC_EXTENSION.length));
}

/** Contents of a folder. Entries keep the folder's order; ids are sorted. */
export interface FolderListing {
  readonly entries: ReadonlyMap<string, { readonly isRegular: boolean }>;
  readonly ids: readonly SpecId[];
  /** Names of sub-folders, sorted. */
  readonly folders: readonly string[];
  /** Sorted names of files that end in `.MD` or another spelling of `.md`. */
  readonly misspelt: readonly string[];
}

const EMPTY_LISTING: FolderListing = { entries: new Map(), ids: [], folders: [], misspelt: [] };

/** The names in a folder. Lists it again only if its metadata has changed, as creation, removal and renaming do. */
export class FolderNames {
  readonly #root: string;
  readonly #folder: string;
  #listing = EMPTY_LISTING;
  #mark: FileMark | undefined;
  #isSettled = false;

  /** @param folder path from the root, with forward slashes */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /**
   * Returns the current names; empty without a folder. Returns the same object as before if nothing has changed.
   *
   * @throws OperationError for a folder that cannot be read
   */
  readListing(): FolderListing {
    const path = join(this.#root, this.#folder);
    try {
      const now = Date.now();
      const mark = buildFileMark(statSync(path));
      if (this.#isSettled && this.#mark !== undefined && isSameMark(mark, this.#mark)) return this.#listing;
      this.#listing = buildFolderListing(readdirSync(path, { withFileTypes: true }));
      this.#mark = mark;
      this.#isSettled = !isUnsettledMark(mark, now);
    } catch (error) {
      if (getErrorCode(error) !== "ENOENT") throw convertToDiskError(`read "${this.#folder}"`, error);
      this.#listing = EMPTY_LISTING;
      this.#isSettled = false;
    }
    return this.#listing;
  }
}

function buildFolderListing(found: readonly Dirent[]): FolderListing {
  const entries = new Map<string, { readonly isRegular: boolean }>();
  const ids: { readonly id: SpecId }[] = [];
  const folders: string[] = [];
  const misspelt: string[] = [];
  for (const entry of found) {
    const { name } = entry;
    if (!name.endsWith(SPEC_EXTENSION) || name.startsWith(".")) {
      if (entry.isDirectory()) folders.push(name);
      else if (name.toLowerCase().endsWith(SPEC_EXTENSION) && !name.startsWith(".")) misspelt.push(name);
      continue;
    }
    entries.set(name, entry.isFile() ? REGULAR_FILE_ENTRY : OTHER_ENTRY);
    const id = parseIdFromName(name);
    if (id !== undefined) ids.push({ id });
  }
  return { entries, ids: sortItemsById(ids).map(({ id }) => id), folders: folders.sort(), misspelt: misspelt.sort() };
}

// All entries share these two objects, which saves ten thousand allocations.
const REGULAR_FILE_ENTRY = { isRegular: true } as const;
const OTHER_ENTRY = { isRegular: false } as const;

const PLAIN_ID_PATTERN = /^\d{4}-\d{2}-\d{2}-[0-9a-z]{3}-[0-9a-z]+$/;

/** Number of digits to which a member number is padded; no id is longer. */
const MEMBER_DIGITS = 200;

/**
 * Sorts items by id in the order of `compareSpecIds`. Parses each id at most once and most not at all, because
 * comparing 10,000 ids pair by pair takes longer than reading their files.
 */
export function sortItemsById<Item extends { readonly id: SpecId }>(items: Iterable<Item>): Item[] {
  const keyed = Array.from(items, (item) => ({ key: buildSortKey(item.id), item }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ item }) => item);
}

/** Returns a text whose order by code units is the order of ids. */
function buildSortKey(id: SpecId): string {
  if (PLAIN_ID_PATTERN.test(id)) return id;
  const parts = parseSpecIdParts(id);
  // "~" sorts after every digit, so that ids of another form come last.
  if (parts === undefined) return `~${id}`;
  const members = parts.members.map((member) => `.${BigInt(member).toString().padStart(MEMBER_DIGITS, "0")}`);
  // NUL sorts before every other character, so a parent precedes its members. The id itself distinguishes `.1` from
  // `.01`.
  return `${id.slice(0, id.indexOf("."))}${members.join("")}\0${id}`;
}

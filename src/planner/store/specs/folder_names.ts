import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseSpecId, parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError, getErrorCode } from "../files/disk_error.ts";
import { buildFileMark, type FileMark, isSameMark, isUnsettledMark } from "../files/file_mark.ts";

const SPEC_EXTENSION = ".md";

/** Returns whether a file name in a specs folder is a spec's: it ends in `.md` and does not start with a dot. */
export function isSpecName(name: string): boolean {
  return name.endsWith(SPEC_EXTENSION) && !name.startsWith(".");
}

/** Returns the id in a file's name; undefined if the name is not a valid id. */
export function parseIdFromName(name: string): SpecId | undefined {
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
    if (!isSpecName(name)) {
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

import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseSpecId, parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";
import { diskRefusal, errorCode } from "../files/disk_error.ts";
import { type FileMark, isUnsettled, markOf, sameMark } from "../files/file_mark.ts";

const EXTENSION = ".md";

/** Whether an entry of a specs folder is a spec by its name: hidden entries and other kinds of file are not. */
export function isSpecName(name: string): boolean {
  return name.endsWith(EXTENSION) && !name.startsWith(".");
}

/** The id that a file's name gives; undefined where the name can be no id. */
export function idOfName(name: string): SpecId | undefined {
  // A name that is not UTF-8 arrives with replacement characters and leads to no file.
  return name.includes("\uFFFD") ? undefined : parseSpecId(name.slice(0, -EXTENSION.length));
}

/** What a folder lists. Entries are in the folder's own order, ids are sorted. */
export interface Listing {
  readonly entries: ReadonlyMap<string, { readonly isRegular: boolean }>;
  readonly ids: readonly SpecId[];
  /** Names of sub-folders, sorted. */
  readonly folders: readonly string[];
  /** Names of files that end with `.MD` or another spelling of `.md`, sorted. */
  readonly misspelt: readonly string[];
}

const EMPTY: Listing = { entries: new Map(), ids: [], folders: [], misspelt: [] };

/**
 * The names in one folder. They are listed again only when the folder's own state says that they changed: every
 * creation, removal and renaming changes it.
 */
export class FolderNames {
  readonly #root: string;
  readonly #folder: string;
  #listing = EMPTY;
  #mark: FileMark | undefined;
  #settled = false;

  /** @param folder path from the root, with forward slashes */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /**
   * The names as they are now; none where there is no folder. The same object as before when nothing changed.
   *
   * @throws OperationError for a folder that cannot be read
   */
  read(): Listing {
    const path = join(this.#root, this.#folder);
    try {
      const now = Date.now();
      const mark = markOf(statSync(path));
      if (this.#settled && this.#mark !== undefined && sameMark(mark, this.#mark)) return this.#listing;
      this.#listing = toListing(readdirSync(path, { withFileTypes: true }));
      this.#mark = mark;
      this.#settled = !isUnsettled(mark, now);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw diskRefusal(`read "${this.#folder}"`, error);
      this.#listing = EMPTY;
      this.#settled = false;
    }
    return this.#listing;
  }
}

function toListing(found: readonly Dirent[]): Listing {
  const entries = new Map<string, { readonly isRegular: boolean }>();
  const ids: { readonly id: SpecId }[] = [];
  const folders: string[] = [];
  const misspelt: string[] = [];
  for (const entry of found) {
    const { name } = entry;
    if (!isSpecName(name)) {
      if (entry.isDirectory()) folders.push(name);
      else if (name.toLowerCase().endsWith(EXTENSION) && !name.startsWith(".")) misspelt.push(name);
      continue;
    }
    entries.set(name, entry.isFile() ? REGULAR : OTHER);
    const id = idOfName(name);
    if (id !== undefined) ids.push({ id });
  }
  return { entries, ids: sortById(ids).map(({ id }) => id), folders: folders.sort(), misspelt: misspelt.sort() };
}

// Shared, so that ten thousand entries cost no object each.
const REGULAR = { isRegular: true } as const;
const OTHER = { isRegular: false } as const;

const PLAIN = /^\d{4}-\d{2}-\d{2}-[0-9a-z]{3}-[0-9a-z]+$/;

/** Digits that a member number is filled up to: no id is longer. */
const MEMBER_DIGITS = 200;

/**
 * Sorts what carries ids in the order of `compareSpecIds`, taking each id apart once and most not at all: comparing
 * 10,000 ids pair by pair takes longer than reading their files.
 */
export function sortById<Item extends { readonly id: SpecId }>(items: Iterable<Item>): Item[] {
  const keyed = Array.from(items, (item) => ({ key: sortKey(item.id), item }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ item }) => item);
}

/** A text whose code units order as the id does. */
function sortKey(id: SpecId): string {
  if (PLAIN.test(id)) return id;
  const parts = parseSpecIdParts(id);
  // "~" comes behind every digit, so that ids of another shape come last.
  if (parts === undefined) return `~${id}`;
  const members = parts.members.map((member) => `.${BigInt(member).toString().padStart(MEMBER_DIGITS, "0")}`);
  // NUL comes before every other character: a parent before its members. The id itself parts `.1` from `.01`.
  return `${id.slice(0, id.indexOf("."))}${members.join("")}\0${id}`;
}

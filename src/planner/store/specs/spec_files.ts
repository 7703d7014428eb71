import { join } from "node:path";
import type { SpecSet } from "../../ports.ts";
import type { Spec, UnreadableFile } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { type FolderNames, isSpecName, type Listing } from "./folder_names.ts";
import { sortById } from "./sort_ids.ts";
import { type EntryPlace, isCurrent, isSpec, readEntry, type SpecEntry } from "./spec_entry.ts";

export interface SpecFilesOptions {
  readonly root: string;
  /** Path from the root, with forward slashes. */
  readonly folder: string;
  readonly archived: boolean;
  readonly names: FolderNames;
}

/**
 * The parsed files of one folder, kept between reads. Nothing here follows the disk by itself: `checkAll` and `check`
 * bring files up to date and read only what changed.
 */
export class SpecFiles {
  readonly #options: SpecFilesOptions;
  readonly #entries = new Map<string, SpecEntry>();
  /** Names whose files are looked at every time, whatever the folder's events say. */
  readonly #doubtful = new Set<string>();
  /** The names in the order of their ids; sorting takes longer than everything else that one change costs. */
  #order: readonly string[] | undefined;
  #set: SpecSet | undefined;

  constructor(options: SpecFilesOptions) {
    this.#options = options;
  }

  /** Everything known, sorted by id. The same object as before when nothing changed. */
  get set(): SpecSet {
    this.#set ??= this.#collect();
    return this.#set;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Lists the folder and looks at every file. Cost: one system call a file where nothing changed. */
  checkAll(): void {
    for (const [name, { isRegular }] of this.#list()) this.#check(name, isRegular);
  }

  /** Lists the folder and reads the files that are new in it. Cost: one system call where no name changed. */
  checkNames(): void {
    for (const [name, { isRegular }] of this.#list()) if (!this.#entries.has(name)) this.#read(name, isRegular);
  }

  /** Reads the named files, looks at the doubtful ones, and forgets a name that leads to no file. */
  check(names: Iterable<string>): void {
    for (const name of names) if (isSpecName(name)) this.#read(name, false);
    for (const name of [...this.#doubtful]) this.#check(name, false);
  }

  /** Looks at the `count` known files from the `from`th on. */
  checkSome(from: number, count: number): void {
    for (const name of [...this.#entries.keys()].slice(from, from + count)) this.#check(name, false);
  }

  /** The names that there are; all others are forgotten. */
  #list(): Listing["entries"] {
    const { entries } = this.#options.names.read();
    for (const name of [...this.#entries.keys()]) if (!entries.has(name)) this.#remove(name);
    return entries;
  }

  #check(name: string, isRegular: boolean): void {
    const known = this.#entries.get(name);
    if (known === undefined || !isCurrent(known, this.#place(name).path)) this.#read(name, isRegular);
  }

  #read(name: string, isRegular: boolean): void {
    const known = this.#entries.get(name);
    const entry = readEntry(this.#place(name), isRegular, known);
    if (entry === undefined) {
      this.#remove(name);
      return;
    }
    this.#entries.set(name, entry);
    if (entry.linked || !entry.settled) this.#doubtful.add(name);
    else this.#doubtful.delete(name);
    if (known === undefined) this.#order = undefined;
    if (entry.content !== known?.content) this.#set = undefined;
  }

  #remove(name: string): void {
    this.#doubtful.delete(name);
    if (!this.#entries.delete(name)) return;
    this.#order = undefined;
    this.#set = undefined;
  }

  #place(name: string): EntryPlace {
    const { root, folder, archived } = this.#options;
    const file = `${folder}/${name}`;
    return { root, name, file, path: join(root, file), archived };
  }

  #collect(): SpecSet {
    this.#order ??= sortById(Array.from(this.#entries.keys(), named)).map(({ name }) => name);
    const specs: Spec[] = [];
    const unreadable: UnreadableFile[] = [];
    for (const name of this.#order) {
      const content = this.#entries.get(name)?.content;
      if (content === undefined) continue;
      if (isSpec(content)) specs.push(content);
      else unreadable.push(content);
    }
    return { specs, unreadable };
  }
}

/** A name that can be no id stands where its text would. */
function named(name: string): { readonly id: SpecId; readonly name: string } {
  return { id: name.slice(0, -".md".length) as SpecId, name };
}

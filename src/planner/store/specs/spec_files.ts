import { join } from "node:path";
import type { SpecSet } from "../../ports.ts";
import type { Spec, UnreadableFile } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { type FolderNames, sortItemsById } from "./folder_names.ts";
import { isCurrentEntry, isParsedSpec, readSpecEntry, type SpecEntry } from "./spec_entry.ts";

export interface SpecFilesOptions {
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
    this.#order ??= sortItemsById(Array.from(this.#entries.keys(), buildSortItem)).map(({ name }) => name);
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

/** Returns a file name with its stem as an id, even an invalid one, as `sortItemsById` requires. */
function buildSortItem(name: string): { readonly id: SpecId; readonly name: string } {
  return { id: name.slice(0, -".md".length) as SpecId, name };
}

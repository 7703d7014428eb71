import type { SpecSet } from "../../ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { ARCHIVE_FOLDER } from "../project/places.ts";
import { type FolderListing, FolderNames, sortItemsById } from "./folder_names.ts";
import { SpecFiles } from "./spec_files.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

interface Folder {
  readonly names: FolderNames;
  readonly files: SpecFiles;
}

/**
 * Archived specs: `archive/<id>.md` and `archive/<day>/<id>.md`. Cost: one system call per folder for ids, one per file
 * for specs, and one read per changed file.
 */
export class ArchiveIndex {
  readonly #root: string;
  readonly #folders = new Map<string, Folder>();
  #listings: readonly FolderListing[] = [];
  #ids: ReadonlySet<SpecId> = new Set();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the current ids; the same object as before when nothing changed. */
  ids(): ReadonlySet<SpecId> {
    const listings = this.#paths().map((path) => this.#folder(path).names.read());
    const same = listings.length === this.#listings.length && listings.every((one, at) => one === this.#listings[at]);
    if (!same) {
      this.#listings = listings;
      this.#ids = new Set(listings.flatMap(({ ids }) => ids));
    }
    return this.#ids;
  }

  /** Returns the path of an archived spec's file from the root; undefined if the spec is not archived. */
  find(id: SpecId): string | undefined {
    const name = `${id}.md`;
    const folder = this.#paths().find((path) => this.#folder(path).names.read().entries.has(name));
    return folder === undefined ? undefined : `${folder}/${name}`;
  }

  read(): SpecSet {
    const sets = this.#paths().map((path) => this.#folder(path).files.read());
    return {
      specs: sortItemsById(sets.flatMap(({ specs }) => specs)),
      unreadable: sets.flatMap(({ unreadable }) => unreadable),
    };
  }

  /** Returns the archive folder and its folders of days. */
  #paths(): readonly string[] {
    const { folders } = this.#folder(ARCHIVE_FOLDER).names.read();
    const paths = [
      ARCHIVE_FOLDER,
      ...folders.filter((name) => DAY.test(name)).map((name) => `${ARCHIVE_FOLDER}/${name}`),
    ];
    for (const path of this.#folders.keys()) if (!paths.includes(path)) this.#folders.delete(path);
    return paths;
  }

  #folder(path: string): Folder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const names = new FolderNames(this.#root, path);
    const folder = { names, files: new SpecFiles({ root: this.#root, folder: path, archived: true, names }) };
    this.#folders.set(path, folder);
    return folder;
  }
}

import type { SpecSet } from "../../ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { ARCHIVE_FOLDER } from "../project/places.ts";
import { type FolderListing, FolderNames, sortItemsById } from "./folder_names.ts";
import { SpecFiles } from "./spec_files.ts";

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

interface ArchiveFolder {
  readonly names: FolderNames;
  readonly files: SpecFiles;
}

/**
 * Archived specs: `archive/<id>.md` and `archive/<day>/<id>.md`. Cost: one system call per folder for ids, one per file
 * for specs, and one read per changed file.
 */
export class ArchiveIndex {
  readonly #root: string;
  readonly #folders = new Map<string, ArchiveFolder>();
  #listings: readonly FolderListing[] = [];
  #ids: ReadonlySet<SpecId> = new Set();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the current ids; the same object as before when nothing changed. */
  readIds(): ReadonlySet<SpecId> {
    const listings = this.#listFolderPaths().map((path) => this.#getFolder(path).names.readListing());
    const same = listings.length === this.#listings.length && listings.every((one, at) => one === this.#listings[at]);
    if (!same) {
      this.#listings = listings;
      this.#ids = new Set(listings.flatMap(({ ids }) => ids));
    }
    return this.#ids;
  }

  /** Returns the path of an archived spec's file from the root; undefined if the spec is not archived. */
  findFile(id: SpecId): string | undefined {
    const name = `${id}.md`;
    const folder = this.#listFolderPaths().find((path) => this.#getFolder(path).names.readListing().entries.has(name));
    return folder === undefined ? undefined : `${folder}/${name}`;
  }

  readSpecs(): SpecSet {
    const sets = this.#listFolderPaths().map((path) => this.#getFolder(path).files.readSpecs());
    return {
      specs: sortItemsById(sets.flatMap(({ specs }) => specs)),
      unreadable: sets.flatMap(({ unreadable }) => unreadable),
    };
  }

  /** Returns the archive folder and its folders of days. */
  #listFolderPaths(): readonly string[] {
    const { folders } = this.#getFolder(ARCHIVE_FOLDER).names.readListing();
    const paths = [
      ARCHIVE_FOLDER,
      ...folders.filter((name) => DAY_PATTERN.test(name)).map((name) => `${ARCHIVE_FOLDER}/${name}`),
    ];
    for (const path of this.#folders.keys()) if (!paths.includes(path)) this.#folders.delete(path);
    return paths;
  }

  #getFolder(path: string): ArchiveFolder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const names = new FolderNames(this.#root, path);
    const folder = { names, files: new SpecFiles({ root: this.#root, folder: path, archived: true, names }) };
    this.#folders.set(path, folder);
    return folder;
  }
}

import { existsSync, lstatSync, statSync } from "node:fs";
import { lstat, readlink, realpath, rename, symlink, unlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import type { EditOutcome, NewMembers, NewSpecText, SpecSet, SpecStore, StrayEntry } from "../../ports.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError, isMissingError } from "../files/disk_error.ts";
import { runInOpenFolder } from "../files/open_folder.ts";
import { removeLeftoverFiles, syncFolder } from "../files/place_file.ts";
import { readProjectText } from "../files/read_text.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { ARCHIVE_FOLDER, buildActivePath, buildArchivePath, SPECS_FOLDER } from "../project/places.ts";
import {
  createMembers,
  createSpec,
  createSpecs,
  editSpec,
  editSpecs,
  findPendingSplit,
  finishSplit,
} from "./edit_spec.ts";
import {
  type FolderListing,
  FolderNames,
  isParsedSpec,
  readSpecEntry,
  SpecFiles,
  sortItemsById,
} from "./spec_files.ts";

/** Opens the spec files below `root`, an absolute path. Reads no file before the first call. */
export function openSpecStore(root: string): SpecStore {
  return new FileSpecStore(root);
}

class FileSpecStore implements SpecStore {
  readonly #root: string;
  readonly #names: FolderNames;
  readonly #active: SpecFiles;
  readonly #archive: ArchiveIndex;
  #hasRemovedLeftovers = false;

  constructor(root: string) {
    this.#root = root;
    this.#names = new FolderNames(root, SPECS_FOLDER);
    this.#active = new SpecFiles({ root, folder: SPECS_FOLDER, archived: false, names: this.#names });
    this.#archive = new ArchiveIndex(root);
  }

  async listIds(): Promise<readonly SpecId[]> {
    await this.#finishPendingSplit();
    return this.#names.readListing().ids;
  }

  async listArchivedIds(): Promise<ReadonlySet<SpecId>> {
    return this.#archive.readIds();
  }

  async readActive(): Promise<SpecSet> {
    await this.#finishPendingSplit();
    return this.#active.readSpecs();
  }

  async readArchived(): Promise<SpecSet> {
    return this.#archive.readSpecs();
  }

  async listStrays(): Promise<readonly StrayEntry[]> {
    const { folders, misspelt } = this.#names.readListing();
    return [
      ...folders
        .filter((name) => !name.startsWith("."))
        .map((name) => ({ file: `${SPECS_FOLDER}/${name}`, kind: "folder" }) as const),
      ...misspelt.map((name) => ({ file: `${SPECS_FOLDER}/${name}`, kind: "upper_case_ending" }) as const),
    ];
  }

  async load(id: SpecId): Promise<Spec> {
    const root = this.#root;
    const { file, archived } = this.#findFile(id);
    const entry = readSpecEntry({ root, name: `${id}.md`, file, path: join(root, file), archived }, false);
    if (entry === undefined) throw buildNotFoundError(id);
    const { content } = entry;
    if (isParsedSpec(content)) return content;
    throw buildUnreadableError(file, content);
  }

  async readText(id: SpecId): Promise<{ readonly file: string; readonly text: string }> {
    const { file } = this.#findFile(id);
    const read = readProjectText(this.#root, file);
    if (read.kind === "missing") throw buildNotFoundError(id);
    if (read.kind === "unreadable") throw buildUnreadableError(file, read);
    return { file, text: read.text };
  }

  async readModifiedTime(id: SpecId): Promise<Date> {
    const { file } = this.#findFile(id);
    try {
      return statSync(join(this.#root, file)).mtime;
    } catch (error) {
      throw isMissingError(error) ? buildNotFoundError(id) : convertToDiskError(`read "${file}"`, error);
    }
  }

  edit(id: SpecId, change: (text: string) => string): Promise<boolean> {
    return this.#runLocked(() => {
      this.#requireActive(id);
      return editSpec(this.#root, id, change);
    });
  }

  editSpecs(
    ids: Iterable<SpecId>,
    change: (text: string, id: SpecId) => string,
  ): Promise<ReadonlyMap<SpecId, EditOutcome>> {
    return this.#runLocked(async () => {
      const refused = new Map<SpecId, EditOutcome>();
      const active = [...ids].filter((id) => {
        try {
          this.#requireActive(id);
          return true;
        } catch (error) {
          if (!(error instanceof OperationError)) throw error;
          refused.set(id, error);
          return false;
        }
      });
      return new Map([...refused, ...(await editSpecs(this.#root, active, change))]);
    });
  }

  create(day: string, build: (id: SpecId) => string): Promise<SpecId> {
    return this.#runLocked(() => {
      const taken = [...this.#names.readListing().ids, ...this.#archive.readIds()];
      return createSpec(this.#root, { day, existingIds: taken, build });
    });
  }

  createSpecs(specs: readonly NewSpecText[]): Promise<ReadonlyMap<SpecId, EditOutcome>> {
    return this.#runLocked(() => {
      const archived = this.#archive.readIds();
      return createSpecs(this.#root, specs, (id) => archived.has(id) || hasFile(this.#root, buildActivePath(id)));
    });
  }

  createMembers(parent: SpecId, split: NewMembers): Promise<void> {
    return this.#runLocked(async () => {
      this.#requireActive(parent);
      const taken = split.members.find(
        ({ id }) => hasFile(this.#root, buildActivePath(id)) || this.#archive.findFile(id),
      );
      if (taken !== undefined) throw new OperationError("already_exists", `Spec "${taken.id}" is there already`);
      await createMembers(this.#root, parent, split);
    });
  }

  moveToArchive(id: SpecId, admit?: (spec: Spec) => void): Promise<string> {
    return this.#runLocked(async () => {
      this.#requireActive(id);
      admit?.(await this.load(id));
      const file = this.#archive.findFile(id);
      if (file === undefined) return archiveSpec(this.#root, id);
      throw new OperationError("already_exists", `Cannot archive spec "${id}": the archive holds "${file}"`);
    });
  }

  #runLocked<Result>(task: () => Promise<Result>): Promise<Result> {
    return runWithProjectLock(this.#root, async () => {
      if (!this.#hasRemovedLeftovers) await removeLeftoverFiles(join(this.#root, SPECS_FOLDER));
      this.#hasRemovedLeftovers = true;
      await finishSplit(this.#root);
      return task();
    });
  }

  /** Waits for a split in progress, and finishes one that a kill interrupted, so that no reader sees half a split. */
  async #finishPendingSplit(): Promise<void> {
    if (findPendingSplit(this.#root) === null) return;
    try {
      await runWithProjectLock(this.#root, () => finishSplit(this.#root));
    } catch (error) {
      // Without write access, reads the files as they are.
      if (!(error instanceof OperationError)) throw error;
    }
  }

  #findFile(id: SpecId): { readonly file: string; readonly archived: boolean } {
    const active = buildActivePath(id);
    if (hasFile(this.#root, active)) return { file: active, archived: false };
    const archived = this.#archive.findFile(id);
    if (archived !== undefined) return { file: archived, archived: true };
    throw buildNotFoundError(id);
  }

  #requireActive(id: SpecId): void {
    const { archived, file } = this.#findFile(id);
    if (archived)
      throw new OperationError("failed_precondition", `Spec "${id}" is archived: "${file}" does not change`);
  }
}

/** Returns whether the file exists, including a link to a missing file. */
function hasFile(root: string, file: string): boolean {
  try {
    lstatSync(join(root, file));
    return true;
  } catch (error) {
    if (isMissingError(error)) return false;
    throw convertToDiskError(`read "${file}"`, error);
  }
}

function buildNotFoundError(id: SpecId): OperationError {
  return new OperationError("not_found", `Spec not found: ${id}`);
}

function buildUnreadableError(
  file: string,
  { line, column, message }: { readonly line: number | null; readonly column: number | null; readonly message: string },
): OperationError {
  return new OperationError(
    "failed_precondition",
    line === null ? `${file}: ${message}` : `${file}:${line}:${column}: ${message}`,
  );
}

/**
 * Moves an active spec's file to the archive and returns its new path from the root. The caller must hold the project's
 * lock, and the archive must not contain the id.
 */
async function archiveSpec(root: string, id: SpecId): Promise<string> {
  const from = buildActivePath(id);
  const to = buildArchivePath(id);
  const [source, target] = [join(root, from), join(root, to)];
  try {
    await runInOpenFolder(source, (inside) =>
      runInOpenFolder(target, async (there) => {
        // Renaming would replace any file that has the name.
        if (existsSync(there)) throw new OperationError("already_exists", `Cannot archive "${from}": "${to}" exists`);
        await moveFile(inside, there);
      }),
    );
    await syncFolder(dirname(target));
    await syncFolder(dirname(source));
    return to;
  } catch (error) {
    throw convertToDiskError(`move "${from}" to "${to}"`, error);
  }
}

async function moveFile(source: string, target: string): Promise<void> {
  const isLink = (await lstat(source)).isSymbolicLink();
  if (!isLink || isAbsolute(await readlink(source))) return rename(source, target);
  // The target of a relative link depends on its folder, so the link is created again.
  await symlink(relative(await realpath(dirname(target)), await realpath(source)), target);
  await unlink(source);
}

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

interface ArchiveFolder {
  readonly names: FolderNames;
  readonly files: SpecFiles;
}

/**
 * Archived specs: `archive/<id>.md` and `archive/<day>/<id>.md`. Cost: one system call per folder for ids, one per file
 * for specs, and one read per changed file.
 */
class ArchiveIndex {
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

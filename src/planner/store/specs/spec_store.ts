import { existsSync, lstatSync, statSync } from "node:fs";
import { lstat, readlink, realpath, rename, symlink, unlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { Spec, SpecSet, StrayEntry } from "../../spec/spec.ts";
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
  type EditOutcome,
  editSpec,
  editSpecs,
  findPendingSplit,
  finishSplit,
  type NewMembers,
  type NewSpecText,
} from "./edit_spec.ts";
import {
  type FolderListing,
  FolderNames,
  isParsedSpec,
  readSpecEntry,
  SpecFiles,
  sortItemsById,
} from "./spec_files.ts";

/**
 * The spec files of one project. A read reflects every write of any process that was finished before it began.
 *
 * Errors are `OperationError`: `not_found` for an id without a file, `failed_precondition` with line and column for
 * a file that does not parse, `aborted` when a write lost against another writer.
 */
export class SpecStore {
  readonly #root: string;
  readonly #names: FolderNames;
  readonly #active: SpecFiles;
  readonly #archive: ArchiveIndex;
  #hasRemovedLeftovers = false;

  /** @param root an absolute path; no file is read before the first call */
  constructor(root: string) {
    this.#root = root;
    this.#names = new FolderNames(root, SPECS_FOLDER);
    this.#active = new SpecFiles({ root, folder: SPECS_FOLDER, archived: false, names: this.#names });
    this.#archive = new ArchiveIndex(root);
  }

  /** Ids of the files in `specs/`, sorted; reads no file. */
  async listIds(): Promise<readonly SpecId[]> {
    await this.#finishPendingSplit();
    return this.#names.readListing().ids;
  }

  /** Ids of the files in `archive/`; reads no file. */
  async listArchivedIds(): Promise<ReadonlySet<SpecId>> {
    return this.#archive.readIds();
  }

  /** Returns every active spec; the same object as before when nothing changed, so that derived data can be kept. */
  async readActive(): Promise<SpecSet> {
    await this.#finishPendingSplit();
    return this.#active.readSpecs();
  }

  async readArchived(): Promise<SpecSet> {
    return this.#archive.readSpecs();
  }

  /** Lists entries that are not read as specs: folders in `specs/`, and files that end with `.MD` or similar. */
  async listStrays(): Promise<readonly StrayEntry[]> {
    const { folders, misspelt } = this.#names.readListing();
    return [
      ...folders
        .filter((name) => !name.startsWith("."))
        .map((name) => ({ file: `${SPECS_FOLDER}/${name}`, kind: "folder" }) as const),
      ...misspelt.map((name) => ({ file: `${SPECS_FOLDER}/${name}`, kind: "upper_case_ending" }) as const),
    ];
  }

  /** One spec, active or archived, by its full id. */
  async load(id: SpecId): Promise<Spec> {
    const root = this.#root;
    const { file, archived } = this.#findFile(id);
    const entry = readSpecEntry({ root, name: `${id}.md`, file, path: join(root, file), archived }, false);
    if (entry === undefined) throw buildNotFoundError(id);
    const { content } = entry;
    if (isParsedSpec(content)) return content;
    throw buildUnreadableError(file, content);
  }

  /** The text of one file, active or archived, whether it parses or not. */
  async readText(id: SpecId): Promise<{ readonly file: string; readonly text: string }> {
    const { file } = this.#findFile(id);
    const read = readProjectText(this.#root, file);
    if (read.kind === "missing") throw buildNotFoundError(id);
    if (read.kind === "unreadable") throw buildUnreadableError(file, read);
    return { file, text: read.text };
  }

  /** Returns the time at which the file of a spec, active or archived, last changed. */
  async readModifiedTime(id: SpecId): Promise<Date> {
    const { file } = this.#findFile(id);
    try {
      return statSync(join(this.#root, file)).mtime;
    } catch (error) {
      throw isMissingError(error) ? buildNotFoundError(id) : convertToDiskError(`read "${file}"`, error);
    }
  }

  /**
   * Replaces an active spec's text by `change(text)`, atomically and without losing another writer's change: `change`
   * may be called again with newer text. Returns false and changes nothing when the text stays the same.
   */
  edit(id: SpecId, change: (text: string) => string): Promise<boolean> {
    return this.#runLocked(() => {
      this.#requireActive(id);
      return editSpec(this.#root, id, change);
    });
  }

  /**
   * Edits some dozens of specs as `edit` does, much faster than one by one. An error concerns only its spec. Other
   * writers wait meanwhile.
   */
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

  /** Creates a spec under the next free id of `day` (`YYYY-MM-DD`); no two processes get the same id. */
  create(day: string, build: (id: SpecId) => string): Promise<SpecId> {
    return this.#runLocked(() => {
      const taken = [...this.#names.readListing().ids, ...this.#archive.readIds()];
      return createSpec(this.#root, { day, existingIds: taken, build });
    });
  }

  /**
   * Creates some dozens of specs under ids of the caller's choice, much faster than one by one. Each spec is created
   * completely or not at all. Its outcome is false if the id is taken. Other writers wait meanwhile.
   */
  createSpecs(specs: readonly NewSpecText[]): Promise<ReadonlyMap<SpecId, EditOutcome>> {
    return this.#runLocked(() => {
      const archived = this.#archive.readIds();
      return createSpecs(this.#root, specs, (id) => archived.has(id) || hasFile(this.#root, buildActivePath(id)));
    });
  }

  /**
   * Creates the members of an active spec and changes the spec's own fields, or changes nothing if that fails. After a
   * kill, the next process that reads or writes specs completes the operation.
   *
   * @throws OperationError `already_exists` when there is a spec of a member's id, active or archived
   */
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

  /**
   * Moves an active spec to the archive; returns its new path from the root. Throws if the archive contains that id.
   *
   * @param admit receives the spec before the move and may throw; no other process writes between both
   */
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
    if (archived) throw createPreconditionError(`Spec "${id}" is archived: "${file}" does not change`);
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
  return createPreconditionError(line === null ? `${file}: ${message}` : `${file}:${line}:${column}: ${message}`);
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

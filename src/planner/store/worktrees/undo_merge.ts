import { lstatSync, readlinkSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import type { Git } from "../git/git.ts";

/** A file of the checkout that a merge will write or delete. Before it, the file is missing or as HEAD has it. */
interface MergedFile {
  readonly path: string;
  /** Hash of the version that the merge writes; null if it deletes the file. */
  readonly hash: string | null;
  readonly isNew: boolean;
}

/** What a fast-forward will do to a checkout. */
export interface ComingMerge {
  readonly head: string;
  readonly files: readonly MergedFile[];
}

/** Returns the files that a fast-forward to `commit` changes. Omits those that a person has changed or added. */
export async function readComingMerge(main: Git, commit: string): Promise<ComingMerge> {
  const head = await main.line(["rev-parse", "HEAD"]);
  const fields = await main.readEntries(["diff", "--raw", "--no-abbrev", "-z", "--no-renames", head, commit, "--"]);
  const changed = new Set(await main.readEntries(["diff", "--name-only", "-z", head, "--"]));
  const files: MergedFile[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, , , hash = "", status = ""] = (fields[index] ?? "").split(" ");
    const path = fields[index + 1] ?? "";
    const isNew = status === "A" && lstatSync(join(main.cwd, path), { throwIfNoEntry: false }) === undefined;
    if (isNew || (status !== "A" && !changed.has(path)))
      files.push({ path, hash: status === "D" ? null : hash, isNew });
  }
  return { head, files };
}

/** Takes back what a failed merge has done to files and index. A file that was changed meanwhile stays. */
export async function undoMerge(main: Git, { head, files }: ComingMerge): Promise<void> {
  // Another program has moved the branch, and may have brought these files.
  if ((await main.line(["rev-parse", "HEAD"])) !== head) return;
  const written: MergedFile[] = [];
  for (const file of files) if (await isWritten(main, file)) written.push(file);
  if (written.length === 0) return;
  const fromInput = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const list = (some: readonly MergedFile[]) => ({ input: some.map(({ path }) => `${path}\0`).join("") });
  await main.run(["reset", "--quiet", ...fromInput], list(written));
  const old = written.filter(({ isNew }) => !isNew);
  if (old.length > 0) await main.run(["checkout", "--quiet", "HEAD", ...fromInput], list(old));
  for (const { path } of written.filter(({ isNew }) => isNew)) await removeNewFile(main.cwd, path);
}

async function isWritten(main: Git, { path, hash }: MergedFile): Promise<boolean> {
  const file = join(main.cwd, path);
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined || hash === null) return facts === undefined && hash === null;
  if (facts.isSymbolicLink()) return readlinkSync(file) === (await main.run(["cat-file", "blob", hash]));
  return facts.isFile() && (await main.tryReadOutput(["hash-object", "--", path])) === hash;
}

/** Removes a file, and parent folders that are then empty. */
export async function removeNewFile(root: string, path: string): Promise<void> {
  await removeFileInOpenFolder(join(root, path));
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const isRemoved = await rmdir(join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}

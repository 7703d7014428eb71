import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseDocument } from "../../spec/document.ts";
import { editFields, type FieldChanges, type FieldValue } from "../../spec/edit/edit_fields.ts";
import { keepChecks } from "../../spec/edit/keep_checks.ts";
import { COMMIT_SUMMARIES, type CommitWriter } from "../../work/commit_message.ts";
import {
  ARCHIVE_FOLDER,
  LOCKS_FOLDER,
  LOGS_FOLDER,
  PROCESSES_FOLDER,
  SPECS_FOLDER,
  WATCH_PID_FILE,
  WORKTREES_FOLDER,
} from "../project/places.ts";
import { readFileBytes } from "./worktree_brought.ts";
import { commitPaths } from "./worktree_commits.ts";
import type { WorktreeLocation } from "./worktree_place.ts";
import { readBlobText } from "./worktree_rebase.ts";

/** Fields of other specs that a run may change. */
const PLANNING_FIELDS = ["depends_on", "labels", "target_files", "priority", "assignee", "due"];

/** Planner's files about runs, which git ignores and no other checkout uses. */
const RUNTIME_PATHS = [LOCKS_FOLDER, LOGS_FOLDER, PROCESSES_FOLDER, WORKTREES_FOLDER, WATCH_PID_FILE];

/**
 * Reverts the branch's changes of foreign specs and its added runtime files, in one commit. Foreign specs are all but
 * the run's own and its members. New specs stay and become pending. The branch must contain the main branch's last
 * commit.
 *
 * @returns one sentence for each reverted change
 */
export async function restoreOtherSpecs(place: WorktreeLocation, message: CommitWriter): Promise<readonly string[]> {
  const { git, repository, worktree } = place;
  const main = `refs/heads/${worktree.mainBranch}`;
  const runtime = RUNTIME_PATHS.map((folder) => repository.prefix + folder);
  const folders = [...[SPECS_FOLDER, ARCHIVE_FOLDER].map((folder) => repository.prefix + folder), ...runtime];
  const listed = await git.readEntries(["diff", "--name-status", "-z", "--no-renames", main, "HEAD", "--", ...folders]);
  const notes: string[] = [];
  const changed: string[] = [];
  for (let index = 0; index + 1 < listed.length; index += 2) {
    const [kind = "", path = ""] = listed.slice(index, index + 2);
    const isRuntime = runtime.some((folder) => path === folder || path.startsWith(`${folder}/`));
    const note = isRuntime ? await removeRuntimeFile(place, kind, path) : await restoreChangedSpec(place, kind, path);
    if (note === null) continue;
    notes.push(note);
    changed.push(path);
  }
  if (changed.length > 0) await commitOrRestoreFiles(place, message(COMMIT_SUMMARIES.others), changed);
  return notes;
}

async function restoreChangedSpec(place: WorktreeLocation, kind: string, path: string): Promise<string | null> {
  const isOwnSpec = isOwnSpecPath(place, path);
  if (isOwnSpec && kind !== "M") return null;
  if (kind === "A") return makeSpecPending(place, path);
  const back = isOwnSpec ? restoreSpecChecks : restoreSpec;
  return back(place, path, `refs/heads/${place.worktree.mainBranch}`);
}

/** Removes a runtime file that the branch adds. Keeps a file that the main branch has. */
async function removeRuntimeFile({ worktree }: WorktreeLocation, kind: string, path: string): Promise<string | null> {
  if (kind !== "A") return null;
  await rm(join(worktree.path, path), { force: true });
  return `"${path}" is planner's own file of runs: it was taken out of the branch`;
}

/** Commits the files. If git rejects that, restores them, because uncommitted changes would block the next merge. */
async function commitOrRestoreFiles(place: WorktreeLocation, message: string, paths: readonly string[]): Promise<void> {
  try {
    await commitPaths(place, message, paths);
  } catch (error) {
    await place.git.run(["restore", "--quiet", "--source=HEAD", "--staged", "--worktree", "--", ...paths]);
    throw error;
  }
}

function isOwnSpecPath({ id }: WorktreeLocation, path: string): boolean {
  const name = basename(path).replace(/\.md$/, "");
  return name === id || name.startsWith(`${id}.`);
}

async function makeSpecPending({ git, worktree }: WorktreeLocation, path: string): Promise<string | null> {
  const text = await readBlobText(git, `HEAD:${path}`);
  const status = parseFields(text ?? "")?.["status"];
  if (text === null || status === undefined || status === "pending") return null;
  await writeFile(join(worktree.path, path), editFields(text, { status: "pending", completed_at: undefined }));
  await git.run(["add", "--", path]);
  return `new spec "${path}" arrives as pending, not ${String(status)}`;
}

async function restoreSpec({ git, worktree }: WorktreeLocation, path: string, main: string): Promise<string | null> {
  const [before, after] = [await readBlobText(git, `${main}:${path}`), await readBlobText(git, `HEAD:${path}`)];
  if (before === null) return null;
  const text = after === null ? before : mergePlanningFields(before, after);
  if (text === after) return null;
  await git.run(["checkout", "--quiet", main, "--", path]);
  await writeFile(join(worktree.path, path), text);
  await git.run(["add", "--", path]);
  return `"${path}" is not this run's spec: what the run changed there was taken back`;
}

/** Restores the project's checks in a file of the run's spec or members. A run may change all else in them. */
async function restoreSpecChecks(place: WorktreeLocation, path: string, main: string): Promise<string | null> {
  const { git, worktree, root, repository } = place;
  const here = (await readFileBytes(join(root, path.slice(repository.prefix.length))))?.toString();
  const own = here ?? (await readBlobText(git, `${main}:${path}`));
  const after = await readBlobText(git, `HEAD:${path}`);
  if (own === null || after === null || parseFields(own) === undefined || parseFields(after) === undefined) return null;
  const text = keepChecks(after, { own, restores: true });
  if (text === after) return null;
  await writeFile(join(worktree.path, path), text);
  await git.run(["add", "--", path]);
  return `"${path}" keeps its checks: what the run made of them is proposed there`;
}

/** Returns the main branch's text with the branch's planning fields. */
function mergePlanningFields(before: string, after: string): string {
  const [old, fields] = [parseFields(before), parseFields(after)];
  if (fields === undefined || old === undefined) return before;
  const changes: Record<string, FieldValue | undefined> = {};
  for (const key of PLANNING_FIELDS) {
    if (JSON.stringify(fields[key]) === JSON.stringify(old[key])) continue;
    const value = fields[key];
    if (value === undefined || isFieldValue(value)) changes[key] = value;
  }
  return Object.keys(changes).length === 0 ? before : editFields(before, changes satisfies FieldChanges);
}

function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  const document = parseDocument(text);
  return document.ok ? document.frontmatter : undefined;
}

function isFieldValue(value: unknown): value is FieldValue {
  if (typeof value === "string") return true;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

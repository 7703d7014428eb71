import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SpecId } from "../../spec/spec_id.ts";
import { readJson, textField } from "../files/json_file.ts";
import { removeInside } from "../files/open_folder.ts";
import { replaceFile } from "../files/place_file.ts";
import { readBytes } from "../worktrees/worktree_brought.ts";
import { WORKTREES } from "./places.ts";

/** What is remembered of a file in the project itself that holds something of the tool's own while a run lasts. */
const journalOf = (id: SpecId): string => `${WORKTREES}/${id}.placed.json`;

/** Writes a file of the project for the time of a run; `restoreProject` brings it back, also after a crash. */
export async function placeInProject(root: string, id: SpecId, path: string, text: string): Promise<void> {
  const before = await readBytes(join(root, path));
  // Recorded before the file exists, so that its origin is known after a crash.
  const journal = { path, before: before?.toString("base64") ?? null, after: Buffer.from(text).toString("base64") };
  await replaceFile(join(root, journalOf(id)), journalOf(id), `${JSON.stringify(journal)}\n`);
  await replaceFile(join(root, path), path, text);
}

/** @returns the file, if it was changed meanwhile and is therefore left as it is */
export async function restoreProject(root: string, id: SpecId): Promise<string | null> {
  const read = readJson(join(root, journalOf(id)));
  if (read.kind !== "object") return null;
  const path = textField(read.object, "path") ?? "";
  const [before, after] = [textField(read.object, "before"), textField(read.object, "after")];
  const now = (await readBytes(join(root, path)))?.toString("base64") ?? null;
  if (now === after && before === null) await removeMade(root, path);
  else if (now === after && before !== null) await replaceFile(join(root, path), path, Buffer.from(before, "base64"));
  await removeInside(join(root, journalOf(id)));
  return now === after || now === before ? null : path;
}

/** Removes a file that the run made, and its folder where nothing else is in it. */
async function removeMade(root: string, path: string): Promise<void> {
  await removeInside(join(root, path));
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const removed = await rmdir(join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

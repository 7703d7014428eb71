import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Place, Repository } from "./worktree_place.ts";

/** Returns the folder that git takes hooks from in the person's checkout: a relative setting counts from there. */
export function hooksFolder({ commonFolder, top }: Pick<Repository, "commonFolder" | "top">, setting?: string): string {
  if (setting === undefined) return join(commonFolder, "hooks");
  return isAbsolute(setting) ? setting : resolve(top, setting);
}

/**
 * Returns the folder of hooks for git in a worktree, if git would not find it there by itself: a manager of hooks (husky
 * for example) keeps it in a folder that git ignores, which a new worktree does not have. Null otherwise.
 */
export async function hooksBeyond({
  repository,
  worktree,
}: Pick<Place, "repository" | "worktree">): Promise<string | null> {
  const setting = (await repository.settings()).get("core.hookspath");
  // A setting that begins with ~ is one of the person's own.
  if (setting === undefined || isAbsolute(setting) || setting.startsWith("~")) return null;
  const folder = hooksFolder(repository, setting);
  return existsSync(resolve(worktree.path, setting)) || !existsSync(folder) ? null : folder;
}

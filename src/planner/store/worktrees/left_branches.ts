import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isMissing } from "../files/disk_error.ts";
import { activeFile, SPECS } from "../project/places.ts";
import { refsOf } from "./main_branch.ts";
import { readBytes } from "./worktree_brought.ts";
import type { Branches } from "./worktree_commits.ts";
import { mainBranchOf, type Repository, worktreeIds } from "./worktree_place.ts";

/**
 * Returns branches that specs name, that no checkout has, and that `.planner/worktrees/` no longer records, because
 * `git clean` or a person has emptied it. Cost: one git process, and two more for each branch.
 */
export async function leftBranches(repository: Repository, root: string): Promise<ReadonlyMap<SpecId, Branches>> {
  const found = new Map<SpecId, Branches>();
  const known = new Set<string>(await worktreeIds(root));
  const ids = new Set<string>((await specFiles(root)).filter((id) => !known.has(id)));
  if (ids.size === 0) return found;
  for (const [ref, checkout] of await refsOf(repository.git)) {
    const branch = ref.slice("refs/heads/".length);
    const id = Array.from(branch, (_, at) => branch.slice(at)).find((end) => ids.has(end)) as SpecId | undefined;
    // A checkout that exists belongs to another project folder of this repository.
    if (id === undefined || (checkout !== "" && existsSync(checkout))) continue;
    const text = (await readBytes(join(root, activeFile(id))))?.toString() ?? "";
    const spec = parseDocument(text);
    if (!spec.ok || spec.frontmatter["branch"] !== branch) continue;
    const mainBranch = await mainBranchOf(repository, id).catch(() => null);
    if (mainBranch !== null) found.set(id, { branch, mainBranch });
  }
  return found;
}

async function specFiles(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, SPECS)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names.flatMap((name) => (name.endsWith(".md") ? [name.slice(0, -".md".length)] : []));
}

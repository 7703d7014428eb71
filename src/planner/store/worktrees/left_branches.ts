import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isMissingError } from "../files/disk_error.ts";
import { buildActivePath, SPECS_FOLDER } from "../project/places.ts";
import { readBranchCheckouts } from "./main_branch.ts";
import { readFileBytes } from "./worktree_brought.ts";
import type { SpecBranches } from "./worktree_commits.ts";
import { listWorktreeIds } from "./worktree_files.ts";
import { type Repository, readMainBranch } from "./worktree_place.ts";

/**
 * Returns branches that specs name, that no checkout has, and that `.planner/worktrees/` no longer records, because
 * `git clean` or a person has emptied it. Cost: one git process, and two more for each branch.
 */
export async function findLeftoverBranches(
  repository: Repository,
  root: string,
): Promise<ReadonlyMap<SpecId, SpecBranches>> {
  const found = new Map<SpecId, SpecBranches>();
  const known = new Set<string>(await listWorktreeIds(root));
  const ids = new Set<string>((await listSpecFileIds(root)).filter((id) => !known.has(id)));
  if (ids.size === 0) return found;
  for (const [ref, checkout] of await readBranchCheckouts(repository.git)) {
    const branch = ref.slice("refs/heads/".length);
    const id = Array.from(branch, (_, at) => branch.slice(at)).find((end) => ids.has(end)) as SpecId | undefined;
    // A checkout that exists belongs to another project folder of this repository.
    if (id === undefined || (checkout !== "" && existsSync(checkout))) continue;
    const text = (await readFileBytes(join(root, buildActivePath(id))))?.toString() ?? "";
    const spec = parseDocument(text);
    if (!spec.ok || spec.frontmatter["branch"] !== branch) continue;
    const mainBranch = await readMainBranch(repository, id).catch(() => null);
    if (mainBranch !== null) found.set(id, { branch, mainBranch });
  }
  return found;
}

async function listSpecFileIds(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, SPECS_FOLDER)).catch((error: unknown) => {
    if (isMissingError(error)) return [];
    throw error;
  });
  return names.flatMap((name) => (name.endsWith(".md") ? [name.slice(0, -".md".length)] : []));
}

import { OperationError } from "#kernel/errors.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { quoteShellWord } from "#words/shell_word.ts";
import { findLiveWorker } from "../../operations/shared/live_worker.ts";
import type { WorktreeStatus } from "../../ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isMergeableStatus } from "../../work/person_need.ts";
import { explainOpenRequest } from "../merge/waiting_work.ts";
import { removeTrailingSlash } from "../run/place.ts";
import type { RepairDeps } from "../run_types.ts";
import { endInterruptedRun, type ProjectProblem } from "./trouble.ts";

/** Uncommitted and unmerged work that only a worktree contains. */
interface WorktreeContent {
  readonly uncommitted: readonly string[];
  readonly unmerged: number;
}

/** Finds worktrees without a run. The repair removes only those that contain no work. */
export async function findOrphanedWorktrees(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
  const { context, ports } = deps;
  const statuses = await context.work.worktrees();
  const requests = await ports.requests.readNotes();
  const found: ProjectProblem[] = [];
  for (const id of await ports.worktrees.listIds()) {
    if ((await findLiveWorker(context, id)) !== null) continue;
    const status = statuses.find(({ spec_id }) => spec_id === id);
    const trouble = await describeOrphanedWorktree(deps, id, status);
    const advice = explainOpenRequest(id, requests.get(id));
    found.push(trouble.advice === null || advice === null ? trouble : { ...trouble, advice });
  }
  return found;
}

async function describeOrphanedWorktree(
  deps: RepairDeps,
  id: SpecId,
  status: WorktreeStatus | undefined,
): Promise<ProjectProblem> {
  // Doctor names a folder of the project from its root.
  const path = status?.path.replaceAll("\\", "/").replace(/^.*\/(?=\.planner\/worktrees\/)/, "");
  const subject = path ?? (await deps.ports.worktrees.findBranch(id)) ?? id;
  const base = { kind: "orphaned_worktree", subject } as const;
  let content: WorktreeContent;
  try {
    content = await readWorktreeContent(deps, id);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { ...base, message: error.message, advice: null };
  }
  if (content.uncommitted.length === 0 && content.unmerged === 0) {
    return {
      ...base,
      message: "no process works in it, and it holds nothing that is not in the main branch",
      advice: null,
      repair: () => removeWorktree(deps, id),
    };
  }
  const cutOff = status?.status === "working";
  return {
    ...base,
    message: `no process works in it, and it holds ${describeWorktreeContent(content)}`,
    advice: await buildWorkAdvice(deps, id, content),
    ...(cutOff ? { repair: () => recordWorktreeEnd(deps, id) } : {}),
  };
}

async function readWorktreeContent({ ports: { worktrees } }: RepairDeps, id: SpecId): Promise<WorktreeContent> {
  const uncommitted = (await (await worktrees.findWorktree(id))?.listUncommittedFiles()) ?? [];
  const merged = await worktrees.isMerged(id);
  return { uncommitted, unmerged: merged ? 0 : (await worktrees.listCommits(id)).length };
}

function describeWorktreeContent({ uncommitted, unmerged }: WorktreeContent): string {
  const parts: string[] = [];
  if (unmerged > 0) parts.push(`${formatCountWithNoun(unmerged, "commit")} not merged`);
  if (uncommitted.length > 0) parts.push(`uncommitted changes (${uncommitted.slice(0, 3).join(", ")})`);
  return parts.join(" and ");
}

/** Returns advice for an orphaned worktree whose spec is active, archived or deleted. */
async function buildWorkAdvice(deps: RepairDeps, id: SpecId, { uncommitted }: WorktreeContent): Promise<string> {
  const { specs } = deps.context;
  const commit = uncommitted.length > 0;
  if ((await specs.listIds()).includes(id)) return buildStatusAdvice(id, (await specs.load(id)).status, commit);
  return (await specs.listArchivedIds()).has(id)
    ? buildStatusAdvice(id, "completed", commit)
    : buildMissingSpecAdvice(deps, id, commit);
}

/** Returns advice for a spec in this status. @param commit whether its worktree has uncommitted changes */
function buildStatusAdvice(id: SpecId, status: string, commit: boolean): string {
  if (status === "cancelled") {
    return `its spec is cancelled: "planner update ${id} --status pending" and "planner work ${id}" continue it, or "planner review ${id} --reject" removes the worktree and keeps its work in git`;
  }
  // A completed spec is not worked again.
  if (status === "completed") return `${commit ? "commit there and run" : "merge it with"} "planner merge ${id}"`;
  if (!isMergeableStatus(status)) return `continue with "planner work ${id}"`;
  if (commit) return `continue with "planner work ${id}", or commit there and run "planner merge ${id}"`;
  return `merge it with "planner merge ${id}", or continue with "planner work ${id}"`;
}

async function buildMissingSpecAdvice({ ports }: RepairDeps, id: SpecId, commit: boolean): Promise<string> {
  const branch = (await ports.worktrees.findBranch(id)) ?? "";
  const worktree = await ports.worktrees.findWorktree(id);
  const file = `.planner/specs/${id}.md`;
  // Committing the deletion of the spec would cause a conflict in git.
  const isThere = worktree !== null && (await worktree.openSpecs().listIds()).includes(id);
  const keep = isThere
    ? `"cp ${quoteShellWord(`${removeTrailingSlash(worktree.root)}/${file}`)} ${file}" brings it back, then run "planner merge ${id}"`
    : `${commit ? "commit there and run" : "take the commits with"} "git merge ${quoteShellWord(branch)}"`;
  return `its spec is gone: ${keep}, or drop all of it with ${worktree === null ? "" : `"git worktree remove --force ${quoteShellWord(worktree.path)}" and `}"git branch -D ${quoteShellWord(branch)}"; then run "planner doctor --fix"`;
}

/** Removes the worktree. Returns null if a process has claimed the spec meanwhile. */
async function removeWorktree({ ports, pid }: RepairDeps, id: SpecId): Promise<string | null> {
  const answer = await ports.claims.claim(id, `${id}-${pid}`);
  if ("heldBy" in answer) return null;
  try {
    await ports.worktrees.removeWorktree(id);
    return "removed it with its branch";
  } finally {
    await answer.claim.release();
  }
}

async function recordWorktreeEnd(deps: RepairDeps, id: SpecId): Promise<string> {
  await endInterruptedRun(deps, id);
  return "noted that its run is over; what it holds is kept";
}

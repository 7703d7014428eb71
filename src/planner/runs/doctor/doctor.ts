import { OperationError } from "#kernel/errors.ts";
import { tryRunWithClaim } from "#planner/runs/claims.ts";
import type { GitLock } from "#planner/store/git/git_locks.ts";
import type { WorktreeStatus } from "#planner/work/records/process_record.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { quoteShellWord } from "#words/quoting.ts";
import { CONFIG_FILE } from "../../config/config.ts";
import { findLiveWorker } from "../../operations/shared/live_worker.ts";
import { findMissingAgent } from "../../operations/shared/start_checks.ts";
import type { UnreadableFile } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isMergeableStatus } from "../../work/person_need.ts";
import { explainOpenRequest } from "../merge/waiting_work.ts";
import { removeTrailingSlash } from "../run/run_commands.ts";
import type { RepairDeps } from "../run_types.ts";
import {
  endInterruptedRun,
  findDeadRecords,
  findStaleClaims,
  findStaleWatchFile,
  type ProjectProblem,
} from "./trouble.ts";

/** Uncommitted and unmerged work that only a worktree contains. */
interface WorktreeContent {
  readonly uncommitted: readonly string[];
  readonly unmerged: number;
}

/** Finds worktrees without a run. The repair removes only those that contain no work. */
async function findOrphanedWorktrees(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
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
      // Nothing is left to do if a process has claimed the spec meanwhile.
      repair: () =>
        tryRunWithClaim<string | null>(
          deps,
          id,
          async () => {
            await deps.ports.worktrees.removeWorktree(id);
            return "removed it with its branch";
          },
          () => null,
        ),
    };
  }
  const cutOff = status?.status === "working";
  return {
    ...base,
    message: `no process works in it, and it holds ${describeWorktreeContent(content)}`,
    advice: await buildWorkAdvice(deps, id, content),
    ...(cutOff
      ? {
          repair: async () => {
            await endInterruptedRun(deps, id);
            return "noted that its run is over; what it holds is kept";
          },
        }
      : {}),
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

/** Finds git index locks that a killed git left or a process holds for long. They block every merge and commit. */
async function findGitLocks(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
  const { context, ports } = deps;
  const found: ProjectProblem[] = [];
  for (const lock of await ports.gitLocks.findLocks()) {
    const { path, spec_id, removable } = lock;
    // An active run uses git itself, so its lock is expected.
    if (spec_id !== null && (await findLiveWorker(context, spec_id)) !== null) continue;
    // A git process that holds the lock briefly is not a problem.
    if (!removable && lock.ageMs < BRIEF_LOCK_MS) continue;
    found.push({
      kind: "git_lock",
      subject: path,
      message: `git's index has been locked for ${describeLockAge(lock)}, ${describeLockHolder(lock)}`,
      advice: removable ? null : buildLockAdvice(lock),
      ...(removable ? { repair: async () => ((await ports.gitLocks.removeLock(lock)) ? "removed it" : null) } : {}),
    });
  }
  return found;
}

/** Time that an everyday git command may take, in milliseconds. Chosen by planner. */
const BRIEF_LOCK_MS = 10_000;

function describeLockAge({ ageMs }: GitLock): string {
  const seconds = Math.round(ageMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function describeLockHolder({ holder }: GitLock): string {
  if (holder === null) return "and no process holds it";
  return holder === "unknown" ? "and this system does not report by whom" : `by process ${holder}`;
}

function buildLockAdvice({ holder }: GitLock): string {
  if (holder === null) return "it is recent: check again in a minute";
  return holder === "unknown" ? "remove it if no git process runs there" : "wait for that process, or end it";
}

/** Reports settings that cannot be read. No agent starts without them, and only a person can correct them. */
async function findBrokenConfig({ context }: RepairDeps): Promise<readonly ProjectProblem[]> {
  try {
    await context.readConfig();
    return [];
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const advice = "fix its text; `planner config --validate` lists the faults";
    return [{ kind: "broken_config", subject: CONFIG_FILE, message: error.message, advice }];
  }
}

/** Reports the configured agent if it cannot be started, since no run can begin without it. */
async function findMissingAgentProgram({ context }: RepairDeps): Promise<readonly ProjectProblem[]> {
  const missing = await findMissingAgent(context);
  if (missing === null) return [];
  const [message = "", ...advice] = missing.problem.split(": ");
  return [{ kind: "missing_agent", subject: `agent ${missing.name}`, message, advice: advice.join(": ") || null }];
}

export interface DoctorFinding extends Omit<ProjectProblem, "repair"> {
  /** Whether `--fix` can repair at least part of the problem. */
  readonly fixable: boolean;
  /** Sentence about the repair that was made; null if none was. */
  readonly fixed: string | null;
  /** Reason why the repair failed; null if it did not fail. */
  readonly failed: string | null;
}

export interface DoctorReport {
  /** True if every finding was repaired and needs no person. */
  readonly healthy: boolean;
  readonly findings: readonly DoctorFinding[];
}

/**
 * Checks in the order in which they run, because later checks depend on earlier repairs. Ending a claim marks its spec
 * and its worktree. Reading the records marks dead ones failed. A worktree whose index is locked cannot be removed.
 * Source: docs/decisions.md#s-23, docs/decisions.md#s-26, docs/decisions.md#s-27.
 */
const DOCTOR_CHECKS: readonly ((deps: RepairDeps, fix: boolean) => Promise<readonly ProjectProblem[]>)[] = [
  findStaleClaims,
  findDeadRecords,
  findStaleWatchFile,
  findGitLocks,
  findGitProgramChanges,
  findMirrorRemotes,
  findSharedClaimProblems,
  findOrphanedWorktrees,
  findStrandedSpecs,
  findBrokenConfig,
  findMissingAgentProgram,
  findUnreadableFiles,
  findLeftoverFiles,
];

/**
 * Finds leftovers of killed processes. With `fix`, repairs those whose repair loses no uncommitted changes or unmerged
 * commits. Each check repairs before the next check runs, so a second run finds nothing to repair.
 *
 * Without `fix`, changes only records of dead processes, which any reader marks failed.
 */
export async function runDoctor(deps: RepairDeps, { fix }: { readonly fix: boolean }): Promise<DoctorReport> {
  const findings: DoctorFinding[] = [];
  const refused = new Set<string>();
  for (const check of DOCTOR_CHECKS) {
    for (const trouble of await check(deps, fix).catch((error: unknown) => describeFailedCheck(error, refused)))
      findings.push(await repairRequestedProblem(trouble, fix));
  }
  return { healthy: findings.every(({ fixed, advice }) => fixed !== null && advice === null), findings };
}

/** Describes a check that could not run, for example because git refused to answer. Omits messages in `refused`. */
function describeFailedCheck(error: unknown, refused: Set<string>): readonly ProjectProblem[] {
  if (!(error instanceof OperationError)) throw error;
  // Git's answer begins with the command that happened to ask first.
  const message = error.message.replace(/^git .*?(?: failed| cannot use ".*?"): |^git cannot use ".*?": /, "git: ");
  if (refused.has(message)) return [];
  refused.add(message);
  const advice = "until this is solved, what depends on it is not checked";
  return [{ kind: "failed_check", subject: "git or the disk", message, advice }];
}

async function repairRequestedProblem({ repair, ...trouble }: ProjectProblem, fix: boolean): Promise<DoctorFinding> {
  const finding = { ...trouble, fixable: repair !== undefined, fixed: null, failed: null };
  if (!fix || repair === undefined) return finding;
  try {
    return { ...finding, fixed: (await repair()) ?? "nothing was left to do" };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { ...finding, failed: error.message };
  }
}

/**
 * Reports changes by runs to programs that git runs in every checkout. There is no repair, because only a person can
 * decide whether they made the change. Until then planner runs no git command that would run these programs.
 */
async function findGitProgramChanges({ context, ports }: RepairDeps): Promise<readonly ProjectProblem[]> {
  const found: ProjectProblem[] = [];
  for (const { spec_id, what, undo, note } of await ports.worktrees.listGitProgramChanges()) {
    // The active run checks this itself when it ends.
    if ((await findLiveWorker(context, spec_id)) !== null) continue;
    found.push({
      kind: "planted_change",
      subject: spec_id,
      message: `${what} during its run or since, and git would run it with your rights`,
      advice: `undo it with: ${undo}; if it is yours, remove ${note}`,
    });
  }
  return found;
}

/**
 * Reports remotes that are mirrors. A fetch that prunes deletes the records of runs, because the remote lacks them, and
 * a push deletes the records that others keep at the remote.
 */
async function findMirrorRemotes({ ports }: RepairDeps): Promise<readonly ProjectProblem[]> {
  return (await ports.worktrees.listMirrorRemotes()).map((name) => ({
    kind: "mirror_remote",
    subject: `remote ${name}`,
    message:
      "it mirrors all refs: a fetch that prunes deletes refs/planner with the records of runs, a push deletes those of others",
    advice: `limit it to branches and tags: git config --unset remote.${name}.mirror; git config --replace-all remote.${name}.fetch "+refs/heads/*:refs/remotes/${name}/*"`,
  }));
}

/**
 * Reports problems that keep claims at a remote from protecting specs, and claims that are no longer needed. Only a
 * repair contacts the remote, because git then applies settings of the repository, which may name programs.
 */
async function findSharedClaimProblems(
  { context, ports }: RepairDeps,
  fix: boolean,
): Promise<readonly ProjectProblem[]> {
  // Broken settings are a separate finding.
  const config = await context.readConfig().catch(() => null);
  if (config === null || config.claims.remote === null) return [];
  const subject = `remote ${config.claims.remote}`;
  return (await ports.claims.findProblems(fix)).map((trouble) => ({ kind: "shared_claims", subject, ...trouble }));
}

/**
 * Reports specs that are in_progress without a run or a person at work. Repairs those whose run was interrupted, as the
 * status in the worktree shows. Leaves all others: a paused spec or one started by hand cannot be distinguished from a
 * forgotten one.
 */
async function findStrandedSpecs(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
  const { context, ports } = deps;
  const { specs } = await context.specs.readActive();
  const worktrees = await context.work.worktrees();
  const found: ProjectProblem[] = [];
  for (const { id, file, status } of specs) {
    if (status !== "in_progress" || (await findLiveWorker(context, id)) !== null) continue;
    const cutOff = worktrees.some((one) => one.spec_id === id && one.status === "working");
    const claimed = (await ports.claims.readHolder(id)) !== null;
    found.push({
      kind: "stranded_spec",
      subject: file,
      message: "in_progress, but no process works on it",
      advice: cutOff || claimed ? null : `continue with "planner work ${id}", or "planner reset ${id}"`,
      ...(cutOff || claimed ? { repair: () => endInterruptedRun(deps, id) } : {}),
    });
  }
  return found;
}

/** Reports files that cannot be read or parsed. Only a person can correct them. */
async function findUnreadableFiles({ context }: RepairDeps): Promise<readonly ProjectProblem[]> {
  const [active, archived, records] = await Promise.all([
    context.specs.readActive(),
    context.specs.readArchived(),
    context.work.listBrokenRecords(),
  ]);
  const specs = [...active.unreadable, ...archived.unreadable].map((file) =>
    describeUnreadableFile(file, "fix its text"),
  );
  return [...specs, ...records.map((file) => describeUnreadableFile(file, "remove it if it is not needed"))];
}

function describeUnreadableFile({ file, line, column, message }: UnreadableFile, advice: string): ProjectProblem {
  const place = line === null ? "" : `line ${line}${column === null ? "" : `, column ${column}`}: `;
  return { kind: "unreadable_file", subject: file, message: place + message, advice };
}

/** Finds temporary files of killed writers. */
async function findLeftoverFiles({ ports: { leftovers } }: RepairDeps): Promise<readonly ProjectProblem[]> {
  return (await leftovers.listFiles()).map((file) => ({
    kind: "leftover_file",
    subject: file,
    message: "temporary file of a process that is gone",
    advice: null,
    repair: async () => {
      await leftovers.removeFiles();
      return "removed it";
    },
  }));
}

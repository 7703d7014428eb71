import type { GitLock } from "#planner/run_ports/leftovers.ts";
import { liveWorker } from "../../operations/shared/live_worker.ts";
import type { CareDeps, Trouble } from "./trouble.ts";

/** Locks on git's index that a killed git has left, or that one holds for long: nothing is merged or committed there. */
export async function gitLocks(deps: CareDeps): Promise<readonly Trouble[]> {
  const { context, ports } = deps;
  const found: Trouble[] = [];
  for (const lock of await ports.gitLocks.find()) {
    const { path, spec_id, removable } = lock;
    // An active run uses git itself.
    if (spec_id !== null && (await liveWorker(context, spec_id)) !== null) continue;
    // A git at work for a moment is no trouble.
    if (!removable && lock.ageMs < BRIEF_MS) continue;
    found.push({
      kind: "git_lock",
      subject: path,
      message: `git's index has been locked for ${ageOf(lock)}, ${holderOf(lock)}`,
      advice: removable ? null : adviceFor(lock),
      ...(removable ? { repair: async () => ((await ports.gitLocks.remove(lock)) ? "removed it" : null) } : {}),
    });
  }
  return found;
}

/** What a git command of everyday use takes at most, in milliseconds. Ours. */
const BRIEF_MS = 10_000;

function ageOf({ ageMs }: GitLock): string {
  const seconds = Math.round(ageMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function holderOf({ holder }: GitLock): string {
  if (holder === null) return "and no process holds it";
  return holder === "unknown" ? "and this system does not report by whom" : `by process ${holder}`;
}

function adviceFor({ holder }: GitLock): string {
  if (holder === null) return "it is recent: check again in a minute";
  return holder === "unknown" ? "remove it if no git process runs there" : "wait for that process, or end it";
}

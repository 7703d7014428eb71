import { liveWorker } from "../../operations/shared/live_worker.ts";
import type { UnreadableFile } from "../../spec/spec.ts";
import { endStranded } from "./stranded.ts";
import type { CareDeps, Trouble } from "./trouble.ts";

/**
 * Reports specs that are in_progress without a run or a person at work. Repairs those whose run was interrupted, as the
 * status in the worktree shows. Leaves all others: a paused spec or one started by hand cannot be distinguished from a
 * forgotten one.
 */
export async function strandedSpecs(deps: CareDeps): Promise<readonly Trouble[]> {
  const { context, ports } = deps;
  const { specs } = await context.specs.active();
  const worktrees = await context.work.worktrees();
  const found: Trouble[] = [];
  for (const { id, file, status } of specs) {
    if (status !== "in_progress" || (await liveWorker(context, id)) !== null) continue;
    const cutOff = worktrees.some((one) => one.spec_id === id && one.status === "working");
    const claimed = (await ports.claims.holder(id)) !== null;
    found.push({
      kind: "stranded_spec",
      subject: file,
      message: "in_progress, but no process works on it",
      advice: cutOff || claimed ? null : `continue with "planner work ${id}", or "planner reset ${id}"`,
      ...(cutOff || claimed ? { repair: () => endStranded(deps, id) } : {}),
    });
  }
  return found;
}

/** Reports files that cannot be read or parsed. Only a person can correct them. */
export async function unreadableFiles({ context }: CareDeps): Promise<readonly Trouble[]> {
  const [active, archived, records] = await Promise.all([
    context.specs.active(),
    context.specs.archived(),
    context.work.brokenRecords(),
  ]);
  const specs = [...active.unreadable, ...archived.unreadable].map((file) => unreadable(file, "fix its text"));
  return [...specs, ...records.map((file) => unreadable(file, "remove it if it is not needed"))];
}

function unreadable({ file, line, column, message }: UnreadableFile, advice: string): Trouble {
  const place = line === null ? "" : `line ${line}${column === null ? "" : `, column ${column}`}: `;
  return { kind: "unreadable_file", subject: file, message: place + message, advice };
}

/** Temporary files of killed writers. */
export async function leftoverFiles({ ports: { leftovers } }: CareDeps): Promise<readonly Trouble[]> {
  return (await leftovers.files()).map((file) => ({
    kind: "leftover_file",
    subject: file,
    message: "temporary file of a process that is gone",
    advice: null,
    repair: async () => {
      await leftovers.remove();
      return "removed it";
    },
  }));
}

import type { SpecId } from "../spec/spec_id.ts";
import { endClaim } from "./claims.ts";
import type { RunDeps } from "./run_types.ts";

/**
 * Cleans up after killed processes: ends their records, removes their claims and ends their agents. Reports a spec that
 * is in_progress without a run and leaves it unchanged, because only a person can decide whether to continue its work.
 *
 * @param continued specs that the person has just decided to continue
 * Source: docs/decisions.md#s-23, docs/decisions.md#s-26.
 */
export async function repairRuns(deps: RunDeps, continued: readonly SpecId[]): Promise<void> {
  const { ports, context, tell } = deps;
  for (const { process_id, spec_id, status } of await ports.records.repair()) {
    tell({ event: "note", spec_id, message: `process ${process_id} is gone without an end; it counts as ${status}` });
  }
  const claimed = new Set<SpecId>();
  for (const id of await ports.claims.ids()) {
    const holder = await ports.claims.holder(id);
    if (holder === null) continue;
    if (holder.alive) {
      claimed.add(id);
      continue;
    }
    const ended = await endClaim(deps, { id, holder }, async () => void (await ports.worktrees.displace(id)));
    if (ended === null) claimed.add(id);
    else tell({ event: "note", spec_id: id, message: `released the claim of process ${holder.pid}, which is gone` });
  }
  const { specs } = await context.specs.active();
  for (const { id, status } of specs) {
    if (status !== "in_progress" || claimed.has(id) || continued.includes(id)) continue;
    const message = `in_progress, but no process works on it: continue with "planner work ${id}", or "planner reset ${id}"`;
    tell({ event: "note", spec_id: id, message });
  }
}

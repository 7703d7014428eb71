import { OperationError } from "#kernel/errors.ts";
import { TaskSlots } from "#kernel/slots.ts";
import { loadSpecWorld, type SpecWorld } from "../../operations/shared/world.ts";
import type { Spec } from "../../spec/spec.ts";
import { parseParentId, parseSpecIdParts, type SpecId } from "../../spec/spec_id.ts";
import { createCommitWriter } from "../../work/commit_message.ts";
import type { RequestNote } from "../../work/requests/request_note.ts";
import { describeMissingClaim } from "../merge/complete_spec.ts";
import { explainOpenRequest } from "../merge/waiting_work.ts";
import { createMergeAdmission } from "../proof/prove_spec.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";

/** Milliseconds between two attempts to claim a spec that another process is merging, `planner watch` for example. */
const CLAIM_RETRY_MS = 100;

/** Maximum number of attempts to claim a spec. */
const MAX_CLAIM_TRIES = 50;

/** Limits merges to one at a time, because runs that begin together move the same main branch. */
const mergeSlot = new TaskSlots(1);

/**
 * Merges the finished branches of the specs that a spec depends on, so that its own branch begins with their work.
 *
 * @throws OperationError `failed_precondition` that names the spec that cannot be merged
 *
 * Source: docs/decisions.md#s-24.
 */
export async function mergePredecessors(deps: RunDeps, spec: Spec, options: PredecessorOptions): Promise<void> {
  const world = await loadSpecWorld(deps.context);
  const ids = listPredecessors(spec, world);
  const unmerged: SpecId[] = [];
  const { worktrees } = deps.ports;
  const worked = new Set(ids.length === 0 ? [] : await worktrees.listIds());
  for (const id of ids) {
    if (worked.has(id) && !(await worktrees.isMerged(id))) unmerged.push(id);
  }
  const requests = unmerged.length === 0 ? new Map<SpecId, RequestNote>() : await deps.ports.requests.readNotes();
  for (const id of unmerged) {
    const why = explainOpenRequest(id, requests.get(id));
    if (why !== null) throw buildNotMergedError(id, spec.id, why);
  }
  for (const id of unmerged)
    await mergeSlot.runInSlot(() => mergePredecessor(deps, { id, wanting: spec.id, ...options }));
}

/** Returns the specs that must be done before `spec`, by the rules of readiness. */
function listPredecessors(spec: Spec, { specs }: SpecWorld): readonly SpecId[] {
  const named = new Set<string>([...spec.dependsOn, ...spec.members]);
  const parent = parseParentId(spec.id);
  const earlier = Object.hasOwn(spec.frontmatter, "depends_on") ? -1 : parseMemberNumber(spec.id);
  return specs
    .map(({ id }) => id)
    .filter((id) => {
      const above = parseParentId(id);
      if (above === spec.id) return true;
      return named.has(id) || (parent !== undefined && above === parent && parseMemberNumber(id) < earlier);
    });
}

function parseMemberNumber(id: SpecId): number {
  return parseSpecIdParts(id)?.members.at(-1) ?? 0;
}

interface PredecessorOptions {
  /** Checked between merges; once it returns false, no further spec is merged. */
  readonly stillWanted: () => Promise<boolean>;
  readonly stop: StopSignals;
  /** Whether to skip requests to the remote that stores shared claims. */
  readonly offline: boolean;
}

function buildNotMergedError(id: SpecId, wanting: SpecId, why: string): OperationError {
  return new OperationError(
    "failed_precondition",
    `Cannot start work on spec '${wanting}': the work of '${id}' is not merged: ${why}`,
  );
}

interface PredecessorMerge extends PredecessorOptions {
  readonly id: SpecId;
  /** The spec that depends on the spec to merge. */
  readonly wanting: SpecId;
}

async function mergePredecessor(
  deps: RunDeps,
  { id, wanting, stillWanted, stop, offline }: PredecessorMerge,
): Promise<void> {
  const { worktrees } = deps.ports;
  const throwNotMerged = (why: string): never => {
    throw buildNotMergedError(id, wanting, why);
  };
  const claim = await claimSpecForMerge(deps, id, stillWanted);
  if (claim === null && !(await stillWanted())) return;
  if (claim === null) return throwNotMerged("another process holds it");
  try {
    if (await worktrees.isMerged(id)) return;
    const { readConfig, specs } = deps.context;
    const spec = await specs.load(id);
    const final = await claim.finish({ steal: false, offline });
    if (final.kind !== "own") return throwNotMerged(describeMissingClaim(id, final));
    const message = createCommitWriter((await readConfig()).git.commit_template, spec);
    const answer = await worktrees.mergeBranch(id, {
      message,
      admit: await createMergeAdmission(deps, spec, { stop }),
    });
    if (answer.kind === "refused") return throwNotMerged(answer.reasons.join("; "));
    if (answer.kind === "conflict") return throwNotMerged(`conflict in ${answer.files.join(", ")}`);
    if (answer.kind === "open") return throwNotMerged(`criteria were added to it: ${answer.criteria.join(", ")}`);
    deps.tell({ event: "note", spec_id: id, message: `merged, because ${wanting} builds upon it` });
  } catch (error) {
    if (!(error instanceof OperationError) || error.message.startsWith("Cannot start work")) throw error;
    throwNotMerged(error.message);
  } finally {
    await claim.release();
  }
}

async function claimSpecForMerge({ ports, pid }: RunDeps, id: SpecId, stillWanted: PredecessorMerge["stillWanted"]) {
  for (let tries = 0; tries < MAX_CLAIM_TRIES && (await stillWanted()); tries++) {
    const answer = await ports.claims.claim(id, `${id}-${pid}`);
    if ("claim" in answer) return answer.claim;
    await new Promise((resolve) => setTimeout(resolve, CLAIM_RETRY_MS));
  }
  return null;
}

import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { finalizeCommand } from "../../operations/finalize.ts";
import { changeSpec, refuseInsideRun } from "../../operations/shared/change_spec.ts";
import { findSpec } from "../../operations/shared/find_spec.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { appendReview } from "../../spec/reviews.ts";
import { isDoneStatus, type Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { runWithClaim } from "../claims.ts";
import { describeOpenRequest, type MergeResult } from "../merge/complete_spec.ts";
import { mergeSpecs } from "../merge/merge_specs.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";
import { assertReviewable, listMembersWithNeeds } from "./review_facts.ts";

interface SendBackResult {
  readonly spec_id: SpecId;
  /** The specs that agents work on next: the spec itself, or those members of a group whose work awaits a person. */
  readonly specs: readonly SpecId[];
  readonly at: string;
}

/** Maximum characters of a review text. Chosen by planner: the text becomes part of the agent's prompt. */
const MAX_REVIEW_CHARS = 100_000;

/**
 * Sends work back: adds the text under `## Review` of the spec and sets it pending, in one edit. Branch and worktree
 * stay. The next run continues there, reads the text, and resumes the agent's session if it can. For a group, adds the
 * text to each member whose work awaits a person.
 *
 * @param id full or partial id of an active spec
 * @throws OperationError `invalid_argument` for an empty text or one that a file cannot store, `failed_precondition` as
 *   `readReviewFacts`
 */
export async function sendBackWork(deps: RunDeps, id: string, text: string): Promise<SendBackResult> {
  refuseInsideRun(deps.context, "review");
  const words = validateReviewText(text);
  const spec = await findSpec(deps.context, id, { archived: false });
  await assertReviewable(deps, spec);
  const at = deps.context.clock.now().toISOString();
  const specs = await listSpecsToRework(deps, spec);
  for (const one of specs) {
    await runWithClaim(deps, one, "send back", async () => {
      await changeSpec(deps.context, one, (before, current) => {
        assertNotCancelled(current);
        const fields = { status: "pending", completed_at: undefined, unproven: undefined };
        return appendReview(editFields(before, fields), { at, text: words });
      });
      await markWorktreeUnfinished(deps, one);
    });
  }
  return { spec_id: spec.id, specs, at };
}

/** Marks the worktree as unfinished, because its work was sent back. */
async function markWorktreeUnfinished({ context, ports }: RunDeps, id: SpecId): Promise<void> {
  const there = (await context.work.worktrees()).find(({ spec_id }) => spec_id === id);
  if (there === undefined) return;
  const error = "a person has reviewed the work and sent it back";
  await ports.worktrees.writeStatus({ spec_id: id, status: "failed", error });
}

/** Returns the specs to work on again; for a group its members, because no agent works on a group itself. */
async function listSpecsToRework(deps: RunDeps, spec: Spec): Promise<readonly SpecId[]> {
  if (spec.type !== "group") return [spec.id];
  const members = await listMembersWithNeeds(deps, spec);
  const waiting = members.filter(({ need }) => need !== null).map(({ spec_id }) => spec_id);
  if (waiting.length > 0) return waiting;
  throw createPreconditionError(
    `Cannot send back group '${spec.id}': no agent works on a group, and the work of its members is merged: "planner add" makes a spec for what is missing`,
  );
}

function validateReviewText(text: string): string {
  const throwInvalid = (expected: string): never => {
    throw new OperationError("invalid_argument", `Invalid text of the review: expected ${expected}`);
  };
  const words = text.replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, "").trimEnd();
  if (words === "") throwInvalid("what the agent is to change");
  if (words.length > MAX_REVIEW_CHARS) throwInvalid(`at most ${MAX_REVIEW_CHARS} characters, got ${words.length}`);
  if (words.includes("\0") || !words.isWellFormed()) throwInvalid("text without NUL characters");
  return words;
}

function assertNotCancelled({ id, status }: Spec): void {
  if (status !== "cancelled") return;
  throw createPreconditionError(
    `Cannot send back spec '${id}': its status is ${status}: "planner update ${id} --status pending" opens it again`,
  );
}

interface RejectedWork {
  readonly spec_id: SpecId;
  /** Ref that keeps the branch, and other notes for a person, one sentence each. */
  readonly notes: readonly string[];
  /** Reason why worktree and branch still exist; null if they were removed. */
  readonly kept: string | null;
}

/**
 * Rejects work: cancels the spec, keeps its branch under `refs/planner/kept/<id>/` and removes worktree and branch,
 * unless that would lose uncommitted changes. For a group or driver, first rejects members that are not done or not
 * merged.
 *
 * @param id full or partial id of an active spec; if it is cancelled already, only its worktree is removed
 * @throws OperationError `failed_precondition` as `readReviewFacts`
 */
export async function rejectWork(deps: RunDeps, id: string): Promise<readonly RejectedWork[]> {
  refuseInsideRun(deps.context, "review");
  const spec = await findSpec(deps.context, id, { archived: false });
  await assertReviewable(deps, spec);
  const members = (await listMembersWithNeeds(deps, spec)).filter(
    ({ status, need }) => need !== null || !isDoneStatus(status),
  );
  const results: RejectedWork[] = [];
  for (const one of [...members.map(({ spec_id }) => spec_id), spec.id]) {
    results.push(await runWithClaim(deps, one, "reject", () => rejectSpec(deps, one)));
  }
  return results;
}

/** Rejects one spec. Sets the status first, so that the spec can be rejected again after a crash. */
async function rejectSpec({ context, ports }: RunDeps, id: SpecId): Promise<RejectedWork> {
  await changeSpec(context, id, (text) =>
    editFields(text, { status: "cancelled", completed_at: undefined, unproven: undefined }),
  );
  if (!(await ports.worktrees.listIds()).includes(id)) {
    const hasRun = (await context.readRunReports()).some(({ spec_id }) => spec_id === id);
    const note = `what its run changed stays in the project's folder: "planner log ${id} --run last" names it`;
    return { spec_id: id, notes: hasRun ? [note] : [], kept: null };
  }
  const request = await describeOpenRequest({ ports }, id);
  try {
    const notes = await ports.worktrees.removeWorktree(id, { unmerged: "keep" });
    return { spec_id: id, notes: [...notes, ...request], kept: null };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { spec_id: id, notes: [], kept: error.message };
  }
}

/**
 * Accepts work: merges the branch of the spec, and for a group or driver those of its members too, as `mergeSpecs`
 * does. Finalizes a spec without a branch, whose work is in the project's folder.
 *
 * @param id full or partial id of a spec
 * @param onResult called with each result as it arrives
 * @throws OperationError `failed_precondition` as `readReviewFacts`
 */
export async function acceptWork(
  deps: RunDeps,
  { id, stop }: { readonly id: string; readonly stop: StopSignals },
  onResult: (result: MergeResult) => void = () => {},
): Promise<readonly MergeResult[]> {
  refuseInsideRun(deps.context, "review");
  const spec = await findSpec(deps.context, id, { archived: true });
  await assertReviewable(deps, spec);
  const places = new Set<string>(await deps.ports.worktrees.listIds());
  const idsWithWorktree = [spec.id, ...(await listMembersWithNeeds(deps, spec)).map(({ spec_id }) => spec_id)].filter(
    (one) => places.has(one),
  );
  const merged =
    idsWithWorktree.length === 0
      ? []
      : await mergeSpecs(
          deps,
          { ids: [spec.id], stop, unproven: null, shared: { steal: false, offline: false } },
          onResult,
        );
  const isRefused = merged.some(({ outcome }) => outcome === "refused" || outcome === "conflict");
  if (isRefused || stop.soon.aborted || places.has(spec.id)) return merged;
  const finalized = await finalizeProjectSpec(deps, spec, stop);
  onResult(finalized);
  return [...merged, finalized];
}

async function finalizeProjectSpec({ context }: RunDeps, { id }: Spec, stop: StopSignals): Promise<MergeResult> {
  try {
    await finalizeCommand.run(context, { id }, { signal: stop.soon });
    return { spec_id: id, outcome: "nothing", commits: [], kept: null, notes: [] };
  } catch (error) {
    if (error instanceof OperationError) return { spec_id: id, outcome: "refused", reason: error.message };
    throw error;
  }
}

import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import { buildSpec } from "../../spec/build_spec.ts";
import { parseDocument, parseReadable } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { decideRunEnd } from "../../work/end_of_run.ts";
import type { Provenance } from "../../work/provenance.ts";
import { buildRunLocation, openJob } from "../job.ts";
import { collectEvidence, type LocatedWork } from "../run/evidence.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";

interface FinishedWork {
  readonly id: SpecId;
  readonly worktree: Worktree;
  readonly state: WorktreeState;
  readonly stop: StopSignals;
  /** Reason of a person for accepting the work although its checks fail; null if they have to succeed. */
  readonly unproven: string | null;
}

export interface MissingEvidence {
  /** Reasons why the spec cannot be completed, one sentence each; empty if it can. */
  readonly reasons: readonly string[];
  /** Verdicts on criteria and commands; null if nothing was judged. */
  readonly proof: Provenance | null;
}

/**
 * Returns the reasons why a spec cannot be completed, judged as at the end of a run. Runs the commands of
 * `verify.commands`. Source: docs/decisions.md#s-25.
 */
export async function findMissingEvidence(
  deps: RunDeps,
  { id, worktree, state, stop, unproven }: FinishedWork,
): Promise<MissingEvidence> {
  const spec = parseSpec(id, await worktree.buildJoinedSpec());
  if (spec.status === "cancelled") return { reasons: ["it is cancelled in its worktree"], proof: null };
  const work: LocatedWork = {
    ...(await openJob(deps, id, stop)),
    place: buildRunLocation(worktree.root, worktree),
    // The project's own text contains the criteria that people wrote.
    before: await readProjectText(deps, id),
    outputBefore: parseSpecBody(await worktree.readMainSpec()),
    wishes: { skipCriteria: unproven !== null, unproven },
  };
  const exit = { code: 0, signal: null };
  const facts = { exit, exitMeaning: null, limit: null, interrupted: false, status: "in_progress" };
  const { evidence, proof } = await collectEvidence(deps, work, { ...facts, spec, state });
  return { reasons: decideRunEnd({ ...facts, evidence }).reasons, proof };
}

function parseSpec(id: SpecId, text: string): Spec {
  return buildSpec({ id, file: `.planner/specs/${id}.md`, archived: false }, parseReadable(text));
}

function parseSpecBody(text: string | null): string | null {
  const document = text === null ? null : parseDocument(text);
  return document?.ok === true ? document.body : null;
}

/** Returns the project's text of a spec; null if the spec no longer exists or cannot be read. */
async function readProjectText({ context }: RunDeps, id: SpecId): Promise<string | null> {
  const text = await context.specs.readText(id).then(
    (read) => read.text,
    () => null,
  );
  return text !== null && parseDocument(text).ok ? text : null;
}

import { OperationError } from "#kernel/errors.ts";
import type { Spec } from "../../spec/spec.ts";
import { makeStatement, type Statement } from "../../work/attestation.ts";
import { judgeCriteria } from "../../work/judge_criteria.ts";
import type { CriterionProof } from "../../work/provenance.ts";
import { openJob } from "../job.ts";
import type { RunDeps, StopWishes } from "../run_types.ts";
import { provenance } from "./provenance.ts";

const CONFIG = ".planner/config.md";

/**
 * Runs the checks of a spec in a new worktree of the commit that is checked out, and states what came of them.
 *
 * @throws OperationError `failed_precondition` without a commit that holds all there is
 */
export async function attestSpec(deps: RunDeps, spec: Spec, stop: StopWishes): Promise<Statement> {
  const { id, body, file } = spec;
  const { worktrees } = deps.ports;
  const state = await worktrees.projectState();
  const commit = state?.commit ?? null;
  if (state === null || commit === null) throw refusal(id, "there is no commit");
  if (state.uncommitted.length > 0) {
    throw refusal(id, `these files are not committed: ${state.uncommitted.slice(0, 5).join(", ")}`);
  }
  const blobs = await worktrees.blobs([file, CONFIG]);
  if (!blobs.has(file)) throw refusal(id, `"${file}" is not in the commit`);
  const proof = await provenance(
    deps,
    { ...(await openJob(deps, id, stop)), criteria: judgeCriteria(body, body), commands: [] },
    { kind: "commit", commit },
  );
  if (stop.soon.aborted) throw new OperationError("aborted", "interrupted before all checks were run");
  const kept = await worktrees.record(id, null);
  const annotations = {
    commands: proof.criteria.flatMap(({ check }) => check ?? []),
    agent: kept?.record["spec_id"] === id ? (kept.record["agent"] ?? null) : null,
  };
  const configuration = [...blobs]
    .sort(([path]) => (path === file ? -1 : 1))
    .map(([name, gitBlob], index) => ({ name, digest: { gitBlob }, ...(index === 0 ? { annotations } : {}) }));
  return makeStatement({ name: id, digest: { gitCommit: commit } }, { ...resultOf(proof.criteria), configuration });
}

/** A criterion without a check that ran proves nothing, whatever its box says. */
function resultOf(criteria: readonly CriterionProof[]) {
  const tests = criteria.map(({ label, verdict }, index) => ({ name: `${index + 1}: ${label}`, verdict }));
  const named = (has: (verdict: string) => boolean) => tests.filter((one) => has(one.verdict)).map(({ name }) => name);
  const passedTests = named((verdict) => verdict === "proven");
  const failedTests = named((verdict) => verdict === "disproven");
  const warnedTests = named((verdict) => verdict !== "proven" && verdict !== "disproven");
  const passed = warnedTests.length === 0 && passedTests.length > 0 ? "PASSED" : "WARNED";
  return { result: failedTests.length > 0 ? "FAILED" : passed, passedTests, warnedTests, failedTests } as const;
}

function refusal(id: string, why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot attest spec '${id}': ${why}`);
}

import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import { CONFIG_FILE } from "../../config/config.ts";
import { parseCriteria } from "../../spec/criteria.ts";
import { parseDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { buildUnprovenLine, isLineAccepted, judgeCriteria } from "../../work/acceptance.ts";
import { type AttestationStatement, buildAttestationStatement } from "../../work/attestation.ts";
import {
  type CriterionProof,
  type FailedCheck,
  hasChecks,
  listCompletionObstacles,
  listFailures,
  type ProofRequest,
  type Provenance,
} from "../../work/provenance.ts";
import { buildRunLocation, openJob } from "../job.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";
import { judgeProvenance } from "./provenance.ts";

export interface SpecToProve extends ProofRequest {
  /** Spec whose worktree contains the work: the spec itself, or the driver in whose run its member is finished. */
  readonly worktreeOf: SpecId;
}

/**
 * Judges a spec in its worktree, else in the project's folder. The criteria are those of the project's text, and those
 * that only the caller's text has.
 *
 * @param deps dependencies of the project itself, not of a worktree
 */
export async function proveSpec(deps: RunDeps, request: SpecToProve): Promise<Provenance> {
  const { id, body, only, commands = [], signal = new AbortController().signal, worktreeOf } = request;
  const label = only === undefined ? undefined : parseCriteria(body).find(({ number }) => number === only)?.label;
  const all = judgeCriteria((await readProjectBody(deps, id)) ?? body, body);
  const criteria = label === undefined ? all : all.filter((one) => one.label === label);
  const isRunning = hasChecks(criteria) || commands.length > 0;
  const worktree = isRunning ? await deps.ports.worktrees.findWorktree(worktreeOf) : null;
  const place = buildRunLocation(worktree?.root ?? deps.root, worktree);
  const judging = { ...(await openJob(deps, id, { soon: signal, now: signal })), criteria, commands };
  return judgeProvenance(deps, judging, { kind: "folder", place, fresh: false });
}

/** Returns the project's body of a spec; null if the spec does not exist or cannot be read. */
async function readProjectBody({ context }: RunDeps, id: SpecId): Promise<string | null> {
  const read = await context.specs.readText(id).catch(() => null);
  const document = read === null ? null : parseDocument(read.text);
  return document?.ok === true ? document.body : null;
}

/**
 * Runs the checks of a spec in a new worktree of the checked-out commit, and returns a statement of the results.
 *
 * @throws OperationError `failed_precondition` if no commit contains all of the folder's changes
 */
export async function attestSpec(deps: RunDeps, spec: Spec, stop: StopSignals): Promise<AttestationStatement> {
  const { id, body, file } = spec;
  const { worktrees } = deps.ports;
  const state = await worktrees.readProjectState();
  const commit = state?.commit ?? null;
  if (state === null || commit === null) throw buildAttestationError(id, "there is no commit");
  if (state.uncommitted.length > 0) {
    throw buildAttestationError(id, `these files are not committed: ${state.uncommitted.slice(0, 5).join(", ")}`);
  }
  const blobs = await worktrees.readBlobHashes([file, CONFIG_FILE]);
  if (!blobs.has(file)) throw buildAttestationError(id, `"${file}" is not in the commit`);
  const proof = await judgeProvenance(
    deps,
    { ...(await openJob(deps, id, stop)), criteria: judgeCriteria(body, body), commands: [] },
    { kind: "commit", commit },
  );
  if (stop.soon.aborted) throw new OperationError("aborted", "interrupted before all checks were run");
  const kept = await worktrees.readRecord(id, null);
  const annotations = {
    commands: proof.criteria.flatMap(({ check }) => check ?? []),
    agent: kept?.record["spec_id"] === id ? (kept.record["agent"] ?? null) : null,
  };
  const configuration = [...blobs]
    .sort(([path]) => (path === file ? -1 : 1))
    .map(([name, gitBlob], index) => ({ name, digest: { gitBlob }, ...(index === 0 ? { annotations } : {}) }));
  return buildAttestationStatement(
    { name: id, digest: { gitCommit: commit } },
    { ...summarizeProofs(proof.criteria), configuration },
  );
}

/** Sorts criteria into passed, failed and warned. A criterion whose check did not run is warned, even if ticked. */
function summarizeProofs(criteria: readonly CriterionProof[]) {
  const tests = criteria.map(({ label, verdict }, index) => ({ name: `${index + 1}: ${label}`, verdict }));
  const listNames = (has: (verdict: string) => boolean) =>
    tests.filter((one) => has(one.verdict)).map(({ name }) => name);
  const passedTests = listNames((verdict) => verdict === "proven");
  const failedTests = listNames((verdict) => verdict === "disproven");
  const warnedTests = listNames((verdict) => verdict !== "proven" && verdict !== "disproven");
  const passed = warnedTests.length === 0 && passedTests.length > 0 ? "PASSED" : "WARNED";
  return { result: failedTests.length > 0 ? "FAILED" : passed, passedTests, warnedTests, failedTests } as const;
}

function buildAttestationError(id: string, why: string): OperationError {
  return createPreconditionError(`Cannot attest spec '${id}': ${why}`);
}

export interface AdmissionOptions {
  readonly stop: StopSignals;
  /** Hashes of commits whose checks have just succeeded. */
  readonly proven?: ReadonlySet<string>;
  /** Receives the checks that fail. */
  readonly failed?: FailedCheck[];
}

/**
 * Returns the function by which a merge decides before it moves the main branch: the spec's checks must succeed on the
 * resulting commit, in a new worktree of it. A spec without checks is always admitted. Source: docs/decisions.md#s-61.
 */
export async function createMergeAdmission(
  deps: RunDeps,
  spec: Spec,
  { stop, proven = new Set(), failed }: AdmissionOptions,
): Promise<(commit: string) => Promise<readonly string[]>> {
  const { id, body } = spec;
  const criteria = judgeCriteria(body, body);
  if (!hasChecks(criteria) || (await isCompletedWithoutProof(deps, spec))) return async () => [];
  return async (commit) => {
    if (proven.has(commit)) return [];
    const proof = await proveCommit(deps, spec, { stop, commit });
    failed?.push(...listFailures(proof));
    return listCompletionObstacles(id, proof);
  };
}

/** Runs the checks of a spec in a new worktree of a commit. */
export async function proveCommit(
  deps: RunDeps,
  { id, body }: Spec,
  { stop, commit }: { readonly stop: StopSignals; readonly commit: string },
): Promise<Provenance> {
  const branch: Worktree | null = await deps.ports.worktrees.findWorktree(id);
  const judging = { ...(await openJob(deps, id, stop)), criteria: judgeCriteria(body, body), commands: [] };
  return judgeProvenance(deps, judging, { kind: "commit", commit, ...(branch === null ? {} : { branch }) });
}

/** Returns whether a person on this machine accepted the completion of the spec without proof. */
export async function isCompletedWithoutProof({ context }: RunDeps, { id, frontmatter }: Spec): Promise<boolean> {
  const { unproven } = frontmatter;
  return (
    typeof unproven === "string" &&
    isLineAccepted(await (await context.openAcceptance()).read(), buildUnprovenLine(id, unproven))
  );
}

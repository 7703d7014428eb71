import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { FolderState, Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import { listSomeNames } from "#words/names.ts";
import { CONFIG_FILE } from "../../config/config.ts";
import { parseCriteria } from "../../spec/criteria.ts";
import { parseDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import {
  type AcceptableLine,
  buildUnprovenLine,
  isLineAccepted,
  type JudgedCriterion,
  judgeCriteria,
  omitAcceptedLines,
} from "../../work/acceptance.ts";
import { type AttestationStatement, buildAttestationStatement } from "../../work/attestation.ts";
import { isPlannerFile } from "../../work/default_evidence.ts";
import {
  type CommandResult,
  type CriterionProof,
  type CriterionVerdict,
  deriveTickVerdict,
  type FailedCheck,
  hasChecks,
  isFailure,
  type JudgedState,
  listCompletionObstacles,
  listFailures,
  NOT_RUN_PROBLEM,
  NOT_RUN_RESULT,
  type ProofRequest,
  type Provenance,
} from "../../work/provenance.ts";
import { buildRunLocation, type CriteriaJob, openJob, runChecks, runInFreshWorktree } from "../job.ts";
import type { LocatedJob, RunDeps, RunLocation, StopSignals } from "../run_types.ts";
import { type CheckOrigin, findEditedFiles, findWorktreeOrigin } from "./edited_files.ts";

interface SpecToProve extends ProofRequest {
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

interface AdmissionOptions {
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

/** Maximum number of uncommitted files that a message names. */
const MAX_NAMED_PATHS = 5;

/**
 * The state to judge: a folder, or a commit in a new worktree of it.
 *
 * `fresh`: whether a folder that differs from its commit only in ignored files is judged in a new worktree; a spec's
 * worktree without such files always is. A folder
 * below another checkout of the repository always is, because programs find that checkout's files above their own; with
 * uncommitted changes its checks do not run.
 */
type JudgedLocation =
  | { readonly kind: "folder"; readonly place: RunLocation; readonly fresh: boolean }
  | {
      readonly kind: "commit";
      readonly commit: string;
      /** Worktree that has the commit checked out. */
      readonly branch?: Worktree;
      /** The state whose files decide whether checks pass, if there is no branch. */
      readonly since?: { readonly origin: CheckOrigin | null; readonly changed: WorktreeState["changed"] };
    };

/**
 * Judges the criteria of a spec: runs each accepted command once, and returns a verdict for every criterion. Runs
 * nothing for a spec without checks and commands. Source: docs/decisions.md#s-61.
 */
export async function judgeProvenance(
  deps: RunDeps,
  judging: CriteriaJob,
  judged: JudgedLocation,
): Promise<Provenance> {
  const { criteria, commands } = judging;
  if (commands.length === 0 && !hasChecks(criteria)) {
    const plain = criteria.map((one) => ({ ...one, verdict: deriveTickVerdict(one), check: null }));
    return { state: null, criteria: plain, commands: [], waiting: [], edited: [] };
  }
  if (judged.kind === "commit") {
    const { commit, branch = null, since } = judged;
    const held = (await branch?.holds()) ?? null;
    const { origin, changed } = since ?? { origin: findWorktreeOrigin(branch), changed: held?.changed ?? [] };
    return judgeFreshWorktree(deps, judging, { commit, held, origin, changed });
  }
  const { place, fresh } = judged;
  const held = (await place.worktree?.holds()) ?? (await deps.ports.worktrees.readProjectState());
  const commit = held?.commit ?? null;
  const clean = held !== null && listUncommittedFiles(held).length === 0;
  const nested = held?.nested === true;
  // What a check writes there is no change of the work.
  const isSame = place.worktree !== null && held?.ignored.length === 0;
  if (commit !== null && clean && (nested || fresh || isSame)) {
    return judgeFreshWorktree(deps, judging, {
      commit,
      held,
      origin: findWorktreeOrigin(place.worktree),
      changed: held.changed,
    });
  }
  const where = place.worktree === null ? "project" : "worktree";
  return judgeFolder(deps, { ...judging, place }, { held, origin: findWorktreeOrigin(place.worktree), where });
}

interface FreshState {
  readonly commit: string;
  readonly held: FolderState | null;
  /** State to compare with; null if only the commit is known. */
  readonly origin: CheckOrigin | null;
  /** Files that the commit changes against the origin. */
  readonly changed: WorktreeState["changed"];
}

async function judgeFreshWorktree(deps: RunDeps, judging: CriteriaJob, fresh: FreshState): Promise<Provenance> {
  const { commit, origin, changed } = fresh;
  return runInFreshWorktree(deps, judging, commit, async (placed, worktree) => {
    const held = { ...(fresh.held ?? (await worktree.holds())), changed, ignored: [], uncommitted: [], nested: false };
    return judgeFolder(deps, placed, { held, origin, where: "fresh" });
  });
}

async function judgeFolder(
  deps: RunDeps,
  judging: CriteriaJob & LocatedJob,
  folder: Pick<FreshState, "held" | "origin"> & { readonly where: JudgedState["where"] },
): Promise<Provenance> {
  const { criteria, commands } = judging;
  const { held, where } = folder;
  const accepted = await (await deps.context.openAcceptance()).read();
  const checks = criteria.flatMap(({ verify }) => (verify === null ? [] : [{ kind: "check" as const, text: verify }]));
  const lines: readonly AcceptableLine[] = [...commands.map((text) => ({ kind: "verify" as const, text })), ...checks];
  const runnable = lines.filter((line) => isLineAccepted(accepted, line)).map(({ text }) => text);
  const results =
    held?.nested === true ? refuseChecks(runnable, held) : await runChecks(deps, judging, [...new Set(runnable)]);
  const passed = new Set(results.flatMap(({ command, problem }) => (problem === null ? [command] : [])));
  const edited = await findEditedFiles(deps, judging, {
    ...folder,
    accepted,
    commands: [...new Set(checks.map(({ text }) => text))].filter((text) => passed.has(text)),
  });
  const byCommand = new Map(results.map((result) => [result.command, result]));
  const judgeCriterion = (criterion: JudgedCriterion): CriterionProof => {
    const { verify } = criterion;
    const check = verify === null ? null : (byCommand.get(verify) ?? null);
    const isEdited = edited.some(({ command }) => command === verify);
    return {
      ...criterion,
      check,
      verdict: decideVerdict(criterion, { check, isEdited, isRunnable: runnable.includes(verify ?? "") }),
    };
  };
  return {
    state: {
      ...{ commit: held?.commit ?? null, tree: held?.tree ?? null, where },
      beside: held === null ? [] : [...listUncommittedFiles(held), ...held.ignored],
    },
    criteria: criteria.map(judgeCriterion),
    commands: commands.flatMap((command) => byCommand.get(command) ?? []),
    waiting: omitAcceptedLines(accepted, lines),
    edited,
  };
}

/** Returns the results of checks that are not run in a folder below another checkout, see `JudgedLocation`. */
function refuseChecks(commands: readonly string[], held: FolderState): readonly CommandResult[] {
  const open = listSomeNames(listUncommittedFiles(held), MAX_NAMED_PATHS);
  const problem = `${NOT_RUN_PROBLEM}, since programs in a folder inside the project find the project's own files too, so that only a commit is judged: commit ${open} first`;
  return commands.map((command) => ({ ...NOT_RUN_RESULT, command, problem }));
}

function decideVerdict(
  criterion: JudgedCriterion,
  { check, isEdited, isRunnable }: { check: CommandResult | null; isEdited: boolean; isRunnable: boolean },
): CriterionVerdict {
  if (criterion.verify === null) return deriveTickVerdict(criterion);
  if (!isRunnable) return "proposed";
  if (check === null) return "not_run";
  if (check.problem !== null) return isFailure(check) ? "disproven" : "not_run";
  return isEdited ? "edited" : "proven";
}

/** Returns uncommitted files except planner's own, which change during work and on which no check depends. */
function listUncommittedFiles({ uncommitted }: FolderState): readonly string[] {
  return uncommitted.filter((path) => !isPlannerFile(path));
}

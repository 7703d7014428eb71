import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { SharedClaimOptions } from "#planner/store/remote_claims/remote_claims.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import type { RequestTarget } from "#planner/store/requests/requests.ts";
import { refuseInsideRun } from "../../operations/shared/change_spec.ts";
import { readCriteria } from "../../spec/criteria.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { judgeCriteria } from "../../work/acceptance.ts";
import { createCommitWriter } from "../../work/commit_message.ts";
import { isPlannerFile } from "../../work/default_evidence.ts";
import { hasChecks, listCompletionObstacles } from "../../work/provenance.ts";
import { buildNewRequestUrl, type ForgeRequest, type NewPullRequest } from "../../work/requests/forge.ts";
import { addPushedHead, formatRequestName, type RequestNote } from "../../work/requests/request_note.ts";
import {
  buildRequestBody,
  buildRequestTitle,
  type RequestFacts,
  replacePlannerSection,
} from "../../work/requests/request_text.ts";
import {
  buildReviewedCriteria,
  markCriterion,
  markProof,
  type ReviewedCriterion,
} from "../../work/reviewed_criteria.ts";
import { runWithClaim } from "../claims.ts";
import { buildFinalFields, describeMissingClaim, finalizeWorktreeSpec } from "../merge/complete_spec.ts";
import { isCompletedWithoutProof, proveCommit } from "../proof/prove_spec.ts";
import { type ReviewFacts, readReviewFacts } from "../review/review_facts.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";

export interface MakeRequestOptions {
  /** Whether to accept unfinished work too, and to create the request as a draft. */
  readonly draft: boolean;
  /** Whether to create a new request although the last one was closed. */
  readonly again: boolean;
  readonly shared: SharedClaimOptions;
  readonly stop: StopSignals;
}

export interface PullRequestResult {
  readonly spec_id: SpecId;
  /** `pushed`: the branch is at the remote, and a person has to create the request at `url`. */
  readonly outcome: "created" | "updated" | "pushed";
  readonly number: number | null;
  readonly url: string;
  readonly branch: string;
  readonly base: string;
  /** Full hash of the commit that was pushed. */
  readonly head: string;
  readonly title: string;
  readonly body: string;
  /** Sentences for a person. */
  readonly notes: readonly string[];
}

/** Text of a request, and the address at which a person can create it. */
export type RequestDraft = Pick<PullRequestResult, "spec_id" | "url" | "branch" | "base" | "head" | "title" | "body">;

/** Returns the text that a request would have. Changes nothing and contacts no remote. */
export async function draftRequest(
  deps: RunDeps,
  id: string,
  { draft, stop }: Pick<MakeRequestOptions, "draft" | "stop">,
): Promise<RequestDraft> {
  refuseInsideRun(deps.context, "pr");
  const work = await collectRequestFacts(deps, id, { allowsUnfinished: draft, stop });
  return buildRequestDraft(work, await deps.ports.requests.findTarget(work.spec_id));
}

function buildRequestDraft(work: ProvenWork, target: RequestTarget): RequestDraft {
  const { spec_id, branch, head } = work;
  const { base } = target;
  return {
    ...{ spec_id, branch, base, head },
    url: buildNewRequestUrl(target),
    title: buildRequestTitle(work),
    body: buildRequestBody(work),
  };
}

/**
 * Pushes the branch of finished work and creates its pull request, or updates an open one. A repeated call changes
 * nothing that is already up to date.
 *
 * @param id full or partial id of a spec
 * @throws OperationError that names the obstacle; commits pushed before it stay at the remote and are noted
 */
export async function makeRequest(deps: RunDeps, id: string, options: MakeRequestOptions): Promise<PullRequestResult> {
  refuseInsideRun(deps.context, "pr");
  const { draft, stop } = options;
  const work = await collectRequestFacts(deps, id, { allowsUnfinished: draft, stop });
  const { spec_id } = work;
  const target = await deps.ports.requests.findTarget(spec_id);
  return runWithClaim(deps, spec_id, "make a pull request of", async (claim) => {
    const known = (await deps.ports.requests.readNotes()).get(spec_id) ?? null;
    const there =
      target.program === null ? null : await findOpenRequest(deps, { work, target, known, wishes: options });
    const notes = work.isFinished ? await finalizeBranchSpec(deps, { claim, work, wishes: options }) : [];
    const { head, commits } = (await deps.ports.differences.readBranchDifference(spec_id)) ?? work;
    const final = { ...work, head, commits };
    const pushed = await pushWorkBranch(deps, { work: final, target, known });
    return sendRequest(deps, {
      work: final,
      target,
      there,
      wishes: options,
      pushed: { ...pushed, notes: [...notes, ...pushed.notes] },
    });
  });
}

interface RequestSearch {
  readonly work: ProvenWork;
  readonly target: RequestTarget;
  readonly known: RequestNote | null;
  readonly wishes: MakeRequestOptions;
}

/**
 * Returns the open request of the branch; null if one has to be created.
 *
 * @throws OperationError `failed_precondition` if the last request was closed, or merged with all commits of the branch
 */
async function findOpenRequest(
  deps: RunDeps,
  { work, target, known, wishes }: RequestSearch,
): Promise<ForgeRequest | null> {
  const { spec_id, head } = work;
  const all = (await deps.ports.requests.listRequests(target)).filter(({ base }) => base === target.base);
  const open = all.find(({ state }) => state === "open");
  if (open !== undefined) return open;
  const last = all.toSorted((one, other) => other.number - one.number)[0];
  if (last === undefined || wishes.again) return null;
  const name = formatRequestName({ ...target.target, number: last.number });
  const throwRefusal = (why: string): never => {
    throw createPreconditionError(`Cannot make a pull request of spec '${spec_id}': ${why}`);
  };
  if (last.state === "closed") {
    throwRefusal(`${name} was closed without a merge (${last.url}): open it again there, or add --new for another one`);
  }
  // Commits after the merged one are further work.
  const isMerged = last.head === head || last.head === known?.head;
  if (isMerged) throwRefusal(`${name} was merged (${last.url}): "planner pr --sync ${spec_id}" takes that over`);
  return null;
}

/** Commits the completed status on the branch, so the merge completes the spec, and makes a shared claim final. */
async function finalizeBranchSpec(
  deps: RunDeps,
  { claim, work, wishes }: { readonly claim: Claim; readonly work: ProvenWork; readonly wishes: MakeRequestOptions },
): Promise<readonly string[]> {
  const { context, ports } = deps;
  const { spec_id: id } = work;
  const final = await claim.finish(wishes.shared);
  if (final.kind !== "own") throw createPreconditionError(describeMissingClaim(id, final));
  const spec = await context.specs.load(id);
  const worktree = await ports.worktrees.findWorktree(id);
  if (worktree === null || spec.archived) return final.notes;
  const { problems } = await worktree.settle();
  if (problems.length > 0) throw createPreconditionError(problems.join("; "));
  const message = createCommitWriter((await context.readConfig()).git.commit_template, spec);
  await finalizeWorktreeSpec({ id, worktree, message }, buildFinalFields(deps, spec, null));
  return final.notes;
}

interface PushedWork {
  readonly note: RequestNote;
  readonly notes: readonly string[];
}

/** Pushes the branch. Stores the commit in the request's note before the push, so that it is recorded after a kill. */
async function pushWorkBranch(
  deps: RunDeps,
  { work, target, known }: Pick<RequestSearch, "work" | "target" | "known">,
): Promise<PushedWork> {
  const { requests } = deps.ports;
  const { spec_id: id, branch, head } = work;
  const { target: into, remote, base } = target;
  const isSame = known !== null && known.remote === remote && known.branch === branch;
  const began = await requests.findBranchStart(id);
  const note = addPushedHead(
    {
      ...into,
      ...{ remote, branch, base, began },
      state: "open",
      number: isSame ? known.number : null,
      url: isSame ? known.url : buildNewRequestUrl(target),
      head: isSame ? known.head : null,
      pushed: isSame ? known.pushed : [],
    },
    head,
  );
  await requests.writeNote(id, note);
  const { notes } = await requests.pushBranch(target, note.pushed);
  const pushed = { ...note, head };
  await requests.writeNote(id, pushed);
  const { records } = (await deps.context.readConfig()).pr;
  const refusal = records ? await requests.pushRecords(id, target) : null;
  return { note: pushed, notes: [...notes, ...(refusal === null ? [] : [`its records were not pushed: ${refusal}`])] };
}

interface RequestToSend extends Omit<RequestSearch, "known"> {
  readonly there: ForgeRequest | null;
  readonly pushed: PushedWork;
}

async function sendRequest(
  deps: RunDeps,
  { work, target, there, wishes, pushed }: RequestToSend,
): Promise<PullRequestResult> {
  const { requests } = deps.ports;
  const { spec_id, branch } = work;
  const { base } = target;
  const draft = buildRequestDraft(work, target);
  const { title, body } = draft;
  const made = { spec_id, branch, base, head: work.head, title };
  if (target.program === null) {
    return { ...made, outcome: "pushed", number: null, url: draft.url, body, notes: pushed.notes };
  }
  const request = await createOrUpdateRequest(deps, { target, there, title, body, draft: wishes.draft });
  const { number, url } = request;
  await requests.writeNote(spec_id, { ...pushed.note, number, url, state: "open" });
  const outcome = there === null ? "created" : "updated";
  const isLate = there !== null && wishes.draft;
  const notes = [...pushed.notes, ...(isLate ? ["the request is open already: --draft changes nothing of it"] : [])];
  return { ...made, outcome, number, url, body: request.body, notes };
}

interface RequestContent extends NewPullRequest {
  readonly target: RequestTarget;
  readonly there: ForgeRequest | null;
}

async function createOrUpdateRequest(
  deps: RunDeps,
  { target, there, title, body, draft }: RequestContent,
): Promise<ForgeRequest> {
  const { requests } = deps.ports;
  if (there !== null) {
    const whole = replacePlannerSection(there.body, body);
    return whole === there.body ? there : requests.updateRequest(target, there.number, whole);
  }
  try {
    return await requests.createRequest(target, { title, body }, draft);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    // The forge may have created the request although its answer was lost.
    const found = await requests.listRequests(target).catch(() => []);
    const open = found.find(({ state, base }) => state === "open" && base === target.base);
    if (open !== undefined) return open;
    const { message } = error;
    const url = buildNewRequestUrl(target);
    throw new OperationError(
      error.kind,
      `The branch "${target.branch}" is pushed, its request was not made: ${message}: make it at ${url}`,
      { cause: error },
    );
  }
}

/** Content of a request, and the commit that it describes. */
interface ProvenWork extends RequestFacts {
  readonly spec_id: SpecId;
  readonly branch: string;
  /** Full hash of the branch's last commit. */
  readonly head: string;
  /** Whether the spec is completed, so that merging the request also completes it in other clones. */
  readonly isFinished: boolean;
}

/**
 * Collects the content of a request for the work on a spec. Runs checks that have not run on the present state of the
 * work.
 *
 * @param allowsUnfinished whether to accept work that no person has accepted or whose checks fail
 * @throws OperationError `failed_precondition` for work that is unfinished or uncommitted, with what to do
 */
async function collectRequestFacts(
  deps: RunDeps,
  text: string,
  { allowsUnfinished, stop }: { readonly allowsUnfinished: boolean; readonly stop: StopSignals },
): Promise<ProvenWork> {
  const facts = await readReviewFacts(deps, text, "make a pull request of");
  const { spec_id, title, branch, difference, record, need } = facts;
  const throwRefusal = (why: string): never => {
    throw createPreconditionError(`Cannot make a pull request of spec '${spec_id}': ${why}`);
  };
  if (facts.problem !== null) throwRefusal(facts.problem);
  if (branch === null) return throwRefusal(describeMissingBranch(facts));
  if (facts.uncommitted.length > 0) {
    throwRefusal(`"${facts.uncommitted[0]}" is not committed in ${facts.worktree}: commit it there`);
  }
  if (difference === null || difference.commits.length === 0)
    return throwRefusal("its branch has no commit of its own");
  const isFinished = need?.kind === "finished";
  if (!isFinished && !allowsUnfinished) {
    throwRefusal(`its work is not finished (${facts.status}): "planner pr ${spec_id} --draft" shows it as a draft`);
  }
  const spec = await deps.context.specs.load(spec_id);
  const { head, commits, files } = difference;
  const criteria = await proveOpenCriteria(deps, { facts, spec, head, stop, allowsUnfinished });
  const { dropped } = readCriteria(spec.body);
  return { spec_id, title, criteria, dropped, record, branch, head, isFinished, commits, files: files.length };
}

function describeMissingBranch({ members, spec_id }: ReviewFacts): string {
  const first = members.find(({ need }) => need !== null)?.spec_id;
  if (first === undefined) return "its run had no branch";
  return `its members have the branches: "planner pr ${first}"${members.length > 1 ? " and the others" : ""}, not ${spec_id}`;
}

interface CriteriaToProve {
  readonly facts: ReviewFacts;
  readonly spec: Spec;
  readonly head: string;
  readonly stop: StopSignals;
  readonly allowsUnfinished: boolean;
}

async function proveOpenCriteria(deps: RunDeps, judged: CriteriaToProve): Promise<readonly ReviewedCriterion[]> {
  const { facts, spec, head, stop, allowsUnfinished } = judged;
  const kept = await deps.ports.worktrees.readRecord(spec.id, null);
  const recorded = facts.record?.head ?? null;
  const isSame = recorded !== null && (recorded === head || (await differOnlyInPlannerFiles(deps, recorded, head)));
  const criteria = isSame ? buildReviewedCriteria(spec, kept, recorded) : facts.criteria;
  const isProven = criteria.every(({ verify, mark }) => verify === null || mark === "proven");
  if (isProven || !hasChecks(judgeCriteria(spec.body, spec.body))) return copyTicks(criteria, facts);
  if (await isCompletedWithoutProof(deps, spec)) return copyTicks(criteria, facts);
  const proof = await proveCommit(deps, spec, { stop, commit: head });
  const reasons = listCompletionObstacles(spec.id, proof);
  if (reasons.length > 0 && !allowsUnfinished) {
    throw createPreconditionError(
      `Cannot make a pull request of spec '${spec.id}': its checks do not succeed on its last commit: ${reasons.join("; ")}`,
    );
  }
  const at = deps.context.clock.now().toISOString();
  return copyTicks(criteria, facts).map((criterion) => {
    const found = proof.criteria.find(({ label, verify }) => label === criterion.label && verify === criterion.verify);
    return found === undefined || criterion.verify === null
      ? criterion
      : markProof(criterion, found, { at, commit: head });
  });
}

/** Copies ticks from the worktree's criteria, which the project's file gets only with the merge. */
function copyTicks(
  criteria: readonly ReviewedCriterion[],
  { criteria: there }: ReviewFacts,
): readonly ReviewedCriterion[] {
  return criteria.map((one) =>
    markCriterion({
      ...one,
      checked: one.checked || there.some(({ label, checked }) => label === one.label && checked),
    }),
  );
}

/** Returns whether two commits differ only in planner's files, as after the commit that completes a spec. */
async function differOnlyInPlannerFiles(deps: RunDeps, from: string, to: string): Promise<boolean> {
  const difference = await deps.ports.differences.readCommitDifference(from, to);
  return difference?.files.every(({ path }) => isPlannerFile(path)) === true;
}

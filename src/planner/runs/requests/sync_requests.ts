import { OperationError } from "#kernel/errors.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import type { RequestTarget } from "#planner/store/requests/requests.ts";
import type { ForgeMerge, MergeEvidence } from "#planner/store/worktrees/search_merge.ts";
import { refuseInsideRun } from "../../operations/shared/change_spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { buildRequestRef, FORGE_PROGRAMS, type ForgeRequest } from "../../work/requests/forge.ts";
import { formatRequestName, type RequestNote } from "../../work/requests/request_note.ts";
import { runWithClaim } from "../claims.ts";
import type { MergeResult, MergeSpecOptions } from "../merge/complete_spec.ts";
import type { RunDeps } from "../run_types.ts";
import { completeMergedSpec } from "./take_merged.ts";

/** State of a pull request, and the result for its spec. */
export interface SyncedRequest {
  readonly spec_id: SpecId;
  /**
   * `found`: the main branch contains the work, and `result` has the outcome for the spec. `missing`: the request was
   * merged or no request is known, and the main branch does not contain the work.
   */
  readonly outcome: "open" | "closed" | "found" | "missing" | "refused";
  readonly number: number | null;
  /** Address of the request's page; null if none is known. */
  readonly url: string | null;
  /** Evidence by which the merge was found; null for other outcomes. */
  readonly sign: MergeEvidence | null;
  readonly result: MergeResult | null;
  /** Reason of outcome `refused` or `missing`; null for other outcomes. */
  readonly reason: string | null;
  /** Sentences for a person. */
  readonly notes: readonly string[];
}

/** Notes about each main branch that this call has updated, by repository and branch. */
type AdvancedBranches = Map<string, readonly string[]>;

/**
 * Reads the state of pull requests, and completes the specs whose work the main branch now contains.
 *
 * @param onResult called with each result as it arrives
 */
export async function syncRequests(
  deps: RunDeps,
  { ids, ...options }: MergeSpecOptions & { readonly ids: readonly SpecId[] },
  onResult: (result: SyncedRequest) => void = () => {},
): Promise<readonly SyncedRequest[]> {
  refuseInsideRun(deps.context, "pr");
  const notes = await deps.ports.requests.readNotes();
  const advanced: AdvancedBranches = new Map();
  const results: SyncedRequest[] = [];
  for (const id of ids) {
    if (options.stop.soon.aborted) break;
    const result = await syncRequest(deps, { id, note: notes.get(id) ?? null, wishes: options, advanced });
    results.push(result);
    onResult(result);
  }
  return results;
}

interface RequestToSync {
  readonly id: SpecId;
  readonly note: RequestNote | null;
  readonly wishes: MergeSpecOptions;
  readonly advanced: AdvancedBranches;
}

/** Syncs one request. Returns an OperationError as outcome `refused`, so that it does not stop the other requests. */
async function syncRequest(deps: RunDeps, syncing: RequestToSync): Promise<SyncedRequest> {
  const { id, note } = syncing;
  try {
    return await runWithClaim(deps, id, "look for the merge of", (claim) => findAndCompleteMerge(deps, claim, syncing));
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const plain = { spec_id: id, number: note?.number ?? null, url: note?.url ?? null };
    return { ...plain, outcome: "refused", sign: null, result: null, reason: error.message, notes: [] };
  }
}

async function findAndCompleteMerge(
  deps: RunDeps,
  claim: Claim,
  { id, note, wishes, advanced }: RequestToSync,
): Promise<SyncedRequest> {
  const { context, ports } = deps;
  const { requests } = ports;
  const target = await requests.findTarget(id);
  const asked = await queryForge(deps, target, note);
  const spec = await context.specs.load(id);
  const worktree = await ports.worktrees.findWorktree(id);
  const state = (await worktree?.settle()) ?? null;
  const isOpen = asked.request?.state === "open";
  const news = isOpen ? [] : await updateMainBranchOnce(deps, { id, target, advanced });
  const { request } = asked;
  const search = await requests.searchMerge(id, {
    forge: buildForgeMerge(target, request),
    remote: target.remote,
    began: note?.began ?? null,
  });
  const notes = [...asked.notes, ...news, ...(search.found === null ? search.notes : [])];
  const number = request?.number ?? note?.number ?? null;
  const about = { spec_id: id, number, url: request?.url ?? note?.url ?? null, notes };
  if (search.found !== null) {
    const result = await completeMergedSpec(deps, claim, { spec, worktree, state, wishes }, search);
    return { ...about, outcome: "found", sign: search.found.sign, result, reason: null };
  }
  if (note !== null && request !== null) {
    await requests.writeNote(id, { ...note, number: request.number, url: request.url, state: request.state });
  }
  return { ...about, ...describeUnmergedRequest(id, { request, note, forge: target.target.forge }) };
}

interface UnmergedRequest {
  readonly request: ForgeRequest | null;
  readonly note: RequestNote | null;
  readonly forge: RequestTarget["target"]["forge"];
}

function describeUnmergedRequest(
  id: SpecId,
  { request, note, forge }: UnmergedRequest,
): Pick<SyncedRequest, "outcome" | "sign" | "result" | "reason"> {
  const plain = { sign: null, result: null, reason: null };
  // Without a request, the outcome depends only on the search for the work.
  const state = request?.state ?? note?.state ?? "merged";
  if (state !== "merged") return { ...plain, outcome: state };
  const what =
    request === null
      ? "nothing in the main branch shows its work"
      : `${formatRequestName({ forge, number: request.number })} was merged${request.merged === null ? "" : ` as ${request.merged.slice(0, 10)}`}, and nothing in the main branch shows this work`;
  const reason = `${what}: if a commit has it, "planner merge ${id} --as <commit>" takes that`;
  return { ...plain, outcome: "missing", reason };
}

interface ForgeAnswer {
  /** Request at the forge; null if the forge was not queried or has none. */
  readonly request: ForgeRequest | null;
  readonly notes: readonly string[];
}

async function queryForge(deps: RunDeps, target: RequestTarget, note: RequestNote | null): Promise<ForgeAnswer> {
  const { requests } = deps.ports;
  if (target.program === null) {
    const program = FORGE_PROGRAMS[target.target.forge];
    return { request: null, notes: [`${program} is not installed: only git was asked`] };
  }
  try {
    if (note !== null && note.number !== null) {
      return { request: await requests.readRequest(target, note.number), notes: [] };
    }
    const all = await requests.listRequests(target);
    const newest = all.toSorted((one, other) => other.number - one.number);
    return { request: newest.find(({ state }) => state === "open") ?? newest[0] ?? null, notes: [] };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { request: null, notes: [`${error.message}: only git was asked`] };
  }
}

function buildForgeMerge({ target }: RequestTarget, request: ForgeRequest | null): ForgeMerge | null {
  if (request === null || request.state !== "merged") return null;
  const { head, merged, number } = request;
  return { head, commit: merged, ref: buildRequestRef(target.forge, number) };
}

/** Fast-forwards the main branch to its remote, once per `syncRequests` call, so merges at the forge are found. */
async function updateMainBranchOnce(
  deps: RunDeps,
  {
    id,
    target,
    advanced,
  }: { readonly id: SpecId; readonly target: RequestTarget; readonly advanced: AdvancedBranches },
): Promise<readonly string[]> {
  const key = `${target.target.path} ${target.base}`;
  const known = advanced.get(key);
  if (known !== undefined) return known;
  const notes = await updateMainBranch(deps, id, target);
  advanced.set(key, notes);
  return notes;
}

async function updateMainBranch(deps: RunDeps, id: SpecId, target: RequestTarget): Promise<readonly string[]> {
  try {
    const answer = await deps.ports.requests.advanceMainBranch(id, target);
    if (answer !== "diverged") return [];
    return [
      `your main branch and "${target.base}" of remote "${target.remote}" have both moved on: "git pull --rebase" joins them`,
    ];
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return [`your main branch was not brought up to date: ${error.message}`];
  }
}

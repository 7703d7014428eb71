import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createPreconditionError, ignoreRefusal, OperationError } from "#kernel/errors.ts";
import type { ClaimResult, FileClaim, openClaims } from "#planner/store/locks/local_claims.ts";
import type { ProcessMark } from "#planner/store/processes/run_processes.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { PlannerConfig } from "../../config/config.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { describeHolder, getUnchangedMs, isKeptByHand, KEPT_BY_HAND } from "../../work/claims/decide_claim.ts";
import { createCommitWriter } from "../../work/commit_message.ts";
import { Git } from "../git/git.ts";
import { runWithRemoteLock } from "../locks/project_lock.ts";
import { ClaimRemote, openClaimRemote } from "./claim_remote.ts";
import {
  ClaimSession,
  readClaimsFile,
  readMonotonicTime,
  readStoredClaims,
  type StoredClaims,
} from "./claim_session.ts";
import {
  changeRemoteClaim,
  findDoneInMain,
  giveUpRemoteClaim,
  listDoneClaims,
  listMainRefs,
  pruneDoneClaims,
  type RemoteClaimSettings,
  type RemoteClaimsContext,
  releaseRemoteClaim,
  renewRemoteClaims,
  runClaimSession,
  type SharedClaimOptions,
  type SharedClaimResult,
  testClaimSupport,
} from "./remote_claims.ts";

export interface OtherCloneClaim {
  readonly id: SpecId;
  /** `done`: the other clone finished the spec; the remote's main branch is not yet known to contain the work. */
  readonly state: "held" | "done";
  /** Git committer name of the other clone, without control characters. */
  readonly by: string;
  /** Milliseconds since this clone first saw the claim in its present state. */
  readonly seenForMs: number;
}

/** A problem that keeps shared claims from protecting specs. */
export interface SharedClaimProblem {
  readonly message: string;
  /** What a person can do; null if the repair suffices. */
  readonly advice: string | null;
  /** Repairs the problem, as `ProjectProblem.repair` does. */
  readonly repair?: () => Promise<string | null>;
}

/** Number of times per renewal interval at which planner checks whether a renewal is due. */
const CHECKS_PER_RENEWAL = 4;

/** Minimum time between two checks for a due renewal, in milliseconds. */
const MIN_CHECK_INTERVAL_MS = 250;

interface SharedClaimsOptions {
  readonly root: string;
  readonly local: ReturnType<typeof openClaims>;
  readonly config: () => Promise<PlannerConfig>;
  readonly isLive: (id: SpecId) => boolean;
}

export type SpecClaims = ReturnType<typeof openSharedClaims>;

/**
 * Opens this clone's claims, which other clones see if the settings name a git remote. Within a clone the local claim
 * decides, so a process contacts the remote only while it holds the local claim. At most one process works on a spec at
 * a time; one process may claim any number of specs. A claim on this machine is stale if its process has ended, a claim
 * of another machine if its heartbeat is older than `HEARTBEAT_LIMIT_MS`. Only stale claims are taken over. Source:
 * docs/decisions.md#s-23; docs/claims.md.
 */
export function openSharedClaims(parts: SharedClaimsOptions) {
  const { local } = parts;
  const active = new ActiveClaims(parts);
  return {
    ...local,
    /** Lists claims of other clones, if the settings name a remote. Cost: at most one request to it in 30 seconds. */
    listOtherClaims: async () => listIfShared(await findRemoteContext(parts), readOtherClaims),
    /** Finds problems of claims that other clones see; `contact` queries the remote too, as `share` does. */
    findProblems: async (contact: boolean) =>
      listIfShared(await findRemoteContext(parts), (place) => examineClaims(place, contact)),
    /**
     * Changes the shared claim of a spec, if the settings name a remote, for a person who works by hand.
     *
     * - `finish`: makes the claim final as `Claim.finish` does, before the spec is completed
     * - `keep`: holds the claim without renewals, and no clone treats it as stale
     * - `give up`: releases the claim, so that any clone may begin the spec
     *
     * Call it while no process works on the spec.
     */
    changeByHand: (id: SpecId, deed: ManualClaimChange["deed"], wishes: SharedClaimOptions) =>
      changeClaimByHand(parts, id, { deed, wishes }),
    /** Claims a spec, without waiting for another holder. @param processId id of the run */
    async claim(id: SpecId, processId: string): Promise<ClaimResult<Claim>> {
      const answer = await local.claim(id, processId);
      if (!("claim" in answer)) return answer;
      return { ...answer, claim: new Claim(answer.claim, { parts, active, processId }) };
    },
  };
}

interface ClaimParts {
  readonly parts: SharedClaimsOptions;
  readonly active: ActiveClaims;
  readonly processId: string;
}

/** A claim of this process. Its heartbeat is renewed automatically while the process runs. */
export class Claim {
  readonly id: SpecId;
  readonly #local: FileClaim;
  readonly #parts: ClaimParts;
  readonly #lost = new AbortController();
  /** Whether the claim stays after the run, because its work is finished but not yet merged at the remote. */
  #isKept = false;

  constructor(local: FileClaim, parts: ClaimParts) {
    this.id = local.id;
    this.#local = local;
    this.#parts = parts;
  }

  /** Aborted once another clone holds the shared claim; the abort reason is a clause that names that clone. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get processId(): string {
    return this.#parts.processId;
  }

  markLost(to: string): void {
    this.#lost.abort(`its claim was lost to ${to}, who works on it in another clone`);
  }

  /** Takes the shared claim too, if the settings name a remote. Call it before a run, after leftovers were ended. */
  async share({ steal, offline }: SharedClaimOptions): Promise<SharedClaimResult> {
    const { parts, active, processId } = this.#parts;
    const place = await findRemoteContext(parts);
    if (place === null) return { kind: "own", notes: [] };
    const { remote } = place.settings;
    if (offline) {
      const note = `works offline: remote "${remote}" was not asked whether another clone works on the spec`;
      return { kind: "own", notes: [note] };
    }
    const answer = await changeRemoteClaim(place, this.id, { state: "held", processId, steal });
    if (answer.kind !== "own") return answer;
    if (answer.shared) active.addClaim(this, place);
    return { kind: "own", notes: answer.notes };
  }

  /** Makes the shared claim final before completion or merge. Afterwards no other clone begins or merges the spec. */
  async finish({ steal, offline }: SharedClaimOptions): Promise<SharedClaimResult> {
    const { parts, active, processId } = this.#parts;
    const place = await findRemoteContext(parts);
    if (place === null) return { kind: "own", notes: [] };
    // From here on the run's work is finished, so the claim stays, whatever the remote answers.
    this.#isKept = true;
    active.removeClaim(this);
    if (offline) {
      return { kind: "own", notes: [describeSkippedRemote(place)] };
    }
    const answer = await changeRemoteClaim(place, this.id, { state: "done", processId, steal });
    return answer.kind === "own" ? { kind: "own", notes: answer.notes } : answer;
  }

  /** Writes the heartbeat now. Returns false if the claim was lost; the caller must then stop its work. */
  renew(): Promise<boolean> {
    return this.#local.renew();
  }

  /** Records the agent's process, so a later process can end it if this one is killed; false if the claim was lost. */
  recordAgent(agent: ProcessMark): Promise<boolean> {
    return this.#local.recordAgent(agent);
  }

  /** Releases the local claim first, so that waiters in this clone do not wait for the remote. */
  async release(): Promise<void> {
    const { parts, active, processId } = this.#parts;
    active.removeClaim(this);
    await this.#local.release();
    if (this.#isKept) return;
    try {
      const place = await findRemoteContext(parts);
      if (place !== null) await releaseRemoteClaim(place, this.id, processId);
    } catch (error) {
      // The claim is stored as ended and released with the next call; to other clones it becomes stale after a while.
      if (!(error instanceof OperationError)) throw error;
    }
  }
}

/** The claims of this process, and the timer that renews those of the clone. */
class ActiveClaims {
  readonly #claims = new Set<Claim>();
  readonly #root: string;
  #timer: NodeJS.Timeout | undefined;
  #busy = false;

  constructor({ root }: SharedClaimsOptions) {
    this.#root = root;
  }

  addClaim(claim: Claim, place: RemoteClaimsContext): void {
    this.#claims.add(claim);
    if (this.#timer !== undefined) return;
    const everyMs = Math.max(place.settings.renewMs / CHECKS_PER_RENEWAL, MIN_CHECK_INTERVAL_MS);
    this.#timer = setInterval(() => void this.#renewClaims(place), everyMs);
    this.#timer.unref();
  }

  removeClaim(claim: Claim): void {
    this.#claims.delete(claim);
    if (this.#claims.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #renewClaims(place: RemoteClaimsContext): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await renewRemoteClaims(place);
    } catch {
      // The active run continues, and the next check tries again.
    } finally {
      this.#busy = false;
    }
    // Another process of this clone may have found the claim lost.
    const own = readClaimsFile(this.#root)?.own;
    for (const claim of this.#claims) {
      const known = own?.get(claim.id);
      if (known?.process === claim.processId && known.lostTo !== null) claim.markLost(known.lostTo);
    }
  }
}

interface ManualClaimChange {
  readonly deed: "finish" | "keep" | "give up";
  readonly wishes: SharedClaimOptions;
}

async function changeClaimByHand(
  parts: SharedClaimsOptions,
  id: SpecId,
  { deed, wishes: { steal, offline } }: ManualClaimChange,
): Promise<SharedClaimResult> {
  const place = await findRemoteContext(parts);
  if (place === null) return { kind: "own", notes: [] };
  if (offline) return { kind: "own", notes: [describeSkippedRemote(place)] };
  if (deed === "give up") return giveUpRemoteClaim(place, id);
  const processId = deed === "keep" ? KEPT_BY_HAND : `${id}-by-hand`;
  const answer = await changeRemoteClaim(place, id, { state: "done", processId, steal });
  return answer.kind === "own" ? { kind: "own", notes: answer.notes } : answer;
}

function describeSkippedRemote({ settings }: RemoteClaimsContext): string {
  return `remote "${settings.remote}" was not asked who may finish the spec`;
}

/** Returns the result of `list`; empty without a remote for claims. */
async function listIfShared<Item>(
  place: RemoteClaimsContext | null,
  list: (place: RemoteClaimsContext) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  return place === null ? [] : list(place);
}

/** Returns the remote's settings with the project; null without a remote for claims. */
async function findRemoteContext({ root, config, isLive }: SharedClaimsOptions): Promise<RemoteClaimsContext | null> {
  const settings = buildRemoteSettings(await config());
  return settings === null ? null : { root, settings, isLive };
}

/** Returns the settings of claims at a remote, or null if the project has none. */
function buildRemoteSettings({ claims, defaults, git }: PlannerConfig): RemoteClaimSettings | null {
  if (claims.remote === null) return null;
  return {
    remote: claims.remote,
    renewMs: claims.renew_minutes * 60_000,
    mainBranch: defaults.main_branch,
    message: (id) => createCommitWriter(git.commit_template, { id, title: null }),
  };
}

/** Minimum time between two queries by commands that only read, in milliseconds. Source: docs/claims.md. */
const QUERY_INTERVAL_MS = 30_000;

/** Maximum duration of a query by a reading command, in ms. Chosen by planner: the list works without the result. */
const QUERY_LIMIT_MS = 5_000;

/** Protocols that run no program which a repository names. */
const SAFE_PROTOCOLS_ENV = { GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" };

/**
 * Returns the claims of other clones as seen at most 30 seconds ago; older ones while the remote cannot be reached.
 * Queries the remote only if this clone has used its claims before, and only with the user's own git settings, because
 * read commands run no program that the repository names. Never throws OperationError.
 */
async function readOtherClaims(place: RemoteClaimsContext): Promise<readonly OtherCloneClaim[]> {
  const before = readClaimsFile(place.root);
  if (before?.support !== "yes") return [];
  if (isQueryDue(before)) await queryRemote(place).catch(ignoreRefusal);
  const { seen, own, clone } = readClaimsFile(place.root) ?? before;
  const now = readMonotonicTime();
  return [...seen]
    .filter(([id, { oid, text }]) => text?.clone !== clone && own.get(id)?.base !== oid)
    .map(([id, claim]) => ({
      id,
      state: claim.text?.state === "done" && !isKeptByHand(claim) ? "done" : "held",
      by: describeHolder({ seen: claim }),
      seenForMs: getUnchangedMs(claim, now),
    }));
}

function isQueryDue({ asked }: StoredClaims): boolean {
  const now = readMonotonicTime();
  return asked === null || asked.boot !== now.boot || now.ms - asked.ms >= QUERY_INTERVAL_MS;
}

async function queryRemote({ root, settings, isLive }: RemoteClaimsContext): Promise<void> {
  const task = async (): Promise<void> => {
    const found = await openClaimRemote(root, settings.remote);
    const known = readStoredClaims(root, found.url);
    if (!isQueryDue(known)) return;
    const folder = await mkdtemp(join(tmpdir(), "planner-look-"));
    try {
      const remote = await openRemoteFromFolder(folder, found);
      await new ClaimSession(remote, { root, known, isLive }).queryRemote();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  // If another process holds the lock, that process queries the remote.
  await runWithRemoteLock(root, task, 0);
}

/** Returns the same remote from an empty repository, in which only the user's own settings apply. */
async function openRemoteFromFolder(folder: string, { name, url, git }: ClaimRemote): Promise<ClaimRemote> {
  const format = (await git.tryReadOutput(["rev-parse", "--show-object-format"])) ?? "sha1";
  const empty = new Git(folder).withWriteAccess();
  await empty.run(["init", "-q", "--bare", "--template=", `--object-format=${format}`]);
  const address = /^[a-z+]+:\/\/|^[^/]+:/i.test(url) ? url : resolve(git.cwd, url);
  return new ClaimRemote({
    name,
    url: address,
    git: empty,
    prefix: "",
    env: SAFE_PROTOCOLS_ENV,
    limitMs: QUERY_LIMIT_MS,
  });
}

/** Push ms above which git probably waited for a person. Chosen by planner: slow networks and servers take seconds. */
const SLOW_PUSH_MS = 10_000;

/** Usual name of the remote from which a fork was made. */
const UPSTREAM_REMOTE = "upstream";

/**
 * Finds problems that keep shared claims from protecting specs. Changes nothing.
 *
 * @param contact whether to query the remote, with the repository's git settings
 */
async function examineClaims(place: RemoteClaimsContext, contact: boolean): Promise<readonly SharedClaimProblem[]> {
  try {
    return await runClaimSession(place, async (session) => [
      ...findUnsupportedServer(place, session),
      ...findSlowPush(session),
      ...(await findForkedRemote(session.remote)),
      ...(contact ? await findFinishedClaims(place, session) : []),
    ]);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const isAway = error.kind === "unavailable";
    const advice = isAway
      ? "until it can be reached, planner work --offline works without it"
      : 'set "claims.remote" in .planner/config.md to a remote with one push address';
    return [{ message: error.message, advice }];
  }
}

function findUnsupportedServer(
  place: RemoteClaimsContext,
  { storedClaims }: ClaimSession,
): readonly SharedClaimProblem[] {
  if (storedClaims.support !== "no") return [];
  return [
    {
      message: `${storedClaims.refusal}: other clones do not see this clone's claims`,
      advice: "ask the server's owner to allow refs/planner/claims/, then run planner doctor --fix",
      repair: () =>
        runClaimSession(place, async (session) => {
          await testClaimSupport(session);
          if (session.storedClaims.support === "yes") return "the server has claims now";
          throw createPreconditionError(session.storedClaims.refusal);
        }),
    },
  ];
}

function findSlowPush({ storedClaims: { pushMs } }: ClaimSession): readonly SharedClaimProblem[] {
  if (pushMs <= SLOW_PUSH_MS) return [];
  const seconds = Math.round(pushMs / 1000);
  const advice = 'if its key wants a touch for every use, raise "claims.renew_minutes"';
  return [{ message: `the last push of a claim took ${seconds} s`, advice }];
}

async function findForkedRemote({ name, git }: ClaimRemote): Promise<readonly SharedClaimProblem[]> {
  if (name === UPSTREAM_REMOTE || (await git.tryReadOutput(["remote", "get-url", UPSTREAM_REMOTE])) === null) return [];
  return [
    {
      message: `it seems to be a fork of remote "${UPSTREAM_REMOTE}": clones of other forks do not see its claims`,
      advice: `set "claims.remote" to a remote that all clones push to`,
    },
  ];
}

/** Finds `done` claims whose specs are done in the remote's main branch. */
async function findFinishedClaims(
  place: RemoteClaimsContext,
  session: ClaimSession,
): Promise<readonly SharedClaimProblem[]> {
  if (session.storedClaims.support === "no") return [];
  const ids = await listFinishedIds(place, session);
  if (ids.length === 0) return [];
  return [
    {
      message: `it still has ${formatCountWithNoun(ids.length, "claim")} of specs that its main branch has as done`,
      advice: null,
      repair: () =>
        runClaimSession(place, async (again) => {
          const gone = await pruneDoneClaims(again.remote, again.storedClaims, await listFinishedIds(place, again));
          return gone.length === 0 ? null : `deleted ${formatCountWithNoun(gone.length, "claim")}`;
        }),
    },
  ];
}

async function listFinishedIds({ settings }: RemoteClaimsContext, session: ClaimSession) {
  const refs = await listMainRefs(session.remote, settings.mainBranch);
  const look = await session.queryRemote(refs);
  return [...(await findDoneInMain(session.remote, { look, refs, ids: listDoneClaims(session) }))];
}

import { randomBytes } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import { parseDocument } from "../../spec/document.ts";
import { isDoneStatus } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import {
  beginClaimChange,
  buildClaimRef,
  buildProbeRef,
  type ClaimDecision,
  type ClaimFacts,
  type ClaimState,
  decideClaimFinish,
  decideClaimTaking,
  describeOtherHolder,
  type SeenClaim,
} from "../../work/claims/decide_claim.ts";
import { type CommitWriter, PLAIN_COMMIT_WRITER } from "../../work/commit_message.ts";
import { runWithRemoteLock } from "../locks/project_lock.ts";
import { ARCHIVE_FOLDER, buildActivePath } from "../project/places.ts";
import { type ClaimRemote, openClaimRemote, type RemoteRefs } from "./claim_remote.ts";
import {
  ClaimSession,
  type OwnClaimChange,
  readClaimsFile,
  readMonotonicTime,
  readStoredClaims,
  type StoredClaims,
} from "./claim_session.ts";

/** Options for taking the shared claim of a spec, which other clones see at the remote. */
export interface SharedClaimOptions {
  /** Whether to take the claim even if another clone holds it. */
  readonly steal: boolean;
  /** Whether to skip all requests to the remote. */
  readonly offline: boolean;
}

export type SharedClaimResult =
  /** This clone holds the claim. `notes` are sentences for a person. */
  | { readonly kind: "own"; readonly notes: readonly string[] }
  /** Another clone holds the claim or has finished the spec. `reason` is a clause that names that clone. */
  | { readonly kind: "lost"; readonly reason: string }
  /** The remote did not answer. `reason` is a clause that says why. */
  | { readonly kind: "unknown"; readonly reason: string };

export interface RemoteClaimSettings {
  readonly remote: string;
  readonly renewMs: number;
  /** Name of the main branch; null for the checked-out branch. */
  readonly mainBranch: string | null;
  readonly message: (id: SpecId) => CommitWriter;
}

export interface RemoteClaimsContext {
  /** Absolute path of the project. */
  readonly root: string;
  readonly settings: RemoteClaimSettings;
  /** Whether a process of this clone works on the spec. */
  readonly isLive: (id: SpecId) => boolean;
}

interface RemoteClaimRequest {
  readonly state: ClaimState;
  /** Id of the run or merge that takes the claim. */
  readonly processId: string;
  /** Whether a person takes the claim from any holder. */
  readonly steal: boolean;
}

type RemoteClaimResult =
  /** `shared` is false if the server does not support claims. */
  (Extract<SharedClaimResult, { readonly kind: "own" }> & { readonly shared: boolean }) | UnownedClaimResult;

type UnownedClaimResult = Exclude<SharedClaimResult, { readonly kind: "own" }>;

/** Releases a run's claim unless it is `done` or another process's. If the remote fails, a later call releases it. */
export async function releaseRemoteClaim(place: RemoteClaimsContext, id: SpecId, processId: string): Promise<void> {
  const before = readClaimsFile(place.root)?.own.get(id);
  if (before === undefined || before.process !== processId || before.state === "done") return;
  await runClaimSession(place, async (session) => {
    const own = session.own(id);
    if (own === null || own.process !== processId || own.state === "done") return;
    const isUnclaimed = own.lostTo !== null || (own.state === null && own.tried.length === 0);
    await session.saveOwnClaims(new Map([[id, isUnclaimed ? null : { ...own, ended: true }]]));
    if (session.isUnsettled) await session.queryRemote();
    const gone = buildEndedClaimChanges(session);
    if (gone.length > 0) await session.pushChanges(gone);
  });
}

/** Releases this clone's claim, even a `done` one. If the remote cannot be reached, a later call releases it. */
export async function giveUpRemoteClaim(place: RemoteClaimsContext, id: SpecId): Promise<SharedClaimResult> {
  const before = readClaimsFile(place.root)?.own.get(id);
  if (before === undefined) return { kind: "own", notes: [] };
  return runClaimSession(place, async (session) => {
    await abandonClaimAttempt(session, id);
    try {
      if (session.isUnsettled) await session.queryRemote();
      const gone = buildEndedClaimChanges(session);
      if (gone.length > 0) await session.pushChanges(gone);
      return { kind: "own", notes: [] };
    } catch (error) {
      if (!(error instanceof OperationError) || error.kind !== "unavailable") throw error;
      return { kind: "unknown", reason: error.message };
    }
  });
}

/** Renews all claims of this clone's runs, of all processes, in one push, and releases those of ended runs. */
export async function renewRemoteClaims(place: RemoteClaimsContext): Promise<void> {
  const { renewMs, message } = place.settings;
  const isDue = (confirmedMs: number, after: number): boolean => {
    const { ms } = readMonotonicTime();
    return ms < confirmedMs || ms - confirmedMs >= after;
  };
  const listActiveClaims = (session: ClaimSession) =>
    [...session.storedClaims.own].filter(
      ([id, own]) => own.state !== "done" && !own.ended && own.lostTo === null && session.isLive(id),
    );
  await runClaimSession(place, async (session) => {
    if (!listActiveClaims(session).some(([, own]) => isDue(own.confirmedMs, renewMs) || own.tried.length > 0)) return;
    if (session.isUnsettled) await session.queryRemote();
    const due = listActiveClaims(session).filter(
      ([, own]) => own.state === null || isDue(own.confirmedMs, renewMs / 2),
    );
    const changes: OwnClaimChange[] = [];
    for (const [id, own] of due) {
      const oid = await writeClaim(session, message(id), { id, own, state: "held" });
      changes.push({ id, own, change: { oid, state: "held" } });
    }
    changes.push(...buildEndedClaimChanges(session));
    if (changes.length === 0) return;
    const { lines } = await session.pushChanges(changes);
    // Another query shows whether the claim was lost, the push was rejected or only the answer was lost.
    if (changes.some(({ id }) => lines.get(buildClaimRef(id))?.outcome !== "won")) await session.queryRemote();
  });
}

/** Runs `use` while holding the lock for shared claims. @throws OperationError if the remote does not exist */
export function runClaimSession<Result>(
  { root, settings, isLive }: RemoteClaimsContext,
  use: (session: ClaimSession) => Promise<Result>,
): Promise<Result> {
  return runWithRemoteLock(root, async () => {
    const remote = await openClaimRemote(root, settings.remote);
    return use(new ClaimSession(remote, { root, known: readStoredClaims(root, remote.url), isLive }));
  });
}

/** How a claim may change to each state. */
const DECISIONS: Readonly<Record<ClaimState, (facts: ClaimFacts) => ClaimDecision>> = {
  held: decideClaimTaking,
  done: decideClaimFinish,
};

/** Changes a claim to `state`. Only this clone may merge a spec whose claim is `done`. */
export function changeRemoteClaim(
  place: RemoteClaimsContext,
  id: SpecId,
  changing: RemoteClaimRequest,
): Promise<RemoteClaimResult> {
  return runClaimSession(place, async (session) => {
    try {
      const support = await probeClaimSupport(session);
      if (support !== null) return { kind: "own", notes: support, shared: false };
      return await changeClaimInSession(place, session, { id, ...changing });
    } catch (error) {
      if (!(error instanceof OperationError) || error.kind !== "unavailable") throw error;
      if (changing.state === "held") await abandonClaimAttempt(session, id);
      return { kind: "unknown", reason: error.message };
    }
  });
}

type SpecClaimChangeRequest = RemoteClaimRequest & { readonly id: SpecId };

async function changeClaimInSession(
  place: RemoteClaimsContext,
  session: ClaimSession,
  { id, state, processId, steal }: SpecClaimChangeRequest,
): Promise<RemoteClaimResult> {
  const { mainBranch, message, renewMs } = place.settings;
  const refs = await listMainRefs(session.remote, mainBranch);
  const look = await session.queryRemote(refs);
  const finished = listDoneClaims(session);
  const inMain = await findDoneInMain(session.remote, { look, refs, ids: [...new Set([id, ...finished])] });
  const readFacts = (): ClaimFacts => ({
    remote: session.remote.name,
    clone: session.storedClaims.clone,
    seen: session.storedClaims.seen.get(id) ?? null,
    own: session.own(id),
    isInMain: inMain.has(id),
    // A claim is judged at the time of the look that read it: a look may take long, and the machine may sleep after it.
    now: session.storedClaims.asked ?? readMonotonicTime(),
    ...{ steal, renewMs },
  });
  const changing = { facts: readFacts, message: message(id), ...{ id, state, processId, steal } };
  const taken = await changeOneClaim(session, changing);
  if (taken.kind !== "own") return taken;
  await pruneDoneClaims(
    session.remote,
    session.storedClaims,
    finished.filter((one) => one !== id && inMain.has(one)),
  );
  const { from } = taken;
  return {
    kind: "own",
    notes: from === null ? [] : [`took the claim from ${from} at "${session.remote.name}"`],
    shared: true,
  };
}

/** Maximum number of attempts to take a claim from a holder that renews it between query and push. */
const MAX_STEAL_TRIES = 10;

type ClaimChangeResult = { readonly kind: "own"; readonly from: string | null } | UnownedClaimResult;

/** Changes a claim as the latest query decides. Repeats a steal if the holder has only renewed the claim. */
async function changeOneClaim(
  session: ClaimSession,
  changing: SpecClaimChangeRequest & { readonly facts: () => ClaimFacts; readonly message: CommitWriter },
): Promise<ClaimChangeResult> {
  const { id, state, facts, message, processId, steal } = changing;
  for (let tries = 1; ; tries++) {
    const { seen } = facts();
    const decision = DECISIONS[state](facts());
    if (decision.kind === "refuse") return { kind: "lost", reason: decision.reason };
    if (decision.kind === "keep") return { kind: "own", from: null };
    const own = beginClaimChange(session.own(id), decision.base, processId);
    const oid = await writeClaim(session, message, { id, own, state });
    const { lines, words } = await session.pushChanges([{ id, own, change: { oid, state } }]);
    const line = lines.get(buildClaimRef(id));
    const isWon = line?.outcome === "won" || (await isOwnAfterQuery(session, id, oid));
    if (isWon) return { kind: "own", from: decision.from };
    if (steal && tries < MAX_STEAL_TRIES && isClaimRenewal(seen, facts().seen)) continue;
    if (state === "held") await abandonClaimAttempt(session, id);
    return explainRefusedPush(session, { id, facts: facts(), base: decision.base, words: line?.refusal ?? words });
  }
}

/** Returns whether `now` is the same clone's claim as `before`, only renewed. */
function isClaimRenewal(before: SeenClaim | null, now: SeenClaim | null): boolean {
  if (before?.text == null || now?.text == null || before.oid === now.oid) return false;
  return before.text.clone === now.text.clone && before.text.state === now.text.state;
}

async function isOwnAfterQuery(session: ClaimSession, id: SpecId, oid: string): Promise<boolean> {
  await session.queryRemote();
  return session.own(id)?.base === oid;
}

/** Returns `lost` if another clone changed the claim meanwhile, else `unknown` with the server's message. */
async function explainRefusedPush(
  session: ClaimSession,
  refused: { readonly id: SpecId; readonly facts: ClaimFacts; readonly base: string | null; readonly words: string },
): Promise<UnownedClaimResult> {
  const { facts, base, words } = refused;
  if ((facts.seen?.oid ?? null) !== base) return { kind: "lost", reason: describeOtherHolder(facts) };
  return { kind: "unknown", reason: `Remote "${session.remote.name}" did not take the claim: ${words}` };
}

/** Marks an attempt to claim as ended. If its push still arrives at the server, a later call releases the claim. */
async function abandonClaimAttempt(session: ClaimSession, id: SpecId): Promise<void> {
  const own = session.own(id);
  if (own === null) return;
  const isOver = own.lostTo !== null || own.tried.length === 0;
  await session.saveOwnClaims(new Map([[id, isOver && own.state === null ? null : { ...own, ended: true }]]));
}

function writeClaim(
  { remote, storedClaims }: ClaimSession,
  message: CommitWriter,
  { id, own, state }: { readonly id: SpecId; readonly own: OwnClaimChange["own"]; readonly state: ClaimState },
): Promise<string> {
  return remote.createClaimCommit(message, {
    spec: id,
    state,
    clone: storedClaims.clone,
    process: own.process,
    base: own.base,
  });
}

function buildEndedClaimChanges(session: ClaimSession): readonly OwnClaimChange[] {
  return [...session.storedClaims.own]
    .filter(([, own]) => own.ended && own.state !== null)
    .map(([id, own]) => ({ id, own, change: { oid: "", state: "released" } }));
}

/** Returns specs whose claims are `done`. */
export function listDoneClaims({ storedClaims }: ClaimSession): readonly SpecId[] {
  return [...storedClaims.seen].filter(([, { text }]) => text?.state === "done").map(([id]) => id);
}

/**
 * Deletes claims of specs that are done in the remote's main branch. The server may keep some of them.
 *
 * @returns the ids of the deleted claims
 */
export async function pruneDoneClaims(
  remote: ClaimRemote,
  { seen }: Pick<StoredClaims, "seen">,
  ids: readonly SpecId[],
): Promise<readonly SpecId[]> {
  const changes = ids.flatMap((id) => {
    const base = seen.get(id)?.oid;
    return base === undefined ? [] : [{ ref: buildClaimRef(id), base, next: null }];
  });
  if (changes.length === 0) return [];
  const { lines } = await remote.pushChanges(changes);
  return ids.filter((id) => lines.get(buildClaimRef(id))?.outcome === "won");
}

/** Returns the remote's refs that may be its main branch, the likeliest first. */
export async function listMainRefs({ git }: ClaimRemote, mainBranch: string | null): Promise<readonly string[]> {
  const branch = mainBranch ?? (await git.tryReadOutput(["symbolic-ref", "--short", "-q", "HEAD"]));
  return [...(branch === null ? [] : [`refs/heads/${branch}`]), "HEAD"];
}

/**
 * Returns those specs that are done in the remote's main branch: completed, cancelled or archived. Fetches that branch
 * if it has moved.
 *
 * @throws OperationError `unavailable` if the remote cannot be reached
 */
export async function findDoneInMain(
  remote: ClaimRemote,
  { look, refs, ids }: { readonly look: RemoteRefs; readonly refs: readonly string[]; readonly ids: readonly SpecId[] },
): Promise<ReadonlySet<SpecId>> {
  const ref = refs.find((one) => look.refs.has(one));
  const oid = look.refs.get(ref ?? "");
  if (ref === undefined || oid === undefined || ids.length === 0) return new Set();
  await remote.fetchBranch(ref, oid);
  const { git, prefix } = remote;
  const archived = new Set(
    (
      await git.readEntries([
        "ls-tree",
        "-r",
        "-z",
        "--name-only",
        "--full-tree",
        oid,
        "--",
        `${prefix}${ARCHIVE_FOLDER}/`,
      ])
    ).map((path) => path.slice(path.lastIndexOf("/") + 1)),
  );
  const done = new Set<SpecId>();
  for (const id of ids) {
    const { status, stdout } = await git.try(["cat-file", "blob", `${oid}:${prefix}${buildActivePath(id)}`]);
    if (status === 0 ? isDoneSpecText(stdout.toString()) : archived.has(`${id}.md`)) done.add(id);
  }
  return done;
}

function isDoneSpecText(text: string): boolean {
  const document = parseDocument(text);
  if (!document.ok) return false;
  const { status } = document.frontmatter;
  return typeof status === "string" && isDoneStatus(status);
}

/**
 * Tests once whether the server supports claims: writes, reads and deletes one.
 *
 * @returns null if it does; else messages for a person, an empty list after the first time
 * @throws OperationError `unavailable` if the remote cannot be reached
 */
async function probeClaimSupport(session: ClaimSession): Promise<readonly string[] | null> {
  if (session.storedClaims.support === "unknown") await testClaimSupport(session);
  const { support, refusal, told } = session.storedClaims;
  if (support === "yes") return null;
  if (told) return [];
  await session.saveClaims({ told: true });
  return [`${refusal}: other clones do not see this clone's claims`];
}

/** Tests whether the server supports claims and stores the result, even if an earlier result is stored. */
export async function testClaimSupport(session: ClaimSession): Promise<void> {
  const { remote, storedClaims } = session;
  const ref = buildProbeRef(randomBytes(16).toString("hex"));
  const about = {
    spec: "probe" as SpecId,
    state: "held",
    clone: storedClaims.clone,
    process: "probe",
    base: null,
  } as const;
  const oid = await remote.createClaimCommit(PLAIN_COMMIT_WRITER, about);
  const { lines, words, ms } = await remote.pushChanges([{ ref, base: null, next: oid }]);
  const pushMs = Math.round(ms);
  const { refs } = await remote.listRefs([ref]);
  const line = lines.get(ref);
  if (refs.get(ref) === oid) {
    await remote.pushChanges([{ ref, base: oid, next: null }]);
    return session.saveClaims({ support: "yes", refusal: "", told: false, pushMs });
  }
  const server = `Remote "${remote.name}" has no claims`;
  if (line?.outcome === "won")
    return session.saveClaims({ support: "no", refusal: `${server}: it hides what was written`, pushMs });
  if (line?.refusal == null)
    throw new OperationError("unavailable", `Cannot push to remote "${remote.name}": ${words}`);
  await session.saveClaims({ support: "no", refusal: `${server}: it says ${line.refusal}`, pushMs });
}

import { OperationError } from "#kernel/errors.ts";
import type { SharedAnswer } from "#planner/run_ports/claims.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { SeenClaim } from "../../work/claims/claim_looks.ts";
import { type ClaimState, claimRef } from "../../work/claims/claim_text.ts";
import {
  type ClaimDecision,
  type ClaimFacts,
  decideFinish,
  decideTake,
  othersText,
} from "../../work/claims/decide_claim.ts";
import { beginChange } from "../../work/claims/own_claim.ts";
import type { CommitWriter } from "../../work/commit_message.ts";
import { withRemoteLock } from "../locks/project_lock.ts";
import { type ClaimRemote, openClaimRemote } from "./claim_remote.ts";
import { ClaimSession, type OwnChange, steadyTime } from "./claim_session.ts";
import { type KnownClaims, knownClaims, readClaimsFile } from "./claims_file.ts";
import { doneInMain, mainRefs, probeServer } from "./main_at_remote.ts";

export interface RemoteSettings {
  readonly remote: string;
  readonly renewMs: number;
  /** Null for the branch that is checked out. */
  readonly mainBranch: string | null;
  readonly message: (id: SpecId) => CommitWriter;
}

export interface RemoteClaimsPlace {
  /** Absolute path of the project. */
  readonly root: string;
  readonly settings: RemoteSettings;
  /** Whether a process of this clone works on the spec. */
  readonly isLive: (id: SpecId) => boolean;
}

export interface Wanting {
  /** The run or merge that asks. */
  readonly processId: string;
  /** Whether a person takes the claim from any holder. */
  readonly steal: boolean;
}

export type RemoteAnswer =
  /** `shared` is false if the server has no claims. */
  (Extract<SharedAnswer, { readonly kind: "own" }> & { readonly shared: boolean }) | NotOwn;

type NotOwn = Exclude<SharedAnswer, { readonly kind: "own" }>;

export function takeRemote(place: RemoteClaimsPlace, id: SpecId, wanting: Wanting): Promise<RemoteAnswer> {
  return change(place, id, { ...wanting, state: "held", decide: decideTake });
}

/** Makes a claim `done`, which allows this clone alone to merge the spec. */
export function finishRemote(place: RemoteClaimsPlace, id: SpecId, wanting: Wanting): Promise<RemoteAnswer> {
  return change(place, id, { ...wanting, state: "done", decide: decideFinish });
}

/** Gives the claim of a run up, unless it is done or another process's. A remote that cannot be reached hears of it later. */
export async function releaseRemote(place: RemoteClaimsPlace, id: SpecId, processId: string): Promise<void> {
  const before = readClaimsFile(place.root)?.own.get(id);
  if (before === undefined || before.process !== processId || before.state === "done") return;
  await inSession(place, async (session) => {
    const own = session.own(id);
    if (own === null || own.process !== processId || own.state === "done") return;
    const isNobodys = own.lostTo !== null || (own.state === null && own.tried.length === 0);
    await session.saveOwn(new Map([[id, isNobodys ? null : { ...own, ended: true }]]));
    if (session.isUnsettled) await session.look();
    const gone = endedChanges(session);
    if (gone.length > 0) await session.push(gone);
  });
}

/** Gives up a claim of this clone's, a final one too. Asks the remote only if there is one, later if it is away. */
export async function giveUpRemote(place: RemoteClaimsPlace, id: SpecId): Promise<SharedAnswer> {
  const before = readClaimsFile(place.root)?.own.get(id);
  if (before === undefined) return { kind: "own", notes: [] };
  return inSession(place, async (session) => {
    await giveUp(session, id);
    try {
      if (session.isUnsettled) await session.look();
      const gone = endedChanges(session);
      if (gone.length > 0) await session.push(gone);
      return { kind: "own", notes: [] };
    } catch (error) {
      if (!(error instanceof OperationError) || error.kind !== "unavailable") throw error;
      return { kind: "unknown", reason: error.message };
    }
  });
}

/** Renews all claims of this clone's runs in one push, those of other processes too, and gives ended ones up. */
export async function renewRemote(place: RemoteClaimsPlace): Promise<void> {
  const { renewMs, message } = place.settings;
  const isDue = (confirmedMs: number, after: number): boolean => {
    const { ms } = steadyTime();
    return ms < confirmedMs || ms - confirmedMs >= after;
  };
  const active = (session: ClaimSession) =>
    [...session.known.own].filter(
      ([id, own]) => own.state !== "done" && !own.ended && own.lostTo === null && session.isLive(id),
    );
  await inSession(place, async (session) => {
    if (!active(session).some(([, own]) => isDue(own.confirmedMs, renewMs) || own.tried.length > 0)) return;
    if (session.isUnsettled) await session.look();
    const due = active(session).filter(([, own]) => own.state === null || isDue(own.confirmedMs, renewMs / 2));
    const changes: OwnChange[] = [];
    for (const [id, own] of due) {
      const oid = await writeClaim(session, message(id), { id, own, state: "held" });
      changes.push({ id, own, change: { oid, state: "held" } });
    }
    changes.push(...endedChanges(session));
    if (changes.length === 0) return;
    const { lines } = await session.push(changes);
    // Lost, refused or cut off: only a look shows it.
    if (changes.some(({ id }) => lines.get(claimRef(id))?.sign !== "won")) await session.look();
  });
}

/** Runs `use` with the lock of the remote's claims held. @throws OperationError without such a remote */
export function inSession<Result>(
  { root, settings, isLive }: RemoteClaimsPlace,
  use: (session: ClaimSession) => Promise<Result>,
  waitMs?: number,
): Promise<Result> {
  return withRemoteLock(
    root,
    async () => {
      const remote = await openClaimRemote(root, settings.remote);
      return use(new ClaimSession(remote, { root, known: knownClaims(root, remote.url), isLive }));
    },
    waitMs,
  );
}

interface Changing extends Wanting {
  readonly state: ClaimState;
  readonly decide: (facts: ClaimFacts) => ClaimDecision;
}

function change(place: RemoteClaimsPlace, id: SpecId, changing: Changing): Promise<RemoteAnswer> {
  return inSession(place, async (session) => {
    try {
      const support = await probeServer(session);
      if (support !== null) return { kind: "own", notes: support, shared: false };
      return await changeInSession(place, session, { id, ...changing });
    } catch (error) {
      if (!(error instanceof OperationError) || error.kind !== "unavailable") throw error;
      if (changing.state === "held") await giveUp(session, id);
      return { kind: "unknown", reason: error.message };
    }
  });
}

type ChangingOne = Changing & { readonly id: SpecId };

async function changeInSession(
  place: RemoteClaimsPlace,
  session: ClaimSession,
  { id, state, decide, processId, steal }: ChangingOne,
): Promise<RemoteAnswer> {
  const { mainBranch, message, renewMs } = place.settings;
  const refs = await mainRefs(session.remote, mainBranch);
  const look = await session.look(refs);
  const finished = doneClaims(session);
  const inMain = await doneInMain(session.remote, { look, refs, ids: [...new Set([id, ...finished])] });
  const facts = (): ClaimFacts => ({
    remote: session.remote.name,
    clone: session.known.clone,
    seen: session.known.seen.get(id) ?? null,
    own: session.own(id),
    inMain: inMain.has(id),
    ...{ steal, now: steadyTime(), renewMs },
  });
  const changing = { facts, decide, message: message(id), ...{ id, state, processId, steal } };
  const taken = await changeOne(session, changing);
  if (taken.kind !== "own") return taken;
  await prune(
    session.remote,
    session.known,
    finished.filter((one) => one !== id && inMain.has(one)),
  );
  const { from } = taken;
  return {
    kind: "own",
    notes: from === null ? [] : [`took the claim from ${from} at "${session.remote.name}"`],
    shared: true,
  };
}

/** Attempts to take a claim from a holder that renews it between the look and the push. */
const MOST_STEALS = 10;

interface ChangingLooked extends ChangingOne {
  readonly facts: () => ClaimFacts;
  readonly message: CommitWriter;
}

type ChangedOne = { readonly kind: "own"; readonly from: string | null } | NotOwn;

/** Changes a claim as decided after the latest look. A take from any holder is repeated if the same holder only renewed it. */
async function changeOne(session: ClaimSession, changing: ChangingLooked): Promise<ChangedOne> {
  const { id, state, decide, facts, message, processId, steal } = changing;
  for (let tries = 1; ; tries++) {
    const { seen } = facts();
    const decision = decide(facts());
    if (decision.kind === "refuse") return { kind: "lost", reason: decision.reason };
    if (decision.kind === "keep") return { kind: "own", from: null };
    const own = beginChange(session.own(id), decision.base, processId);
    const oid = await writeClaim(session, message, { id, own, state });
    const { lines, words } = await session.push([{ id, own, change: { oid, state } }]);
    const line = lines.get(claimRef(id));
    const isWon = line?.sign === "won" || (await isOwnAfterLook(session, id, oid));
    if (isWon) return { kind: "own", from: decision.from };
    if (steal && tries < MOST_STEALS && isRenewal(seen, facts().seen)) continue;
    if (state === "held") await giveUp(session, id);
    return refusedPush(session, { id, facts: facts(), base: decision.base, words: line?.refusal ?? words });
  }
}

/** Whether the same clone has only said again that it works on the spec. */
function isRenewal(before: SeenClaim | null, now: SeenClaim | null): boolean {
  if (before?.text == null || now?.text == null || before.oid === now.oid) return false;
  return before.text.clone === now.text.clone && before.text.state === now.text.state;
}

async function isOwnAfterLook(session: ClaimSession, id: SpecId, oid: string): Promise<boolean> {
  await session.look();
  return session.own(id)?.base === oid;
}

/** A refusal counts as one only if the look shows what was there before; else another clone was first. */
async function refusedPush(
  session: ClaimSession,
  refused: { readonly id: SpecId; readonly facts: ClaimFacts; readonly base: string | null; readonly words: string },
): Promise<NotOwn> {
  const { facts, base, words } = refused;
  if ((facts.seen?.oid ?? null) !== base) return { kind: "lost", reason: othersText(facts) };
  return { kind: "unknown", reason: `Remote "${session.remote.name}" did not take the claim: ${words}` };
}

/** Ends a take without a claim. Should its push still arrive, the claim is given up. */
async function giveUp(session: ClaimSession, id: SpecId): Promise<void> {
  const own = session.own(id);
  if (own === null) return;
  const isOver = own.lostTo !== null || own.tried.length === 0;
  await session.saveOwn(new Map([[id, isOver && own.state === null ? null : { ...own, ended: true }]]));
}

function writeClaim(
  { remote, known }: ClaimSession,
  message: CommitWriter,
  { id, own, state }: { readonly id: SpecId; readonly own: OwnChange["own"]; readonly state: ClaimState },
): Promise<string> {
  return remote.write(message, { spec: id, state, clone: known.clone, process: own.process, base: own.base });
}

function endedChanges(session: ClaimSession): readonly OwnChange[] {
  return [...session.known.own]
    .filter(([, own]) => own.ended && own.state !== null)
    .map(([id, own]) => ({ id, own, change: { oid: "", state: "released" } }));
}

/** Specs whose claims say that they are finished. */
export function doneClaims({ known }: ClaimSession): readonly SpecId[] {
  return [...known.seen].filter(([, { text }]) => text?.state === "done").map(([id]) => id);
}

/**
 * Deletes claims of specs that the remote's main branch has as done. What the server refuses stays.
 *
 * @returns which are gone
 */
export async function prune(
  remote: ClaimRemote,
  { seen }: Pick<KnownClaims, "seen">,
  ids: readonly SpecId[],
): Promise<readonly SpecId[]> {
  const changes = ids.flatMap((id) => {
    const base = seen.get(id)?.oid;
    return base === undefined ? [] : [{ ref: claimRef(id), base, next: null }];
  });
  if (changes.length === 0) return [];
  const { lines } = await remote.push(changes);
  return ids.filter((id) => lines.get(claimRef(id))?.sign === "won");
}

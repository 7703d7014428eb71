import { OperationError } from "#kernel/errors.ts";
import type { SharedClaimProblem } from "#planner/run_ports/claims.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { ClaimRemote } from "./claim_remote.ts";
import type { ClaimSession } from "./claim_session.ts";
import { findDoneInMain, listMainRefs, testClaimSupport } from "./main_at_remote.ts";
import { listDoneClaims, pruneDoneClaims, type RemoteClaimsContext, runClaimSession } from "./remote_claims.ts";

/** Push ms above which git probably waited for a person. Chosen by planner: slow networks and servers take seconds. */
const SLOW_PUSH_MS = 10_000;

/** Usual name of the remote from which a fork was made. */
const UPSTREAM_REMOTE = "upstream";

/**
 * Finds problems that keep shared claims from protecting specs. Changes nothing.
 *
 * @param contact whether to query the remote, with the repository's git settings
 */
export async function examineClaims(
  place: RemoteClaimsContext,
  contact: boolean,
): Promise<readonly SharedClaimProblem[]> {
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
          throw new OperationError("failed_precondition", session.storedClaims.refusal);
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

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ignoreRefusal } from "#kernel/errors.ts";
import type { OtherCloneClaim } from "#planner/run_ports/claims.ts";
import { getUnchangedMs } from "../../work/claims/claim_looks.ts";
import { describeHolder, isKeptByHand } from "../../work/claims/decide_claim.ts";
import { Git } from "../git/git.ts";
import { runWithRemoteLock } from "../locks/project_lock.ts";
import { ClaimRemote, openClaimRemote } from "./claim_remote.ts";
import { ClaimSession, readMonotonicTime } from "./claim_session.ts";
import { readClaimsFile, readStoredClaims, type StoredClaims } from "./claims_file.ts";
import type { RemoteClaimsContext } from "./remote_claims.ts";

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
export async function readOtherClaims(place: RemoteClaimsContext): Promise<readonly OtherCloneClaim[]> {
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

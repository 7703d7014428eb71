import { randomBytes } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import { parseDocument } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { buildProbeRef } from "../../work/claims/claim_text.ts";
import { PLAIN_COMMIT_WRITER } from "../../work/commit_message.ts";
import { ARCHIVE_FOLDER, buildActivePath } from "../project/places.ts";
import type { ClaimRemote, RemoteRefs } from "./claim_remote.ts";
import type { ClaimSession } from "./claim_session.ts";

/** Statuses of specs without remaining work. */
const DONE_STATUSES: readonly unknown[] = ["completed", "cancelled"];

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
  return document.ok && DONE_STATUSES.includes(document.frontmatter["status"]);
}

/**
 * Tests once whether the server supports claims: writes, reads and deletes one.
 *
 * @returns null if it does; else messages for a person, an empty list after the first time
 * @throws OperationError `unavailable` if the remote cannot be reached
 */
export async function probeClaimSupport(session: ClaimSession): Promise<readonly string[] | null> {
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

import { randomBytes } from "node:crypto";
import { OperationError } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { probeRef } from "../../work/claims/claim_ref.ts";
import { PLAIN_MESSAGE } from "../../work/commit_message.ts";
import type { ClaimSession } from "./claim_session.ts";

/**
 * Finds out once whether the server has claims: one is written, seen and deleted.
 *
 * @returns null if it has; else sentences for a person, the first time
 * @throws OperationError `unavailable` if the remote cannot be reached
 */
export async function probeServer(session: ClaimSession): Promise<readonly string[] | null> {
  if (session.known.support === "unknown") await tryServer(session);
  const { support, refusal, told } = session.known;
  if (support === "yes") return null;
  if (told) return [];
  await session.save({ told: true });
  return [`${refusal}: other clones do not see this clone's claims`];
}

/** Tries the server, whatever is known of it. */
export async function tryServer(session: ClaimSession): Promise<void> {
  const { remote, known } = session;
  const ref = probeRef(randomBytes(16).toString("hex"));
  const about = { spec: "probe" as SpecId, state: "held", clone: known.clone, process: "probe", base: null } as const;
  const oid = await remote.write(PLAIN_MESSAGE, about);
  const { lines, words, ms } = await remote.push([{ ref, base: null, next: oid }]);
  const pushMs = Math.round(ms);
  const { refs } = await remote.look([ref]);
  const line = lines.get(ref);
  if (refs.get(ref) === oid) {
    await remote.push([{ ref, base: oid, next: null }]);
    return session.save({ support: "yes", refusal: "", told: false, pushMs });
  }
  const server = `Remote "${remote.name}" has no claims`;
  if (line?.sign === "won")
    return session.save({ support: "no", refusal: `${server}: it hides what was written`, pushMs });
  if (line?.refusal == null)
    throw new OperationError("unavailable", `Cannot push to remote "${remote.name}": ${words}`);
  await session.save({ support: "no", refusal: `${server}: it says ${line.refusal}`, pushMs });
}

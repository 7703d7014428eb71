import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { SpecId } from "../../spec/spec_id.ts";
import { type MonotonicTime, updateSeenClaims } from "../../work/claims/claim_looks.ts";
import { buildClaimRef } from "../../work/claims/claim_text.ts";
import { describeHolder } from "../../work/claims/decide_claim.ts";
import {
  applyClaimChange,
  type PendingClaimChange,
  type StoredOwnClaim,
  settleOwnClaim,
} from "../../work/claims/own_claim.ts";
import { readBootId } from "../processes/process_mark.ts";
import type { ClaimRemote, FetchedClaims, PushAnswer, RefChange, RemoteRefs } from "./claim_remote.ts";
import { type StoredClaims, writeClaimsFile } from "./claims_file.ts";

export interface OwnClaimChange {
  readonly id: SpecId;
  /** The claim before the change, with the commit to replace. */
  readonly own: StoredOwnClaim;
  readonly change: PendingClaimChange;
}

/**
 * Access to the remote's claims while the lock for shared claims is held. Writes every new fact to the disk before the
 * next step, so that a killed process leaves a record of its tries.
 */
export class ClaimSession {
  readonly remote: ClaimRemote;
  readonly #root: string;
  readonly #isLive: (id: SpecId) => boolean;
  #storedClaims: StoredClaims;

  constructor(remote: ClaimRemote, parts: { root: string; known: StoredClaims; isLive: (id: SpecId) => boolean }) {
    this.remote = remote;
    this.#root = parts.root;
    this.#storedClaims = parts.known;
    this.#isLive = parts.isLive;
  }

  get storedClaims(): StoredClaims {
    return this.#storedClaims;
  }

  own(id: SpecId): StoredOwnClaim | null {
    return this.#storedClaims.own.get(id) ?? null;
  }

  isLive(id: SpecId): boolean {
    return this.#isLive(id);
  }

  /** Whether the result of a push is unknown, so that the remote must be queried before the next push. */
  get isUnsettled(): boolean {
    return [...this.#storedClaims.own.values()].some(({ tried }) => tried.length > 0);
  }

  async saveClaims(part: Partial<StoredClaims>): Promise<void> {
    this.#storedClaims = { ...this.#storedClaims, ...part };
    await writeClaimsFile(this.#root, this.#storedClaims);
  }

  /** Replaces the stored states of own claims; null deletes one. */
  async saveOwnClaims(changes: ReadonlyMap<SpecId, StoredOwnClaim | null>): Promise<void> {
    const own = new Map(this.#storedClaims.own);
    for (const [id, claim] of changes) {
      if (claim === null) own.delete(id);
      else own.set(id, claim);
    }
    await this.saveClaims({ own });
  }

  /**
   * Queries the remote, and settles changes whose pushes were not confirmed.
   *
   * @param more further refs to query
   * @throws OperationError `unavailable` if the remote cannot be reached
   */
  async queryRemote(more: readonly string[] = []): Promise<RemoteRefs> {
    const now = readMonotonicTime();
    try {
      const look = await this.remote.listRefs(more);
      const { claims, texts } = await this.#fetchNewClaims(look);
      const seen = updateSeenClaims(this.#storedClaims.seen, claims, { now, texts });
      await this.saveClaims({ seen, asked: now });
      await this.saveOwnClaims(this.#settleClaims(now));
      return look;
    } catch (error) {
      await this.saveClaims({ asked: now });
      throw error;
    }
  }

  /** Pushes changes of own claims. Stores those that the server confirmed; all others need another query. */
  async pushChanges(changes: readonly OwnClaimChange[]): Promise<PushAnswer> {
    await this.saveOwnClaims(
      new Map(changes.map(({ id, own, change }) => [id, { ...own, tried: [...own.tried, change] }])),
    );
    const answer = await this.remote.pushChanges(changes.map(buildRefChange));
    const { ms } = readMonotonicTime();
    const won = changes.filter(({ id }) => answer.lines.get(buildClaimRef(id))?.outcome === "won");
    await this.saveOwnClaims(new Map(won.map(({ id, own, change }) => [id, applyClaimChange(own, change, ms)])));
    await this.saveClaims({ pushMs: Math.round(answer.ms) });
    return answer;
  }

  /**
   * Fetches the content of claims whose commits are new; without content if that fails. A claim that was renewed since
   * the query gets its new commit. A claim that was deleted since the query stays.
   */
  async #fetchNewClaims({ claims }: RemoteRefs): Promise<FetchedClaims> {
    const isNew = ([id, oid]: readonly [SpecId, string]): boolean => {
      const known = this.#storedClaims.seen.get(id);
      return known?.oid !== oid || known.text === null;
    };
    const fetched = [...claims].some(isNew) ? await this.remote.fetchClaims().catch(() => null) : null;
    if (fetched === null) return { claims, texts: new Map() };
    const latest = new Map([...claims].map(([id, oid]) => [id, fetched.claims.get(id) ?? oid]));
    return { claims: latest, texts: fetched.texts };
  }

  #settleClaims({ ms }: MonotonicTime): ReadonlyMap<SpecId, StoredOwnClaim | null> {
    const news = new Map<SpecId, StoredOwnClaim | null>();
    for (const [id, claim] of this.#storedClaims.own) {
      const found = this.#settleClaim(id, claim, ms);
      if (found !== claim) news.set(id, found);
    }
    return news;
  }

  /** Returns the settled claim; null if this clone no longer has one. */
  #settleClaim(id: SpecId, claim: StoredOwnClaim, ms: number): StoredOwnClaim | null {
    const there = this.#storedClaims.seen.get(id) ?? null;
    const found = settleOwnClaim(claim, there?.oid ?? null, ms);
    if (found.kind === "own") return found.claim;
    if (found.kind === "released" || (found.kind === "vanished" && claim.ended)) return null;
    // A `done` claim is deleted once the remote's main branch has the spec; a merge checks both.
    if (found.kind === "vanished" && claim.state === "held") return { ...claim, base: null, state: null };
    if (found.kind !== "lost" || there?.text?.clone === this.#storedClaims.clone) return claim;
    const isWanted = this.#isLive(id) && !claim.ended;
    return isWanted ? { ...claim, tried: [], lostTo: describeHolder({ seen: there }) } : null;
  }
}

function buildRefChange({ id, own, change }: OwnClaimChange): RefChange {
  return { ref: buildClaimRef(id), base: own.base, next: change.state === "released" ? null : change.oid };
}

/** Returns the time since the machine's start, including sleep. Setting the clock does not change it. */
export function readMonotonicTime(): MonotonicTime {
  const boot = readBootId();
  const ms = Math.round(readSecondsSinceStart() * 1000);
  if (boot !== null) return { boot, ms };
  // Without a boot id, the minute of the start is used. Setting the clock changes that minute, and claims then count
  // as newly seen.
  return { boot: String(Math.round((Date.now() - ms) / 60_000)), ms };
}

/** Returns seconds since the machine's start. The engines round `uptime` differently. */
function readSecondsSinceStart(): number {
  try {
    return Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  } catch {
    return uptime();
  }
}

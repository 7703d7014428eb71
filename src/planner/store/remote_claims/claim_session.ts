import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { SpecId } from "../../spec/spec_id.ts";
import { addSeenClaims, type MonotonicTime } from "../../work/claims/claim_looks.ts";
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
  #known: StoredClaims;

  constructor(remote: ClaimRemote, parts: { root: string; known: StoredClaims; isLive: (id: SpecId) => boolean }) {
    this.remote = remote;
    this.#root = parts.root;
    this.#known = parts.known;
    this.#isLive = parts.isLive;
  }

  get known(): StoredClaims {
    return this.#known;
  }

  own(id: SpecId): StoredOwnClaim | null {
    return this.#known.own.get(id) ?? null;
  }

  isLive(id: SpecId): boolean {
    return this.#isLive(id);
  }

  /** Whether the result of a push is unknown, so that the remote must be queried before the next push. */
  get isUnsettled(): boolean {
    return [...this.#known.own.values()].some(({ tried }) => tried.length > 0);
  }

  async save(part: Partial<StoredClaims>): Promise<void> {
    this.#known = { ...this.#known, ...part };
    await writeClaimsFile(this.#root, this.#known);
  }

  /** Replaces the stored states of own claims; null deletes one. */
  async saveOwn(changes: ReadonlyMap<SpecId, StoredOwnClaim | null>): Promise<void> {
    const own = new Map(this.#known.own);
    for (const [id, claim] of changes) {
      if (claim === null) own.delete(id);
      else own.set(id, claim);
    }
    await this.save({ own });
  }

  /**
   * Queries the remote, and settles changes whose pushes were not confirmed.
   *
   * @param more further refs to query
   * @throws OperationError `unavailable` if the remote cannot be reached
   */
  async look(more: readonly string[] = []): Promise<RemoteRefs> {
    const now = readMonotonicTime();
    try {
      const look = await this.remote.look(more);
      const { claims, texts } = await this.#fetched(look);
      const seen = addSeenClaims(this.#known.seen, claims, { now, texts });
      await this.save({ seen, asked: now });
      await this.saveOwn(this.#settled(now));
      return look;
    } catch (error) {
      await this.save({ asked: now });
      throw error;
    }
  }

  /** Pushes changes of own claims. Stores those that the server confirmed; all others need another query. */
  async push(changes: readonly OwnClaimChange[]): Promise<PushAnswer> {
    await this.saveOwn(new Map(changes.map(({ id, own, change }) => [id, { ...own, tried: [...own.tried, change] }])));
    const answer = await this.remote.push(changes.map(buildRefChange));
    const { ms } = readMonotonicTime();
    const won = changes.filter(({ id }) => answer.lines.get(buildClaimRef(id))?.sign === "won");
    await this.saveOwn(new Map(won.map(({ id, own, change }) => [id, applyClaimChange(own, change, ms)])));
    await this.save({ pushMs: Math.round(answer.ms) });
    return answer;
  }

  /**
   * Fetches the content of claims whose commits are new; without content if that fails. A claim that was renewed since
   * the query gets its new commit. A claim that was deleted since the query stays.
   */
  async #fetched({ claims }: RemoteRefs): Promise<FetchedClaims> {
    const isNew = ([id, oid]: readonly [SpecId, string]): boolean => {
      const known = this.#known.seen.get(id);
      return known?.oid !== oid || known.text === null;
    };
    const fetched = [...claims].some(isNew) ? await this.remote.fetchClaims().catch(() => null) : null;
    if (fetched === null) return { claims, texts: new Map() };
    const latest = new Map([...claims].map(([id, oid]) => [id, fetched.claims.get(id) ?? oid]));
    return { claims: latest, texts: fetched.texts };
  }

  #settled({ ms }: MonotonicTime): ReadonlyMap<SpecId, StoredOwnClaim | null> {
    const news = new Map<SpecId, StoredOwnClaim | null>();
    for (const [id, claim] of this.#known.own) {
      const found = this.#settledOne(id, claim, ms);
      if (found !== claim) news.set(id, found);
    }
    return news;
  }

  /** Returns the settled claim; null if this clone no longer has one. */
  #settledOne(id: SpecId, claim: StoredOwnClaim, ms: number): StoredOwnClaim | null {
    const there = this.#known.seen.get(id) ?? null;
    const found = settleOwnClaim(claim, there?.oid ?? null, ms);
    if (found.kind === "own") return found.claim;
    if (found.kind === "released" || (found.kind === "vanished" && claim.ended)) return null;
    // A `done` claim is deleted once the remote's main branch has the spec; a merge checks both.
    if (found.kind === "vanished" && claim.state === "held") return { ...claim, base: null, state: null };
    if (found.kind !== "lost" || there?.text?.clone === this.#known.clone) return claim;
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

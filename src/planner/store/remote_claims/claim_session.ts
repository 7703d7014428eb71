import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { SpecId } from "../../spec/spec_id.ts";
import {
  applyClaimChange,
  buildClaimRef,
  describeHolder,
  type MonotonicTime,
  type PendingClaimChange,
  type SeenClaims,
  type StoredOwnClaim,
  settleOwnClaim,
  updateSeenClaims,
} from "../../work/claims/decide_claim.ts";
import { replaceFile } from "../files/place_file.ts";
import { readJsonFile } from "../files/read_text.ts";
import { runWithProjectLock } from "../locks/project_lock.ts";
import { readBootId } from "../processes/run_processes.ts";
import { LOCKS_FOLDER } from "../project/places.ts";
import type { ClaimRemote, FetchedClaims, PushAnswer, RefChange, RemoteRefs } from "./claim_remote.ts";

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

const CLAIMS_FILE = `${LOCKS_FOLDER}/claims.json`;

const TIME_SCHEMA = Type.Object({ boot: Type.String(), ms: Type.Number() });
const STATE_SCHEMA = Type.Union([Type.Literal("held"), Type.Literal("done")]);
const OID_SCHEMA = Type.String({ pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$" });
const TEXT_SCHEMA = Type.Object({
  ...{ spec: Type.String(), state: STATE_SCHEMA, by: Type.String(), clone: Type.String() },
  ...{ process: Type.String(), nonce: Type.String() },
});
const OWN_CLAIM_SCHEMA = Type.Object({
  base: Type.Union([OID_SCHEMA, Type.Null()]),
  state: Type.Union([STATE_SCHEMA, Type.Null()]),
  process: Type.String(),
  tried: Type.Array(
    Type.Object({
      oid: Type.Union([OID_SCHEMA, Type.Literal("")]),
      state: Type.Union([STATE_SCHEMA, Type.Literal("released")]),
    }),
  ),
  confirmedMs: Type.Number(),
  ended: Type.Boolean(),
  lostTo: Type.Union([Type.String(), Type.Null()]),
});

/** One remote's claims as this clone last saw them, stored in `.planner/locks/claims.json`. */
const STORED_CLAIMS_SCHEMA = Type.Object({
  /** Random id of this clone. */
  clone: Type.String({ pattern: "^[0-9a-f]{32}$" }),
  /** Id of the folder that contains the file; a copy of the folder counts as another clone. */
  folder: Type.String(),
  /** Address of the remote. If it changes, all other fields become invalid. */
  url: Type.String(),
  /** Whether the server supports claims, according to a trial. */
  support: Type.Union([Type.Literal("unknown"), Type.Literal("yes"), Type.Literal("no")]),
  /** The server's message if it does not support claims. */
  refusal: Type.String(),
  /** Whether a person has been informed that the server does not support claims. */
  told: Type.Boolean(),
  /** Duration of the last push, in milliseconds. */
  pushMs: Type.Number(),
  /** Time of the last query of the remote, answered or not. */
  asked: Type.Union([TIME_SCHEMA, Type.Null()]),
  seen: Type.Record(
    Type.String(),
    Type.Object({ oid: OID_SCHEMA, since: TIME_SCHEMA, text: Type.Union([TEXT_SCHEMA, Type.Null()]) }),
  ),
  own: Type.Record(Type.String(), OWN_CLAIM_SCHEMA),
});

/** The stored claims, with those of specs by id. */
export interface StoredClaims extends Readonly<Omit<Static<typeof STORED_CLAIMS_SCHEMA>, "seen" | "own">> {
  readonly seen: SeenClaims;
  readonly own: ReadonlyMap<SpecId, StoredOwnClaim>;
}

/** Reads the stored claims; null if the file is missing, unreadable, or part of a copied folder (another clone). */
export function readClaimsFile(root: string): StoredClaims | null {
  const read = readJsonFile(join(root, CLAIMS_FILE));
  const stored: unknown = read.kind === "object" ? read.object : null;
  if (!Value.Check(STORED_CLAIMS_SCHEMA, stored) || stored.folder !== readFolderId(root)) return null;
  const { seen, own, ...rest } = stored as Static<typeof STORED_CLAIMS_SCHEMA>;
  const createEntryMap = <Entry>(record: Readonly<Record<string, Entry>>) =>
    new Map(Object.entries(record) as [SpecId, Entry][]);
  return { ...rest, seen: createEntryMap(seen), own: createEntryMap(own) };
}

/** Reads the stored state of claims at `url`; returns a new state for another address. */
export function readStoredClaims(root: string, url: string): StoredClaims {
  const known = readClaimsFile(root);
  if (known?.url === url) return known;
  return {
    clone: known?.clone ?? randomBytes(16).toString("hex"),
    folder: known?.folder ?? "",
    url,
    support: "unknown",
    refusal: "",
    told: false,
    pushMs: 0,
    asked: null,
    seen: new Map(),
    own: new Map(),
  };
}

/** Replaces the file atomically. Call it while holding the lock for shared claims. */
function writeClaimsFile(root: string, known: StoredClaims): Promise<void> {
  return runWithProjectLock(root, async () => {
    const { seen, own, ...rest } = known;
    const stored = {
      ...rest,
      folder: readFolderId(root),
      seen: Object.fromEntries(seen),
      own: Object.fromEntries(own),
    };
    await replaceFile(join(root, CLAIMS_FILE), CLAIMS_FILE, `${JSON.stringify(stored, null, 2)}\n`);
  });
}

/** Returns an id of the folder on its disk. A moved folder keeps its id, a copy has another. */
function readFolderId(root: string): string {
  const { dev, ino } = statSync(join(root, LOCKS_FOLDER), { throwIfNoEntry: false }) ?? { dev: 0, ino: 0 };
  return `${dev}:${ino}`;
}

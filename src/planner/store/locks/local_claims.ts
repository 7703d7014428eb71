import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { removeFileInOpenFolder } from "../files/open_folder.ts";
import { createFile, removeLeftoverFiles, replaceFile } from "../files/place_file.ts";
import { type ProcessMark, readProcessMark } from "../processes/run_processes.ts";
import { LOCKS_FOLDER } from "../project/places.ts";
import { buildLockPath, type ClaimHolder, listClaimedIds, readClaim } from "./lock_file.ts";
import { runWithProjectLock } from "./project_lock.ts";

export type ClaimResult<Claim> =
  /**
   * Success. `tookOver` is the dead holder of a claim that was never released, whose agent may still run (see
   * `endRun` of `openAgents`); null if the spec was unclaimed.
   */
  { readonly claim: Claim; readonly tookOver: ClaimHolder | null } | { readonly heldBy: ClaimHolder };

/** Time between heartbeats in ms. Chosen by planner: a fifth of the age at which the holder counts as gone. */
const HEARTBEAT_INTERVAL_MS = 60_000;

/**
 * Opens claims in `.planner/locks/<id>.lock`. Every change holds the project's lock while it reads and writes, so no
 * other process changes a claim in between. The kernel releases that lock when a process dies. Source:
 * docs/decisions.md#s-23.
 */
export function openClaims(root: string, clock: Clock) {
  return {
    claim: (id: SpecId, processId: string) =>
      runWithProjectLock(root, () => claimSpecFile({ root, clock, id }, processId)),
    readHolder: async (id: SpecId) => readClaim(root, id, clock.now())?.holder ?? null,
    /** Ids of all claims, including stale ones, sorted. */
    listIds: () => listClaimedIds(root),
    /** Removes a stale claim and returns its holder; null if there is no claim or its holder is alive. */
    clearStale: (id: SpecId) => runWithProjectLock(root, () => clearStaleClaim(root, id, clock.now())),
  };
}

interface ClaimLocation {
  readonly root: string;
  readonly clock: Clock;
  readonly id: SpecId;
}

async function claimSpecFile(place: ClaimLocation, processId: string): Promise<ClaimResult<FileClaim>> {
  const { root, clock, id } = place;
  await removeLeftoverFiles(join(root, LOCKS_FOLDER));
  const held = readClaim(root, id, clock.now())?.holder;
  if (held?.alive) return { heldBy: held };
  if (held !== undefined) await removeLockFile(root, id);
  const own = new FileClaim(place, processId);
  if (await own.createLockFile()) return { claim: own, tookOver: held ?? null };
  // Only a program that ignores the project's lock can have written it meanwhile.
  const other = readClaim(root, id, clock.now())?.holder;
  return other === undefined ? claimSpecFile(place, processId) : { heldBy: other };
}

/** A claim of this process in this clone, see `Claim`. */
export class FileClaim {
  readonly id: SpecId;
  readonly #root: string;
  readonly #clock: Clock;
  readonly #processId: string;
  readonly #token = randomUUID();
  readonly #self = readProcessMark(process.pid);
  #agent: ProcessMark | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor({ root, clock, id }: ClaimLocation, processId: string) {
    this.#root = root;
    this.#clock = clock;
    this.id = id;
    this.#processId = processId;
  }

  /** Writes the lock file; returns false if another one exists by now. */
  async createLockFile(): Promise<boolean> {
    const file = buildLockPath(this.id);
    if (!(await createFile(join(this.#root, file), file, this.#formatText()))) return false;
    this.#timer = setInterval(() => {
      // The next heartbeat replaces a failed one, because a claim stays valid for several intervals.
      this.renew().catch(() => {});
    }, HEARTBEAT_INTERVAL_MS);
    this.#timer.unref();
    return true;
  }

  renew(): Promise<boolean> {
    return runWithProjectLock(this.#root, () => this.#writeIfOwn());
  }

  recordAgent(agent: ProcessMark): Promise<boolean> {
    this.#agent = agent;
    return this.renew();
  }

  release(): Promise<void> {
    clearInterval(this.#timer);
    return runWithProjectLock(this.#root, async () => {
      if (this.#isOwn()) await removeLockFile(this.#root, this.id);
    });
  }

  async #writeIfOwn(): Promise<boolean> {
    if (!this.#isOwn()) return false;
    const file = buildLockPath(this.id);
    await replaceFile(join(this.#root, file), file, this.#formatText());
    return true;
  }

  #isOwn(): boolean {
    return readClaim(this.#root, this.id, this.#clock.now())?.token === this.#token;
  }

  #formatText(): string {
    const holder = {
      pid: process.pid,
      host: hostname(),
      started_at: new Date(performance.timeOrigin).toISOString(),
      process_id: this.#processId,
      heartbeat: this.#clock.now().toISOString(),
      began: this.#self.began,
      agent: this.#agent,
      token: this.#token,
    };
    return `${JSON.stringify(holder, null, 2)}\n`;
  }
}

async function clearStaleClaim(root: string, id: SpecId, now: Date): Promise<ClaimHolder | null> {
  const holder = readClaim(root, id, now)?.holder;
  if (holder === undefined || holder.alive) return null;
  await removeLockFile(root, id);
  return holder;
}

async function removeLockFile(root: string, id: SpecId): Promise<void> {
  try {
    await removeFileInOpenFolder(join(root, buildLockPath(id)));
  } catch (error) {
    throw convertToDiskError(`remove "${buildLockPath(id)}"`, error);
  }
}

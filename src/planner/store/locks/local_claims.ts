import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "#kernel/clock.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { LockHolder } from "#planner/work/records/process_record.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { convertToDiskError } from "../files/disk_error.ts";
import { readFolderEntries, removeFileInOpenFolder } from "../files/open_folder.ts";
import { createFile, removeLeftoverFiles, replaceFile } from "../files/place_file.ts";
import { getTextField, getTimeField, type JsonReadResult, readJsonFile } from "../files/read_text.ts";
import { isProcessAlive, isProcessRunning, type ProcessMark, readProcessMark } from "../processes/run_processes.ts";
import { LOCKS_FOLDER } from "../project/places.ts";
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

/** Age in ms at which another machine's heartbeat counts as stopped. Chosen by planner: it is renewed every minute. */
export const HEARTBEAT_LIMIT_MS = 5 * 60_000;

/** Content of `.planner/locks/<id>.lock`. */
export interface ClaimHolder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the holder's process, in ISO 8601 UTC. */
  readonly started_at: string;
  readonly heartbeat: string;
  /** Id of the run, or null in a lock that another program wrote. */
  readonly process_id: string | null;
  /** Leader of the process group of the agent that the holder started last; null before the first agent. */
  readonly agent: ProcessMark | null;
  /** False for a stale claim, which the next claimant may take over. */
  readonly alive: boolean;
}

function buildLockPath(id: string): string {
  return `${LOCKS_FOLDER}/${id}.lock`;
}

/** Returns the ids of specs that have a lock, stale ones too. @throws OperationError if the folder cannot be read */
export async function listClaimedIds(root: string): Promise<readonly SpecId[]> {
  return (await readFolderEntries(root, LOCKS_FOLDER))
    .filter(({ name }) => name.endsWith(".lock") && !name.startsWith("."))
    .map(({ name }) => name.slice(0, -".lock".length) as SpecId)
    .sort();
}

/** Returns the holder of a spec's lock; null without a lock. */
export function readLockHolder(root: string, id: string, now: Date): LockHolder | null {
  const holder = readClaim(root, id, now)?.holder;
  return holder === undefined ? null : { pid: holder.pid, alive: holder.alive, file: buildLockPath(id) };
}

/**
 * Reads `.planner/locks/<id>.lock`: JSON `{pid, host, started_at, heartbeat, process_id, began, agent, token}`, or a
 * plain pid. A lock with neither has no holder: pid 0, not alive. Source: docs/decisions.md#s-23.
 *
 * @returns the holder, and the token that identifies its lock; undefined without a lock
 */
export function readClaim(
  root: string,
  id: string,
  now: Date,
): { readonly holder: ClaimHolder; readonly token: string | null } | undefined {
  const read = readJsonFile(join(root, buildLockPath(id)));
  if (read.kind === "missing") return undefined;
  const named = parseLockHolder(read);
  const object = read.kind === "object" ? read.object : {};
  const holder = {
    pid: named?.pid ?? 0,
    host: named?.host ?? hostname(),
    started_at: (named?.since ?? read.modified).toISOString(),
    heartbeat: (getTimeField(object, "heartbeat") ?? read.modified).toISOString(),
    process_id: getTextField(object, "process_id"),
    agent: parseProcessMark(object["agent"]),
  };
  const alive =
    named !== null && isHolderAlive(holder, { since: named.since, began: getTextField(object, "began"), now });
  return { holder: { ...holder, alive }, token: getTextField(object, "token") };
}

function isHolderAlive(
  { pid, host, heartbeat }: Omit<ClaimHolder, "alive">,
  { since, began, now }: { readonly since: Date; readonly began: string | null; readonly now: Date },
): boolean {
  if (host !== hostname()) return now.getTime() - Date.parse(heartbeat) < HEARTBEAT_LIMIT_MS;
  return began === null ? isProcessAlive(pid, since) : isProcessRunning({ pid, began });
}

function parseProcessMark(value: unknown): ProcessMark | null {
  if (!isJsonObject(value)) return null;
  const { pid, began } = value;
  if (!Number.isSafeInteger(pid)) return null;
  return { pid: Number(pid), began: typeof began === "string" ? began : null };
}

/**
 * Returns the process that a small file names, as JSON with `pid` or as a bare pid; null if the file names no process.
 * If the file has no start time, the file's own time counts, because that process wrote the file.
 */
export function parseLockHolder(
  read: Exclude<JsonReadResult, { readonly kind: "missing" }>,
): { readonly pid: number; readonly host: string | null; readonly since: Date } | null {
  const { modified: since } = read;
  if (read.kind === "broken") {
    const digits = /^\s*(\d{1,10})\s*$/.exec(read.text ?? "")?.[1];
    return digits === undefined ? null : { pid: Number(digits), host: null, since };
  }
  const pid = read.object["pid"];
  if (!Number.isSafeInteger(pid)) return null;
  return {
    pid: Number(pid),
    host: getTextField(read.object, "host"),
    since: getTimeField(read.object, "started_at") ?? since,
  };
}

import { hostname } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "#kernel/json_object.ts";
import type { LockHolder } from "#planner/work/records/process_record.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { readFolderEntries } from "../files/open_folder.ts";
import { getTextField, getTimeField, type JsonReadResult, readJsonFile } from "../files/read_text.ts";
import { isProcessAlive, isProcessRunning, type ProcessMark } from "../processes/run_processes.ts";
import { LOCKS_FOLDER } from "../project/places.ts";

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

export function buildLockPath(id: string): string {
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

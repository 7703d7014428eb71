import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "#kernel/json_object.ts";
import type { ClaimHolder, ProcessMark } from "#planner/run_ports/claims.ts";
import type { LockHolder } from "../../ports.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { diskRefusal, isMissing } from "../files/disk_error.ts";
import { type JsonRead, readJson, textField, timeField } from "../files/json_file.ts";
import { isAlive } from "../processes/process_life.ts";
import { stillRuns } from "../processes/process_mark.ts";
import { LOCKS } from "../project/places.ts";

/**
 * Age of another machine's heartbeat at which it counts as stopped, in milliseconds. Chosen by planner: it is renewed
 * every minute.
 */
export const HEARTBEAT_LIMIT_MS = 5 * 60_000;

export function lockFile(id: string): string {
  return `${LOCKS}/${id}.lock`;
}

/** Returns the ids of specs that have a lock, stale ones too. @throws OperationError if the folder cannot be read */
export async function claimedIds(root: string): Promise<readonly SpecId[]> {
  try {
    const names = await readdir(join(root, LOCKS));
    return names
      .filter((name) => name.endsWith(".lock") && !name.startsWith("."))
      .map((name) => name.slice(0, -".lock".length) as SpecId)
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw diskRefusal(`read "${LOCKS}"`, error);
  }
}

/** Returns the holder of a spec's lock. */
export function readLock(root: string, id: string, now: Date): LockHolder | null {
  const holder = readClaim(root, id, now)?.holder;
  return holder === undefined ? null : { pid: holder.pid, alive: holder.alive, file: lockFile(id) };
}

/**
 * Reads `.planner/locks/<id>.lock`: JSON `{pid, host, started_at, heartbeat, process_id, began, agent, token}`, or a
 * plain pid. A lock with neither has no holder: pid 0, not alive.
 *
 * Source: docs/decisions.md#s-23.
 *
 * @returns the holder, and the token that identifies its lock
 */
export function readClaim(
  root: string,
  id: string,
  now: Date,
): { readonly holder: ClaimHolder; readonly token: string | null } | undefined {
  const read = readJson(join(root, lockFile(id)));
  if (read.kind === "missing") return undefined;
  const named = holderOf(read);
  const object = read.kind === "object" ? read.object : {};
  const holder = {
    pid: named?.pid ?? 0,
    host: named?.host ?? hostname(),
    started_at: (named?.since ?? read.modified).toISOString(),
    heartbeat: (timeField(object, "heartbeat") ?? read.modified).toISOString(),
    process_id: textField(object, "process_id"),
    agent: markIn(object["agent"]),
  };
  const alive = named !== null && isHolderAlive(holder, { since: named.since, began: textField(object, "began"), now });
  return { holder: { ...holder, alive }, token: textField(object, "token") };
}

interface Evidence {
  readonly since: Date;
  readonly began: string | null;
  readonly now: Date;
}

function isHolderAlive({ pid, host, heartbeat }: Omit<ClaimHolder, "alive">, { since, began, now }: Evidence): boolean {
  if (host !== hostname()) return now.getTime() - Date.parse(heartbeat) < HEARTBEAT_LIMIT_MS;
  return began === null ? isAlive(pid, since) : stillRuns({ pid, began });
}

function markIn(value: unknown): ProcessMark | null {
  if (!isJsonObject(value)) return null;
  const { pid, began } = value;
  if (!Number.isSafeInteger(pid)) return null;
  return { pid: Number(pid), began: typeof began === "string" ? began : null };
}

/**
 * Returns the process that a small file names, as JSON with `pid` or as a bare pid; null when it names none. If the
 * file has no start time, the file's own time counts, because that process wrote the file.
 */
export function holderOf(
  read: Exclude<JsonRead, { readonly kind: "missing" }>,
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
    host: textField(read.object, "host"),
    since: timeField(read.object, "started_at") ?? since,
  };
}

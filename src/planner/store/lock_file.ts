import { hostname } from "node:os";
import { join } from "node:path";
import type { LockHolder } from "../ports.ts";
import { type JsonRead, readJson, textField, timeField } from "./json_file.ts";
import { LOCKS } from "./places.ts";
import { isAlive } from "./process_life.ts";

/** Age at which the heartbeat of another machine's holder has stopped, in milliseconds. Ours: it beats every minute. */
const HEARTBEAT_LIMIT_MS = 5 * 60_000;

/**
 * Reads `.planner/locks/<id>.lock`: JSON `{pid, host, started_at, heartbeat}`, or a plain pid. A lock that says neither
 * belongs to nobody: pid 0, not alive.
 *
 * Source: decision S-23.
 */
export function readLock(root: string, id: string, now: Date): LockHolder | null {
  const file = `${LOCKS}/${id}.lock`;
  const read = readJson(join(root, file));
  if (read.kind === "missing") return null;
  const holder = holderOf(read);
  if (holder === null) return { pid: 0, alive: false, file };
  const alive =
    holder.host === null || holder.host === hostname() ? isAlive(holder.pid, holder.since) : beats(read, now);
  return { pid: holder.pid, alive, file };
}

/**
 * Who a small file of ours names: JSON with `pid`, or nothing but a pid; null when it names nobody. Where the file does
 * not say since when, its own age does: it was written by the process it names.
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

function beats(read: JsonRead, now: Date): boolean {
  if (read.kind !== "object") return false;
  const beat = timeField(read.object, "heartbeat") ?? read.modified;
  return now.getTime() - beat.getTime() < HEARTBEAT_LIMIT_MS;
}

import type { LogReference, LogRow, StoredCheckpoint } from "#dc/ports.ts";
import { type SqlRunner, text } from "./sql_runner.ts";

/** One page of the change log's rows by seq. Cost: one statement on the primary key. */
export async function logRows(runner: SqlRunner, after: number, limit: number): Promise<readonly LogRow[]> {
  const columns = "seq, occurred_at, principal, action, request_id, door, body, hash";
  const rows = await runner.all(`SELECT ${columns} FROM change_log WHERE seq > ? ORDER BY seq LIMIT ?`, [after, limit]);
  return rows.map((row) => ({
    seq: Number(row["seq"]),
    occurredAt: text(row, "occurred_at"),
    principal: text(row, "principal"),
    action: text(row, "action"),
    requestId: text(row, "request_id"),
    interface: text(row, "door"),
    hash: text(row, "hash"),
    body: text(row, "body"),
  }));
}

/** One page of the references into the change log. Cost: one statement on the primary key. */
export async function logReferences(
  runner: SqlRunner,
  after: LogReference | undefined,
  limit: number,
): Promise<readonly LogReference[]> {
  const [beyond, params] =
    after === undefined ? ["", []] : ["WHERE (ref_key, seq) > (?, ?)", [after.refKey, after.seq]];
  const rows = await runner.all(`SELECT ref_key, seq FROM change_ref ${beyond} ORDER BY ref_key, seq LIMIT ?`, [
    ...params,
    limit,
  ]);
  return rows.map((row) => ({ refKey: text(row, "ref_key"), seq: Number(row["seq"]) }));
}

export async function checkpoints(runner: SqlRunner): Promise<readonly StoredCheckpoint[]> {
  const rows = await runner.all("SELECT size, note FROM audit_checkpoint ORDER BY size", []);
  return rows.map((row) => ({ size: Number(row["size"]), note: text(row, "note") }));
}

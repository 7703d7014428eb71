import type { ChangeRecord } from "#dc/model/change_record.ts";
import { AUDIT_ACTIONS, type AuditAction } from "#dc/model/enum_values.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { HistoryQuery, LogReference, LogRow, StoredCheckpoint } from "#dc/ports.ts";
import { bodyOf } from "./rows.ts";
import { type SqlRunner, type SqlValue, text } from "./sql_runner.ts";

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

/** One page of the change log by seq. Cost: one statement on an index, when an entity, request or actor is named. */
export async function history(runner: SqlRunner, query: HistoryQuery): Promise<readonly ChangeRecord[]> {
  const named = query.entity !== undefined;
  const seq = named ? "change_ref.seq" : "change_log.seq";
  const { actor, action, authMethod } = query;
  const pairs: readonly (readonly [string, SqlValue | undefined])[] = [
    ["change_ref.ref_key = ?", query.entity === undefined ? undefined : refKey(query.entity)],
    ["change_log.principal = ?", actor],
    ["change_log.action = ?", action],
    ["change_log.request_id = ?", query.requestId],
    ["change_log.door = ?", query.interface],
    ["change_log.occurred_at >= ?", query.since],
    ["change_log.occurred_at < ?", query.until],
    [`${seq} ${query.descending ? "<" : ">"} ?`, query.after],
  ];
  const signedIn =
    authMethod === undefined ? [] : beginnings(authMethod, action === undefined ? AUDIT_ACTIONS : [action]);
  const given = pairs.filter((pair): pair is readonly [string, SqlValue] => pair[1] !== undefined);
  const conditions = given.map(([sql]) => sql);
  if (signedIn.length > 0) conditions.push(`(${signedIn.map(() => "change_log.body LIKE ?").join(" OR ")})`);
  const from = named ? "change_ref JOIN change_log ON change_log.seq = change_ref.seq" : "change_log";
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const rows = await runner.all(
    `SELECT change_log.body FROM ${from} ${where} ORDER BY ${seq} ${query.descending ? "DESC" : "ASC"} LIMIT ?`,
    [...given.map(([, value]) => value), ...signedIn, query.limit],
  );
  return rows.map((row) => bodyOf<ChangeRecord>(row));
}

/** How entries by principals of a way of signing in begin: it has no column, and comes second in canonical order. */
function beginnings(authMethod: string, actions: readonly AuditAction[]): readonly string[] {
  return actions.map((action) => `{"action":"${action}","actor":{"authMethod":${JSON.stringify(authMethod)},%`);
}

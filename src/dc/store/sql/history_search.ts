import type { ChangeRecord } from "#dc/model/change_record.ts";
import { AUDIT_ACTIONS, type AuditAction } from "#dc/model/enum_values.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { HistoryQuery } from "#dc/ports.ts";
import { bodyOf } from "./rows.ts";
import type { SqlRunner, SqlValue } from "./sql_runner.ts";

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

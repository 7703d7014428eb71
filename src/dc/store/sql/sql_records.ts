import type { ChangeRecord } from "#dc/model/change_record.ts";
import { AUDIT_ACTIONS, type AuditAction } from "#dc/model/enum_values.ts";
import { toRefKey } from "#dc/model/resource_key.ts";
import type {
  DeadLetter,
  HistoryQuery,
  LogReference,
  LogRow,
  RememberedRequest,
  StoredCheckpoint,
  StoredDocument,
} from "#dc/ports.ts";
import { parseResourceBody } from "./rows.ts";
import { SqlReadings } from "./sql_readings.ts";
import { getTextColumn, type SqlRow, type SqlValue } from "./sql_runner.ts";

const DEAD_LETTER_COLUMNS = "id, received_at, feed, reason, body";

/** Read methods for data beside the inventory: the change log, documents, requests and deliveries. */
export abstract class SqlRecords extends SqlReadings {
  async document(space: string, key: string): Promise<string | undefined> {
    const row = await this.one("SELECT body FROM document WHERE space = ? AND key = ?", [space, key]);
    return row === undefined ? undefined : getTextColumn(row, "body");
  }

  async documents(space: string, after: string, limit: number): Promise<readonly StoredDocument[]> {
    const sql = "SELECT key, body FROM document WHERE space = ? AND key > ? ORDER BY key LIMIT ?";
    const rows = await this.runner.all(sql, [space, after, limit]);
    return rows.map((row) => ({ key: getTextColumn(row, "key"), body: getTextColumn(row, "body") }));
  }

  /** Returns a page of the change log, sorted by seq. Cost: one statement, indexed by entity, request or actor. */
  async history(query: HistoryQuery): Promise<readonly ChangeRecord[]> {
    const named = query.entity !== undefined;
    const seq = named ? "change_ref.seq" : "change_log.seq";
    const { actor, action, authMethod } = query;
    const pairs: readonly (readonly [string, SqlValue | undefined])[] = [
      ["change_ref.ref_key = ?", query.entity === undefined ? undefined : toRefKey(query.entity)],
      ["change_log.principal = ?", actor],
      ["change_log.action = ?", action],
      ["change_log.request_id = ?", query.requestId],
      ["change_log.door = ?", query.interface],
      ["change_log.occurred_at >= ?", query.since],
      ["change_log.occurred_at < ?", query.until],
      [`${seq} ${query.descending ? "<" : ">"} ?`, query.after],
    ];
    const signedIn =
      authMethod === undefined
        ? []
        : listAuthMethodPatterns(authMethod, action === undefined ? AUDIT_ACTIONS : [action]);
    const given = pairs.filter((pair): pair is readonly [string, SqlValue] => pair[1] !== undefined);
    const conditions = given.map(([sql]) => sql);
    if (signedIn.length > 0) conditions.push(`(${signedIn.map(() => "change_log.body LIKE ?").join(" OR ")})`);
    const from = named ? "change_ref JOIN change_log ON change_log.seq = change_ref.seq" : "change_log";
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const rows = await this.runner.all(
      `SELECT change_log.body FROM ${from} ${where} ORDER BY ${seq} ${query.descending ? "DESC" : "ASC"} LIMIT ?`,
      [...given.map(([, value]) => value), ...signedIn, query.limit],
    );
    return rows.map((row) => parseResourceBody<ChangeRecord>(row));
  }

  /** Returns one page of the change log's rows, sorted by seq. Cost: one statement on the primary key. */
  async logRows(after: number, limit: number): Promise<readonly LogRow[]> {
    const columns = "seq, occurred_at, principal, action, request_id, door, body, hash";
    const sql = `SELECT ${columns} FROM change_log WHERE seq > ? ORDER BY seq LIMIT ?`;
    return (await this.runner.all(sql, [after, limit])).map((row) => ({
      seq: Number(row["seq"]),
      occurredAt: getTextColumn(row, "occurred_at"),
      principal: getTextColumn(row, "principal"),
      action: getTextColumn(row, "action"),
      requestId: getTextColumn(row, "request_id"),
      interface: getTextColumn(row, "door"),
      hash: getTextColumn(row, "hash"),
      body: getTextColumn(row, "body"),
    }));
  }

  /** Returns one page of the references into the change log. Cost: one statement on the primary key. */
  async logReferences(after: LogReference | undefined, limit: number): Promise<readonly LogReference[]> {
    const [beyond, params] =
      after === undefined ? ["", []] : ["WHERE (ref_key, seq) > (?, ?)", [after.refKey, after.seq]];
    const sql = `SELECT ref_key, seq FROM change_ref ${beyond} ORDER BY ref_key, seq LIMIT ?`;
    const rows = await this.runner.all(sql, [...params, limit]);
    return rows.map((row) => ({ refKey: getTextColumn(row, "ref_key"), seq: Number(row["seq"]) }));
  }

  async checkpoints(): Promise<readonly StoredCheckpoint[]> {
    const rows = await this.runner.all("SELECT size, note FROM audit_checkpoint ORDER BY size", []);
    return rows.map((row) => ({ size: Number(row["size"]), note: getTextColumn(row, "note") }));
  }

  async remembered(principal: string, requestId: string): Promise<RememberedRequest | undefined> {
    const row = await this.one(
      `SELECT method, fingerprint, reply, created_at FROM remembered_request WHERE principal = ? AND request_id = ?`,
      [principal, requestId],
    );
    if (row === undefined) return undefined;
    return {
      principal,
      requestId,
      method: getTextColumn(row, "method"),
      fingerprint: getTextColumn(row, "fingerprint"),
      reply: getTextColumn(row, "reply"),
      createdAt: getTextColumn(row, "created_at"),
    };
  }

  async delivered(table: string, rowKey: string, mark: string): Promise<boolean> {
    const found = await this.one("SELECT seq FROM feed_delivery WHERE source_table = ? AND row_key = ? AND mark = ?", [
      table,
      rowKey,
      mark,
    ]);
    return found !== undefined;
  }

  async witnessed(seq: number): Promise<boolean> {
    return (await this.one("SELECT seq FROM feed_delivery WHERE seq = ? LIMIT 1", [seq])) !== undefined;
  }

  /** Returns undeliverable events, newest first. */
  async deadLetters(limit: number): Promise<readonly DeadLetter[]> {
    const order = "ORDER BY received_at DESC, id DESC LIMIT ?";
    return (await this.runner.all(`SELECT ${DEAD_LETTER_COLUMNS} FROM dead_letter ${order}`, [limit])).map(
      createDeadLetter,
    );
  }

  async deadLetter(id: string): Promise<DeadLetter | undefined> {
    const row = await this.one(`SELECT ${DEAD_LETTER_COLUMNS} FROM dead_letter WHERE id = ?`, [id]);
    return row && createDeadLetter(row);
  }

  async countDeadLetters(): Promise<number> {
    return Number((await this.one("SELECT COUNT(*) AS letters FROM dead_letter"))?.["letters"]);
  }

  protected async one(sql: string, params: readonly SqlValue[] = []): Promise<SqlRow | undefined> {
    const [row] = await this.runner.all(sql, params);
    return row;
  }
}

function createDeadLetter(row: SqlRow): DeadLetter {
  return {
    id: getTextColumn(row, "id"),
    receivedAt: getTextColumn(row, "received_at"),
    feed: getTextColumn(row, "feed"),
    reason: getTextColumn(row, "reason"),
    body: getTextColumn(row, "body"),
  };
}

/**
 * Returns LIKE patterns of entries whose principals signed in by a method. The method has no column; it is in the
 * second field of an entry's canonical JSON.
 */
function listAuthMethodPatterns(authMethod: string, actions: readonly AuditAction[]): readonly string[] {
  return actions.map((action) => `{"action":"${action}","actor":{"authMethod":${JSON.stringify(authMethod)},%`);
}

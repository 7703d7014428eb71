import type { DeadLetter, KeptDocument } from "#dc/ports.ts";
import { type SqlRow, type SqlRunner, text } from "./sql_runner.ts";

export async function document(runner: SqlRunner, space: string, key: string): Promise<string | undefined> {
  const [row] = await runner.all("SELECT body FROM document WHERE space = ? AND key = ?", [space, key]);
  return row === undefined ? undefined : text(row, "body");
}

export async function documentPage(
  runner: SqlRunner,
  { space, after, limit }: { readonly space: string; readonly after: string; readonly limit: number },
): Promise<readonly KeptDocument[]> {
  const sql = "SELECT key, body FROM document WHERE space = ? AND key > ? ORDER BY key LIMIT ?";
  return (await runner.all(sql, [space, after, limit])).map((row) => ({
    key: text(row, "key"),
    body: text(row, "body"),
  }));
}

const COLUMNS = "id, received_at, feed, reason, body";

/** Newest first. */
export async function deadLetters(runner: SqlRunner, limit: number): Promise<readonly DeadLetter[]> {
  const order = "ORDER BY received_at DESC, id DESC LIMIT ?";
  return (await runner.all(`SELECT ${COLUMNS} FROM dead_letter ${order}`, [limit])).map(letterOf);
}

export async function deadLetter(runner: SqlRunner, id: string): Promise<DeadLetter | undefined> {
  return (await runner.all(`SELECT ${COLUMNS} FROM dead_letter WHERE id = ?`, [id])).map(letterOf)[0];
}

export async function countDeadLetters(runner: SqlRunner): Promise<number> {
  const [row] = await runner.all("SELECT COUNT(*) AS letters FROM dead_letter");
  return Number(row?.["letters"]);
}

function letterOf(row: SqlRow): DeadLetter {
  return {
    id: text(row, "id"),
    receivedAt: text(row, "received_at"),
    feed: text(row, "feed"),
    reason: text(row, "reason"),
    body: text(row, "body"),
  };
}

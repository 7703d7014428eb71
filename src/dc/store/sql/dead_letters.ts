import type { DeadLetter } from "#dc/ports.ts";
import { type SqlRow, type SqlRunner, text } from "./sql_runner.ts";

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

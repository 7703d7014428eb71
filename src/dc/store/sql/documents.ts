import type { KeptDocument } from "#dc/ports.ts";
import { type SqlRunner, text } from "./sql_runner.ts";

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

import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { verifyLog } from "#dc/audit/verify_log.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { databaseFile } from "../../../support/dc/stores.ts";

const SCRIPT = join(import.meta.dirname, "../../../support/scripts/dc_write_until_killed.ts");

/** Starts a writer, kills it after it has printed `lines` numbers, and returns the last whole number it printed. */
function writeAndKill(file: string, first: number, lines: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SCRIPT, file, String(first)], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      output += text;
      if (output.split("\n").length > lines) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (_code, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`The writer ended by itself: ${signal}`));
      else resolve(Number(output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1)));
    });
  });
}

test("the service keeps every acknowledged call and no half of one after it was killed, and its chain verifies", async () => {
  const file = databaseFile();
  let next = 0;
  for (const lines of [1, 3, 17, 40, 2, 25]) {
    const acknowledged = await writeAndKill(file, next, lines);

    const store = await openSqlite(file);
    const { devices, head, revision, verdict } = await store.read(async (reader) => ({
      devices: (await reader.inventory()).devices,
      head: await reader.chainHead(),
      revision: await reader.revision(),
      verdict: await verifyLog(reader),
    }));
    await store.close();

    const calls = devices.length / 2;
    expect(calls).toBeGreaterThan(acknowledged);
    expect(Number.isInteger(calls)).toBe(true);
    expect([head.seq, revision, verdict.ok]).toEqual([devices.length, calls, true]);
    expect(devices.every(({ ports }) => ports?.length === 20)).toBe(true);
    next = calls;
  }
}, 240_000);

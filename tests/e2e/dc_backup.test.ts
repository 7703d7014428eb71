import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { emptyFolder, sampleDatabase } from "../support/dc_server.ts";
import { serveDc } from "../support/end_after_test.ts";
import { putRack } from "../support/http_client.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";

const dc = (cwd: string, ...words: string[]) => runPlanner(["dc", ...words], { cwd });

async function sampleFolder(): Promise<string> {
  const cwd = emptyFolder();
  await sampleDatabase(cwd);
  return cwd;
}

const shows = async (cwd: string, db: string, code: string) =>
  (await dc(cwd, "show", "rack", code, "--db", db)).code === 0;

test("planner dc backup copies a served database, and restore refuses a served one and puts the copy in place", async () => {
  const cwd = await sampleFolder();
  const server = await serveDc(cwd, ["--db", "planner-dc.sqlite"]);
  await putRack(server.url, "BEFORE");
  const made = await dc(cwd, "backup", "copy.sqlite");
  expect([made.stderr, made.code]).toEqual(["", 0]);
  expect(made.stdout).toContain("entries, unbroken");
  expect(made.stdout).toContain("resources are what the change log says");
  await putRack(server.url, "AFTER");

  const refused = await dc(cwd, "restore", "copy.sqlite");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("is open in another process: stop the server"),
  ]);
  await server.end();
  const restored = await dc(cwd, "restore", "copy.sqlite");
  expect([restored.stderr, restored.code]).toEqual(["", 0]);
  expect(await shows(cwd, "planner-dc.sqlite", "BEFORE")).toBe(true);
  expect(await shows(cwd, "planner-dc.sqlite", "AFTER")).toBe(false);
  expect(await shows(cwd, "planner-dc.sqlite.before-restore", "AFTER")).toBe(true);
  const again = await serveDc(cwd, ["--db", "planner-dc.sqlite"]);
  expect((await putRack(again.url, "LATER")).status).toBe(200);
}, 240_000);

test("planner dc backup and restore name what they cannot use, and change nothing", async () => {
  const cwd = await sampleFolder();
  expect((await dc(cwd, "backup", "copy.sqlite")).code).toBe(0);
  writeFileSync(join(cwd, "notes.txt"), "my notes");
  copyFileSync(join(cwd, "copy.sqlite"), join(cwd, "logged.sqlite"));
  writeFileSync(join(cwd, "logged.sqlite-wal"), "x");
  const before = ["planner-dc.sqlite", "copy.sqlite", "notes.txt"].map((name) => readFileSync(join(cwd, name)));
  for (const [words, expected] of [
    [["backup", "planner-dc.sqlite"], "is the database itself"],
    [["backup", "notes.txt"], "not a database"],
    [["backup", "logged.sqlite"], "would be read as the log"],
    [["backup", "none/copy.sqlite"], "There is no folder"],
    [["backup", "copy.sqlite", "--db", "none.sqlite"], "There is no database"],
    [["backup", "copy.sqlite", "--db", "postgres://127.0.0.1:1/dc"], "pg_dump"],
    [["restore", "none.sqlite"], "There is no backup"],
    [["restore", "notes.txt"], "not a database"],
    [["restore", "planner-dc.sqlite"], "is the database itself"],
    [["restore", "copy.sqlite", "--db", "postgres://127.0.0.1:1/dc"], "pg_restore"],
    [["restore", "copy.sqlite", "--db", "notes.txt"], "not a database"],
  ] as const) {
    const { code, stderr } = await dc(cwd, ...words);
    expect([words, code, stderr]).toEqual([words, 1, expect.stringContaining(expected)]);
  }
  expect(["planner-dc.sqlite", "copy.sqlite", "notes.txt"].map((name) => readFileSync(join(cwd, name)))).toEqual(
    before,
  );
  expect(readdirSync(cwd).filter((name) => name.includes("partial"))).toEqual([]);
}, 240_000);

test("planner dc backup and restore, killed at any moment, leave the old file or the new one", async () => {
  const cwd = await sampleFolder();
  expect((await dc(cwd, "backup", "copy.sqlite")).code).toBe(0);
  for (const [index, word] of ["backup", "restore", "backup", "restore", "backup", "restore"].entries()) {
    const [command = "", ...before] = PLANNER;
    const child = spawn(command, [...before, "dc", word, "copy.sqlite"], { cwd, stdio: "ignore" });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await Promise.race([pause(100 * (index + 1)), ended]);
    child.kill("SIGKILL");
    await ended;
    for (const db of ["copy.sqlite", "planner-dc.sqlite"]) {
      const { code, stdout } = await dc(cwd, "audit", "verify", "--estate", "--db", db);
      expect([word, db, code, stdout]).toEqual([word, db, 0, expect.stringContaining("2950 resources are what")]);
    }
  }
  expect((await dc(cwd, "backup", "copy.sqlite")).code).toBe(0);
  expect((await dc(cwd, "restore", "copy.sqlite")).code).toBe(0);
  expect(existsSync(join(cwd, "planner-dc.sqlite.before-restore"))).toBe(true);
  expect(readdirSync(cwd).filter((name) => name.includes("partial"))).toEqual([]);
}, 240_000);

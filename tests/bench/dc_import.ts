/**
 * `bun tests/bench/dc_import.ts [racks]`: what `planner dc import` takes for a large site (2,000 racks: 101,552 devices)
 * on SQLite, against a bare prepared insert of the same rows, with the same schema and settings, in one transaction of
 * the same run. Wall time and the process's own time, since machines are shared.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { importFiles, openDatabaseTarget } from "#cli/dc/import/import_files.ts";
import { generateSample } from "#dc/sample/facility.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";

const CHUNK = 20_000;
const racks = Number(process.argv[2] ?? 2000);
const folder = mkdtempSync(join(process.env["BENCH_TMP"] ?? tmpdir(), "planner-bench-"));
const file = join(folder, "site.jsonl");

interface Time {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function clock(): () => Time {
  const started = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { wallMs: performance.now() - started, cpuMs: (user + system) / 1000 };
  };
}

function writeSite(): number {
  let count = 0;
  let held = "";
  writeFileSync(file, "");
  for (const { kind, item } of generateSample(racks)) {
    held += `${JSON.stringify({ [kind]: item })}\n`;
    count += 1;
    if (count % CHUNK !== 0) continue;
    writeFileSync(file, held, { flag: "a" });
    held = "";
  }
  writeFileSync(file, held, { flag: "a" });
  return count;
}

async function measureImport(database: string): Promise<Time> {
  const quiet = { quiet: true, note: () => {}, warn: (text: string) => process.stderr.write(`${text}\n`) };
  const manner = { atomic: false, dryRun: false, json: false, errors: undefined, cwd: folder };
  const store = await openSqlite(database);
  const opened = { store, close: () => store.close() };
  const time = clock();
  const files = { ...manner, files: [file], format: undefined, kind: undefined, encoding: "utf-8" as const };
  const status = await importFiles(() => openDatabaseTarget(opened, manner, () => {}), files, quiet);
  const taken = time();
  await store.close();
  if (status !== 0) throw new Error(`The import ended with ${status}`);
  return taken;
}

/** Only the inserts are timed; rows are fetched in between. */
async function measureBare(from: string, to: string): Promise<Time & { readonly rows: number }> {
  await (await openSqlite(to)).close();
  const source = new DatabaseSync(from, { readOnly: true });
  const target = new DatabaseSync(to);
  target.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536");
  // Parents come before their children, so foreign keys are checked as in the import.
  target.exec("PRAGMA foreign_keys = ON");
  let rows = 0;
  let wallMs = 0;
  let cpuMs = 0;
  const timed = (work: () => void) => {
    const time = clock();
    work();
    const taken = time();
    wallMs += taken.wallMs;
    cpuMs += taken.cpuMs;
  };
  const tables = source
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('migration', 'setting') ORDER BY rootpage",
    )
    .all() as { name: string }[];
  timed(() => target.exec("BEGIN IMMEDIATE"));
  for (const { name } of tables) {
    let chunk: SQLInputValue[][] = [];
    let sql = "";
    const insert = () => {
      if (chunk.length === 0) return;
      timed(() => {
        const statement = target.prepare(sql);
        for (const row of chunk) statement.run(...row);
      });
      rows += chunk.length;
      chunk = [];
    };
    for (const row of source.prepare(`SELECT * FROM ${name} ORDER BY rowid`).iterate() as Iterable<
      Record<string, SQLInputValue>
    >) {
      const columns = Object.keys(row);
      sql = `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      if (chunk.push(Object.values(row)) >= CHUNK) insert();
    }
    insert();
  }
  timed(() => target.exec("COMMIT"));
  source.close();
  target.close();
  return { rows, wallMs, cpuMs };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

try {
  const resources = writeSite();
  const taken = await measureImport(join(folder, "import.sqlite"));
  const bare = await measureBare(join(folder, "import.sqlite"), join(folder, "bare.sqlite"));
  const ratio = (import_: number, floor: number) => `${(import_ / floor).toFixed(2)}x`;
  process.stdout.write(
    [
      `${racks} racks, ${resources} resources, ${bare.rows} rows`,
      `import        ${seconds(taken.wallMs)} (own time ${seconds(taken.cpuMs)})`,
      `bare inserts  ${seconds(bare.wallMs)} (own time ${seconds(bare.cpuMs)})`,
      `ratio         ${ratio(taken.wallMs, bare.wallMs)} (own time ${ratio(taken.cpuMs, bare.cpuMs)})`,
      `memory        ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`,
      "",
    ].join("\n"),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * `bun tests/bench/second_writer.ts`: how long writes of this process wait while `planner dc import` of another one brings
 * 20,000 devices into the same database, SQLite and PostgreSQL in turn, and the longest time between two batches of the import;
 * each write follows 20 ms behind the one before. Build first: `npm run build`.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DcStore } from "#dc/ports.ts";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { emptyFolder } from "../support/dc_server.ts";
import { PLANNER } from "../support/planner_command.ts";
import { PostgresServer } from "../support/postgres.ts";
import { median } from "./measure.ts";

const DEVICES = 20_000;
const ROUNDS = 3;
const PAUSE_MS = 20;

const folder = emptyFolder();
const file = join(folder, "devices.jsonl");
const location = { site_id: "S1", floor_number: 1 };
const ports = Array.from({ length: 4 }, (_, at) => ({ name: `eth${at}`, kind: "PORT_KIND_NETWORK" }));
const device = (at: number) => ({ device: { code: `D${at}`, kind: "DEVICE_KIND_SERVER", location, ports } });
writeFileSync(file, Array.from({ length: DEVICES }, (_, at) => `${JSON.stringify(device(at))}\n`).join(""));

async function timedWrite(store: DcStore, count: number): Promise<number> {
  const begun = performance.now();
  await store.write(async (writer) => {
    await writer.putDocument("bench", "count", String(count));
    await writer.raiseRevision();
  });
  return performance.now() - begun;
}

interface Found {
  readonly waits: number[];
  readonly batches: number[];
}

/** Imports into the database and writes beside it until the import ends. */
async function beside(address: string, store: DcStore, { waits, batches }: Found): Promise<void> {
  const [program = "", ...args] = [...PLANNER, "dc", "import", file, "--json", "--db", address];
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  let last: number | undefined;
  child.stdout.on("data", () => {
    const now = performance.now();
    if (last !== undefined) batches.push(now - last);
    last = now;
  });
  let status: number | null | undefined;
  child.on("close", (code) => {
    status = code;
  });
  while (status === undefined) {
    waits.push(await timedWrite(store, waits.length));
    await sleep(PAUSE_MS);
  }
  await store.close();
  if (status !== 0) throw new Error(`The import ended with ${status}`);
}

const postgres = await PostgresServer.start();
const sqlite: Found = { waits: [], batches: [] };
const server: Found = { waits: [], batches: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  const path = join(folder, `${round}.sqlite`);
  await beside(path, await openSqlite(path), sqlite);
  const url = await postgres.database();
  await beside(url, await openPostgres(url), server);
}
await postgres.end();
for (const [name, { waits, batches }] of Object.entries({ SQLite: sqlite, PostgreSQL: server })) {
  const figures = [median(waits), Math.max(...waits), median(batches), Math.max(...batches)].map(Math.round);
  const [half, worst, batch, longest] = figures;
  process.stdout.write(
    `${name}: ${waits.length} writes, median ${half} ms, worst ${worst} ms; a batch of the import: median ${batch} ms, worst ${longest} ms\n`,
  );
}

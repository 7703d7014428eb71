/**
 * `bun tests/bench/postgres_faults.ts`: two servers write to one PostgreSQL while it suffers faults. Every change is sent
 * again with its `request_id` until it is acknowledged; at the end each must be there exactly once and the log whole.
 * Prints per kind of fault how long it took until a change was acknowledged again. `PLANNER_FAULTS=500` for more faults
 * than 12. The full disk needs root, which mounts a small one. Build first: `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { DroppingProxy } from "../support/dropping_proxy.ts";
import { runPlanner } from "../support/planner_command.ts";
import { PostgresServer } from "../support/postgres.ts";
import { faultTable, lostOrDoubled, RecordedWrites } from "../support/recorded_writes.ts";
import { SeededRandom } from "../support/seeded_random.ts";

const FAULTS = Number(process.env["PLANNER_FAULTS"] ?? 12);
const SEED = Number(process.env["PLANNER_SEED"] ?? 1);
/** How long a database hangs or is out of reach, in milliseconds: longer than the servers take to notice. */
const AWAY_MS = 7000;
/** How long a full disk lasts after the first refused change, in milliseconds. */
const FULL_MS = 1000;
/** Longest wait for the database to stop, in milliseconds. */
const STOP_MS = 30_000;
const DISK_MIB = 2048;
const IS_ROOT = process.getuid?.() === 0;

const postgres = await PostgresServer.start({
  // As servers are run: a commit that was answered is written, and outlives a killed process.
  settings: ["synchronous_commit=on", "max_wal_size=96MB"],
  ...(IS_ROOT && { diskMiB: DISK_MIB }),
});
const database = await postgres.database();
const network = await DroppingProxy.start(postgres.port);
const reached = database.replace(`:${postgres.port}/`, `:${network.port}/`);
const servers = await Promise.all([0, 1].map(() => DcServer.start(emptyFolder(), ["--db", reached])));
const random = new SeededRandom(SEED);

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

const KINDS: Readonly<Record<string, () => Promise<void>>> = {
  "connections ended": async () => {
    await postgres
      .sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'planner'")
      .catch(() => {});
  },
  "backend killed (the whole server recovers)": async () => {
    const own = postgres.processes().filter(({ title }) => title.includes("planner_"));
    const victim = own.length === 0 ? undefined : random.pick(own);
    if (victim !== undefined) signal(victim.pid, "SIGKILL");
  },
  "server restarted": restart,
  "server hangs for 7 s": async () => {
    const all = postgres.processes();
    for (const { pid } of all) signal(pid, "SIGSTOP");
    await sleep(AWAY_MS);
    for (const { pid } of all) signal(pid, "SIGCONT");
  },
  "network drops everything for 7 s": async () => {
    network.cut();
    await sleep(AWAY_MS);
    network.heal();
  },
  ...(IS_ROOT && { "disk full for 1 s": fillDisk }),
};

/** Takes all space until changes are refused, and longer; a server that has ended over it is started, as systemd does. */
async function fillDisk(): Promise<void> {
  const data = join(postgres.folder, "data");
  const filler = join(data, "filler");
  // The database may take some of the space meanwhile.
  for (let status: number | null = 1; status !== 0; ) {
    const { bavail, bsize } = statfsSync(data);
    ({ status } = spawnSync("fallocate", ["-l", String(bavail * bsize), filler]));
  }
  const before = writes.repeated;
  while (writes.repeated === before) await sleep(5);
  await sleep(FULL_MS);
  rmSync(filler);
  if (!postgres.isRunning) {
    await restart();
  }
}

async function restart(): Promise<void> {
  const [main] = postgres.isRunning ? postgres.processes() : [];
  // Seen once: its checkpointer sleeps for ever. An administrator ends it at once then.
  const timer = main && setTimeout(() => signal(main.pid, "SIGQUIT"), STOP_MS);
  await postgres.stop();
  clearTimeout(timer);
  await postgres.start();
}

const writes = new RecordedWrites(servers.map(({ url }) => url));
const times = new Map<string, number[]>(Object.keys(KINDS).map((kind) => [kind, []]));
const kinds = Object.entries(KINDS);
for (let done = 0; done < FAULTS; done++) {
  const [kind, fault] = kinds[done % kinds.length] as (typeof kinds)[number];
  await writes.more(10);
  await sleep(random.below(50));
  await fault();
  // From the end of the fault: until then nothing could be acknowledged.
  times.get(kind)?.push(await writes.untilAcknowledged(performance.now()));
  if ((done + 1) % 20 === 0) process.stderr.write(`${done + 1} of ${FAULTS}\n`);
}
const codes = await writes.end();

const entries = await postgres.sql("SELECT body FROM change_log ORDER BY seq", database);
const bodies = entries.map(({ body }) => body);
const wrong = lostOrDoubled(codes, bodies);
const verified = await runPlanner(["dc", "audit", "verify", "--estate", "--db", database], { cwd: emptyFolder() });
process.stdout.write(faultTable(times, "Until a change was acknowledged"));
const told = `${codes.length} changes acknowledged, ${writes.repeated} sent again, ${wrong.length} lost or doubled`;
process.stdout.write(`${told}, ${writes.unexpected.length} unexpected replies; ${verified.stdout}${verified.stderr}`);
for (const reply of writes.unexpected.slice(0, 10)) process.stdout.write(`unexpected: ${reply}\n`);
for (const server of servers) {
  if (/\n\s+at /.test(server.stderr)) process.stdout.write(server.stderr.slice(-2000));
  server.child.kill("SIGTERM");
}
const ends = await Promise.all(servers.map(({ ended }) => ended));
process.stdout.write(`servers ended with ${ends.map(({ code }) => code).join(" and ")}\n`);
await postgres.end();
process.exitCode = wrong.length + writes.unexpected.length === 0 && verified.code === 0 ? 0 : 1;
process.exit();

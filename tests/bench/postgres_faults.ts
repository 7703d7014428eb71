/**
 * `bun tests/bench/postgres_faults.ts`: two servers write to one PostgreSQL while it suffers faults. Every change is sent
 * again with its `request_id` until it is acknowledged; at the end each must be there exactly once and the log whole.
 * Prints per kind of fault how long it took until a change was acknowledged again. `PLANNER_FAULTS=500` for more faults
 * than 12. Build first: `npm run build`.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1 } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { PostgresServer } from "../support/postgres.ts";
import { SeededRandom } from "../support/seeded_random.ts";

const FAULTS = Number(process.env["PLANNER_FAULTS"] ?? 12);
const SEED = Number(process.env["PLANNER_SEED"] ?? 1);
const WRITERS = 4;
/** How long a database hangs, in milliseconds: longer than the servers take to notice. */
const HANG_MS = 7000;

// As servers are run: a commit that was answered is written, and outlives a killed process.
const postgres = await PostgresServer.start({ settings: ["synchronous_commit=on"] });
const database = await postgres.database();
const servers = await Promise.all([0, 1].map(() => DcServer.start(emptyFolder(), ["--db", database])));
const random = new SeededRandom(SEED);

/** The main process, and its children with what they do. */
function processes(): readonly { readonly pid: number; readonly title: string }[] {
  const main = Number(readFileSync(join(postgres.folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  const found = [{ pid: main, title: "main" }];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
      if (parent === main) found.push({ pid: Number(name), title: readFileSync(`/proc/${name}/cmdline`, "utf8") });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

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
    const own = processes().filter(({ title }) => title.includes("planner_"));
    const victim = own.length === 0 ? undefined : random.pick(own);
    if (victim !== undefined) signal(victim.pid, "SIGKILL");
  },
  "server restarted": async () => {
    await postgres.stop();
    await postgres.start();
  },
  "server hangs for 7 s": async () => {
    const all = processes();
    for (const { pid } of all) signal(pid, "SIGSTOP");
    await sleep(HANG_MS);
    for (const { pid } of all) signal(pid, "SIGCONT");
  },
};

let isOver = false;
let acknowledged = 0;
let repeated = 0;
/** When the latest acknowledged change was begun and answered, in milliseconds of the monotonic clock. */
let lastBegan = 0;
let lastAnswered = 0;

/** Writes one device after the other; returns their codes. */
async function write(writer: number): Promise<readonly string[]> {
  const codes: string[] = [];
  for (let number = 0; !isOver; number++) {
    const code = `W${writer}-${number}`;
    const device = { code, kind: "DEVICE_KIND_OTHER", location: { site_id: "S", floor_number: 1 } };
    const body = JSON.stringify({ device, request_id: randomUUID() });
    for (let attempt = 0; ; attempt++) {
      const began = performance.now();
      const { url } = servers[(writer + attempt) % servers.length] as DcServer;
      const path = `${url}/datacenter.v1.DatacenterService/UpsertDevice`;
      const headers = { "content-type": "application/json" };
      const answer = await http1(path, { method: "POST", headers, body }).catch(() => undefined);
      if (answer?.status === 200) {
        acknowledged++;
        [lastBegan, lastAnswered] = [began, performance.now()];
        break;
      }
      if (answer !== undefined && answer.status !== 503) throw new Error(`${code}: ${answer.status} ${answer.text}`);
      repeated++;
      await sleep(20);
    }
    codes.push(code);
  }
  return codes;
}

const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
const times = new Map<string, number[]>(Object.keys(KINDS).map((kind) => [kind, []]));
const kinds = Object.entries(KINDS);
for (let done = 0; done < FAULTS; done++) {
  const [kind, fault] = kinds[done % kinds.length] as (typeof kinds)[number];
  const before = acknowledged;
  while (acknowledged < before + 10) await sleep(5);
  await sleep(random.below(50));
  await fault();
  // From the end of the fault: until then nothing could be acknowledged.
  const ended = performance.now();
  while (lastBegan < ended && lastAnswered < ended) await sleep(2);
  times.get(kind)?.push(lastAnswered - ended);
}
isOver = true;
const codes = (await Promise.all(writers)).flat();

const entries = await postgres.sql("SELECT body FROM change_log ORDER BY seq", database);
const counts = new Map<string, number>();
for (const { body } of entries) {
  const { entity } = JSON.parse(String(body)) as { readonly entity: string };
  counts.set(entity, (counts.get(entity) ?? 0) + 1);
}
const wrong = codes.filter((code) => counts.get(`device:${code}`) !== 1);
const verified = await runPlanner(["dc", "audit", "verify", "--estate", "--db", database], { cwd: emptyFolder() });
process.stdout.write(
  "| Fault | Times | Until a change was acknowledged, ms: median | worst |\n| --- | --- | --- | --- |\n",
);
for (const [kind, all] of times) {
  const sorted = all.toSorted((a, b) => a - b).map(Math.round);
  process.stdout.write(`| ${kind} | ${sorted.length} | ${sorted[sorted.length >> 1]} | ${sorted.at(-1)} |\n`);
}
const told = `${codes.length} changes acknowledged, ${repeated} sent again, ${wrong.length} lost or doubled`;
process.stdout.write(`${told}; ${verified.stdout}${verified.stderr}`);
for (const server of servers) {
  if (/\n\s+at /.test(server.stderr)) process.stdout.write(server.stderr.slice(-2000));
  server.child.kill("SIGTERM");
}
const ends = await Promise.all(servers.map(({ ended }) => ended));
process.stdout.write(`servers ended with ${ends.map(({ code }) => code).join(" and ")}\n`);
await postgres.end();
process.exitCode = wrong.length === 0 && verified.code === 0 ? 0 : 1;
process.exit();

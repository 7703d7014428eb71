/** The trial of failover, as it runs between the namespaces that `run.ts` has made. */
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1 } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";
import { faultTable, lostOrDoubled, RecordedWrites } from "../support/recorded_writes.ts";
import { Cluster, POOL_PORT } from "./cluster.ts";
import { APPS, cut, heal, killAll, MACHINES, type Machine, on } from "./network.ts";

const FAULTS = Number(process.env["PLANNER_FAULTS"] ?? 5);
const WHOLE_MS = 240_000;
/** How long a machine is cut off, and etcd's leader away, at least: longer than Patroni waits for its leader. */
const AWAY_MS = 15_000;
/** How long a server may take to be ready again after the cluster is whole; then its administrator starts it anew. */
const READY_MS = 60_000;
const PORT = 8081;

const cluster = new Cluster();
const servers = new Map<Machine, DcServer>();
/** Servers that did not get ready by themselves, with what they said. */
const stuck: string[] = [];
const poolOf = (machine: Machine, database: string) =>
  `postgres://postgres@${MACHINES[machine]}:${POOL_PORT}/${database}`;
const pooled = `${poolOf("app1", "planner")}?pooling=transaction&sslmode=disable`;

async function startPlanner(machine: Machine): Promise<void> {
  const address = MACHINES[machine];
  const database = `postgres://postgres@127.0.0.1:${POOL_PORT}/planner?pooling=transaction&sslmode=disable`;
  const flags = ["--host", address, "--port", String(PORT), "--insecure", "--allowed-host", address, "--db", database];
  servers.set(machine, await DcServer.start(emptyFolder(), flags, on(machine)));
}

const isReady = async (machine: Machine) =>
  (await http1(`http://${MACHINES[machine]}:${PORT}/readyz`, { timeoutMs: 6000 }).catch(() => undefined))?.status ===
  200;

/** Nothing is injured until the cluster and both servers are whole again. */
async function untilWhole(): Promise<void> {
  await cluster.untilWhole(WHOLE_MS);
  for (const machine of APPS) await untilReady(machine);
}

async function untilReady(machine: Machine): Promise<void> {
  let end = performance.now() + READY_MS;
  while (!(await isReady(machine))) {
    await sleep(200);
    if (performance.now() < end) continue;
    const server = servers.get(machine);
    stuck.push(`${machine} did not get ready: ${server?.stderr.slice(-2000)}`);
    process.stderr.write(`${stuck.at(-1)}\n`);
    await server?.end();
    await startPlanner(machine);
    end = performance.now() + READY_MS;
  }
}

async function found(machine: Promise<Machine | undefined>): Promise<Machine> {
  const one = await machine;
  if (one === undefined) throw new Error("A whole cluster has no leader");
  return one;
}

/** Each fault lasts until changes are acknowledged without what it took away, and is repaired then. */
const KINDS: Readonly<Record<string, (writes: RecordedWrites, round: number) => Promise<void>>> = {
  "primary and its Patroni killed": async (writes) => {
    const primary = await found(cluster.primary());
    killAll(primary);
    await writes.more(20);
    cluster.startDatabase(primary);
  },
  "leader of etcd killed": async (writes) => {
    const leader = await found(cluster.etcdLeader());
    killAll(leader);
    await sleep(AWAY_MS);
    await writes.more(20);
    cluster.startEtcd(leader);
  },
  "planner killed": async (writes, round) => {
    const machine = APPS[round % APPS.length] ?? "app1";
    await servers.get(machine)?.end();
    await writes.more(20);
    await startPlanner(machine);
  },
  "primary's machine cut off": async (writes) => {
    const primary = await found(cluster.primary());
    cut(primary);
    await sleep(AWAY_MS);
    await writes.more(20);
    heal(primary);
  },
  "planner's machine cut off": async (writes, round) => {
    const machine = APPS[round % APPS.length] ?? "app1";
    cut(machine);
    await sleep(AWAY_MS);
    await writes.more(20);
    heal(machine);
  },
};

async function prepare(): Promise<void> {
  cluster.start();
  await cluster.untilWhole(WHOLE_MS);
  const client = postgres(poolOf("app1", "postgres"), { max: 1, prepare: false, onnotice: () => {} });
  await client.unsafe("CREATE DATABASE planner");
  await client.end();
  await Promise.all(APPS.map(startPlanner));
}

/** Runs the faults. @returns for each kind how long no change was acknowledged, in milliseconds */
async function injure(writes: RecordedWrites): Promise<ReadonlyMap<string, number[]>> {
  const kinds = Object.entries(KINDS);
  const gaps = new Map<string, number[]>(kinds.map(([kind]) => [kind, []]));
  for (let done = 0; done < FAULTS; done++) {
    const [kind, fault] = kinds[done % kinds.length] as (typeof kinds)[number];
    await untilWhole();
    await writes.more(20);
    const from = performance.now();
    await fault(writes, Math.floor(done / kinds.length));
    await untilWhole();
    await writes.more(1);
    const gap = writes.longestGap(from);
    gaps.get(kind)?.push(gap);
    process.stderr.write(`${done + 1} of ${FAULTS}: ${kind}: ${Math.round(gap)} ms\n`);
  }
  return gaps;
}

/** @returns whether nothing was lost, doubled or altered */
async function judge(writes: RecordedWrites): Promise<boolean> {
  const codes = await writes.end();
  const client = postgres(poolOf("app1", "planner"), { max: 1, prepare: false });
  const bodies = (await client.unsafe("SELECT body FROM change_log ORDER BY seq")).map(({ body }) => body);
  await client.end();
  const wrong = lostOrDoubled(codes, bodies);
  const verified = await runPlanner(["dc", "audit", "verify", "--estate", "--db", pooled], { cwd: emptyFolder() });
  const told = `${codes.length} changes acknowledged, ${writes.repeated} sent again, ${wrong.length} lost or doubled, ${cluster.renewals} replicas renewed, ${stuck.length} servers stuck`;
  process.stdout.write(`${told}, ${writes.unexpected.length} unexpected replies; ${verified.stdout}${verified.stderr}`);
  for (const reply of writes.unexpected.slice(0, 10)) process.stdout.write(`unexpected: ${reply}\n`);
  for (const { stderr } of servers.values()) if (/\n\s+at /.test(stderr)) process.stdout.write(stderr.slice(-2000));
  return wrong.length + writes.unexpected.length + stuck.length === 0 && verified.code === 0;
}

/** @returns the status of the process */
async function tried(): Promise<number> {
  await prepare();
  const writes = new RecordedWrites(APPS.map((machine) => `http://${MACHINES[machine]}:${PORT}`));
  const gaps = await injure(writes);
  const isGood = await judge(writes);
  process.stdout.write(faultTable(gaps, "Longest time without an acknowledged change"));
  if (isGood) cluster.remove();
  return isGood ? 0 : 1;
}

process.exit(await tried());

import { expect, test } from "bun:test";
import { hostname } from "node:os";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { type ClaimResult, type FileClaim, HEARTBEAT_LIMIT_MS, openClaims } from "#planner/store/locks/local_claims.ts";
import { openWorkStore } from "#planner/store/processes/work_store.ts";
import { eachTest } from "../../../../support/each_test.ts";
import { LAW_RUNS } from "../../../../support/law_runs.ts";
import { RunWorker } from "../../../../support/run_worker.ts";
import { tempProject } from "../../../../support/temp_project.ts";

const ID = "2026-01-05-001-abc" as SpecId;
const LOCK = `.planner/locks/${ID}.lock`;
const NOW = new Date("2026-01-05T12:00:00Z");
const clock = { now: () => NOW };

/** A process number that no process has. */
const NOBODY = 4_194_305;

function claimOf(answer: ClaimResult<FileClaim>): FileClaim {
  if ("heldBy" in answer) throw new Error(`held by ${answer.heldBy.pid}`);
  return answer.claim;
}

const project = eachTest(tempProject);

test("claim writes who holds it, and release removes that", async () => {
  const claims = openClaims(project.root, clock);

  const claim = claimOf(await claims.claim(ID, `${ID}-1`));

  const lock = JSON.parse(project.read(LOCK));
  expect(lock).toMatchObject({
    pid: process.pid,
    host: hostname(),
    process_id: `${ID}-1`,
    heartbeat: NOW.toISOString(),
  });
  expect(Date.parse(lock.started_at)).toBeLessThan(Date.now());
  expect(await claims.listIds()).toEqual([ID]);
  expect(await openWorkStore(project.root, clock).readLockHolder(ID)).toEqual({
    pid: process.pid,
    alive: true,
    file: LOCK,
  });

  await claim.release();
  await claim.release();

  expect(await claims.readHolder(ID)).toBeNull();
  expect(project.list(".planner/locks")).toEqual(["edit.db"]);
});

test("claim answers who holds the spec, also to the process that does", async () => {
  const claims = openClaims(project.root, clock);
  await claims.claim(ID, "first");

  const answer = await claims.claim(ID, "second");

  expect(answer).toMatchObject({ heldBy: { pid: process.pid, process_id: "first", alive: true } });
});

test("claim is won by exactly one of many processes, each time", async () => {
  const [count, rounds] = LAW_RUNS >= 1000 ? [50, 100] : [12, 20];
  await using stack = new AsyncDisposableStack();
  const workers = Array.from({ length: count }, () => stack.use(new RunWorker(project.root)));
  await Promise.all(workers.map((worker) => worker.do("release", ID)));

  const winners: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const answers = await Promise.all(workers.map((worker) => worker.do("claim", ID)));
    const won = workers.filter((_, at) => answers[at].won === true);
    winners.push(won.length);
    expect(answers.filter(({ won: one }) => !one).every(({ by }) => by === won[0]?.pid)).toBe(true);
    await won[0]?.do("release", ID);
  }

  expect(winners).toEqual(Array(rounds).fill(1));
}, 300_000);

test("claim takes over from a killed process once, and from a live one never", async () => {
  await using stack = new AsyncDisposableStack();
  const holder = stack.use(new RunWorker(project.root));
  const others = Array.from({ length: 4 }, () => stack.use(new RunWorker(project.root)));
  await holder.do("claim", ID);

  const before = await Promise.all(others.map((worker) => worker.do("claim", ID)));
  const { pid } = holder;
  await holder.kill();
  const after = await Promise.all(others.map((worker) => worker.do("claim", ID)));

  expect(before).toEqual(others.map(() => ({ won: false, by: pid })));
  expect(after.filter(({ won }) => won)).toEqual([{ won: true, tookOver: pid }]);
}, 240_000);

test("claim tells the agent that a killed holder has left", async () => {
  await using worker = new RunWorker(project.root);
  await worker.do("claim", ID);
  const mark = await worker.do("agent", ID, "sleep 0");
  await worker.kill();

  const answer = await openClaims(project.root, clock).claim(ID, "next");

  expect(answer).toMatchObject({ tookOver: { alive: false, agent: mark } });
});

test("claim takes over from a process whose number another one has by now", async () => {
  const own = { pid: process.pid, host: hostname(), started_at: NOW.toISOString(), heartbeat: NOW.toISOString() };
  project.write(LOCK, JSON.stringify({ ...own, began: "an-earlier-start-of-the-machine:4711" }));

  const answer = await openClaims(project.root, clock).claim(ID, "next");

  expect(answer).toMatchObject({ tookOver: { pid: process.pid, alive: false } });
});

test.each([
  [-1, false],
  [0, true],
])("claim leaves another machine's holder alone until its heartbeat is too old (%d ms)", async (more, taken) => {
  const heartbeat = new Date(NOW.getTime() - HEARTBEAT_LIMIT_MS - more).toISOString();
  project.write(LOCK, JSON.stringify({ pid: NOBODY, host: "elsewhere", started_at: heartbeat, heartbeat }));

  const answer = await openClaims(project.root, clock).claim(ID, "next");

  expect("claim" in answer).toBe(taken);
});

test.each(["", "{", "[]", "no pid", '{"pid":"x"}', String(NOBODY)])(
  "claim takes over a lock of nobody: %j",
  async (text) => {
    project.write(LOCK, text);

    const answer = await openClaims(project.root, clock).claim(ID, "next");

    expect(answer).toMatchObject({ tookOver: { alive: false } });
  },
);

test("renew and release leave a claim alone that is somebody else's by now", async () => {
  const claim = claimOf(await openClaims(project.root, clock).claim(ID, "mine"));
  const others = JSON.stringify({ pid: process.pid, host: hostname(), token: "theirs" });
  project.write(LOCK, others);

  const renewed = await claim.renew();
  await claim.release();

  expect(renewed).toBe(false);
  expect(project.read(LOCK)).toBe(others);
});

test("renew writes the present heartbeat and keeps the agent", async () => {
  let now = NOW;
  const claim = claimOf(await openClaims(project.root, { now: () => now }).claim(ID, "mine"));
  await claim.recordAgent({ pid: 7, began: "boot:7" });
  now = new Date(NOW.getTime() + 60_000);

  expect(await claim.renew()).toBe(true);
  expect(JSON.parse(project.read(LOCK))).toMatchObject({
    heartbeat: now.toISOString(),
    agent: { pid: 7, began: "boot:7" },
  });
});

test("clearStaleClaim removes a dead claim and no live one", async () => {
  const claims = openClaims(project.root, clock);
  const claim = claimOf(await claims.claim(ID, "mine"));

  expect(await claims.clearStale(ID)).toBeNull();
  await claim.release();
  project.write(LOCK, String(NOBODY));

  expect(await claims.clearStale(ID)).toMatchObject({ pid: NOBODY });
  expect(await claims.listIds()).toEqual([]);
});

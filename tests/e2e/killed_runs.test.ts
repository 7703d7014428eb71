import { afterAll, afterEach, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PLANNER } from "../support/planner_command.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

/**
 * Kills planner, its agents, watch and merge at random moments. `PLANNER_KILL_ROUNDS` says how often (5), `PLANNER_KILL_SEED`
 * where the seeds begin (1); a round's seed is in its name.
 */
const ROUNDS = Number(process.env["PLANNER_KILL_ROUNDS"] ?? 5);
const FIRST_SEED = Number(process.env["PLANNER_KILL_SEED"] ?? 1);

const IDS = ["2026-11-01-001-aaa", "2026-11-01-002-bbb", "2026-11-01-003-ccc"] as const;
const OTHER = "2026-11-01-009-zzz";
const PLANS = [
  ["tick", "commit"],
  ["commit", "tick", "finalize"],
  ["commit", "child", "hang"],
  ["write", "child", "hang"],
  ["tick", "write"],
  ["flood:3000", "child", "commit", "tick"],
  ["commit", "exit:3"],
] as const;
const VICTIMS = ["work", "agent", "watch", "merge"] as const;
/** Milliseconds within which a round's processes are killed: a run of one spec takes about half of it. */
const SPAN = 1_200;
/** What doctor tells of and leaves to a person, since work would be lost. */
const LEFT_TO_A_PERSON = "orphaned_worktree";

/** Longest life of a merge that is killed, in milliseconds: one of a single spec takes about as long. */
const MERGE_SPAN = 250;

let project: WorkProject;
let kills = 0;

afterAll(() => {
  if (ROUNDS > 10) process.stdout.write(`${kills} processes were killed in ${ROUNDS} rounds\n`);
});

afterEach(() => {
  for (const pid of processesOfProject()) kill(Number(pid));
  project.remove();
});

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

function start(...args: readonly string[]): Running {
  const [program = "", ...first] = PLANNER;
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const child = spawn(program, [...first, ...args], { cwd: project.root, stdio: "ignore", env });
  return { child, ended: new Promise((resolve) => child.on("exit", resolve)) };
}

function kill(pid: number | undefined): void {
  if (pid === undefined || !isRunning(pid)) return;
  try {
    process.kill(pid, "SIGKILL");
    kills++;
  } catch {
    // It ended just now.
  }
}

async function begin(random: SeededRandom): Promise<void> {
  project = await workProject({
    plan: Object.fromEntries(IDS.map((id) => [id, random.pick(PLANS)])),
    config: "watch: {max_retries: 0}\n",
  });
  const fields = "# a comment that stays\n";
  await project.add(IDS[0], fields);
  await project.add(IDS[1], fields);
  await project.add(IDS[2], `${fields}depends_on: [${IDS[0]}]\n`);
  await project.add(OTHER, fields);
  // What a person has at hand, in no commit.
  project.write("mine.txt", "mine\n");
  project.spec(OTHER, `${project.read(`.planner/specs/${OTHER}.md`)}\nNot committed yet.\n`);
}

/**
 * Runs work, with watch in two rounds of three, and kills one after the other; work itself at the latest at the end. A
 * merge begins when its turn comes.
 */
async function killAtRandom(random: SeededRandom): Promise<void> {
  const work = start("work", ...IDS, "--parallel", "2");
  const watch = random.below(3) > 0 ? start("watch", "--poll-interval", "20") : undefined;
  const victims = [random.pick(VICTIMS), random.pick(VICTIMS), "work"] as const;
  const moments = victims.map(() => random.below(SPAN)).sort((one, other) => one - other);
  let now = 0;
  for (const [index, victim] of victims.entries()) {
    const moment = moments[index] ?? SPAN;
    await sleep(moment - now);
    now = moment;
    if (victim === "work") kill(work.child.pid);
    if (victim === "watch") kill(watch?.child.pid);
    if (victim === "merge") await killMerge(random);
    if (victim === "agent") kill(project.pids()[random.below(3)]);
  }
  await work.ended;
  kill(watch?.child.pid);
  await watch?.ended;
}

async function killMerge(random: SeededRandom): Promise<void> {
  const merge = start("merge", "--all");
  await sleep(random.below(MERGE_SPAN));
  kill(merge.child.pid);
  await merge.ended;
}

/** Processes that work in the project's folder or name it in their environment. */
function processesOfProject(): readonly string[] {
  const of = (pid: string): boolean => {
    try {
      const within = readlinkSync(`/proc/${pid}/cwd`).startsWith(project.root);
      return within || readFileSync(`/proc/${pid}/environ`, "latin1").includes(`@${project.root}`);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isRunning(Number(name)) && of(name));
}

function notedSteps(): readonly string[] {
  const file = join(project.notes, "steps");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
}

async function doctor(...flags: readonly string[]): Promise<readonly { kind: string; subject: string }[]> {
  const { stdout } = await project.planner(["doctor", "--json", ...flags]);
  return JSON.parse(stdout).findings;
}

/** What is not true about a spec and its last record; empty when all is well. */
function untruths(id: string): readonly string[] {
  const text = project.read(`.planner/specs/${id}.md`);
  const status = project.field(id, "status") ?? "none";
  const records = project.records().filter(({ spec_id }) => spec_id === id);
  const found: string[] = [];
  const claim = (holds: boolean, words: string): void => {
    if (!holds) found.push(`${id} (${status}, ${records.map((record) => record.status)}): ${words}`);
  };
  claim(["pending", "completed", "failed", "needs_attention"].includes(status), "no status of a spec at rest");
  claim(
    records.every((record) => record.status !== "running" && record.completed_at !== null),
    "a record that runs on",
  );
  claim(text.startsWith(`---\nid: ${id}\nstatus: ${status}\n`) && text.includes("\n# a comment that stays\n"), text);
  if (status === "completed") claim(text.includes("- [x] It is done"), "completed and not checked");
  const promised = records.some((record) => record.status === "completed");
  claim(promised === (status === "completed"), "record and spec tell different ends");
  return found;
}

/** Work that was done and is nowhere now. */
async function lostWork(): Promise<readonly string[]> {
  const subjects = await project.mustGit("log", "--all", "--format=%s");
  const lost: string[] = [];
  for (const id of IDS) {
    const done = notedSteps();
    const text = `the work of ${id}\n`;
    const branch = (await project.git(["show", `planner/${id}:${id}.txt`])).stdout;
    const main = (await project.git(["show", `main:${id}.txt`])).stdout;
    const inWorktree = join(project.root, project.tree(id), `${id}.txt`);
    const folder = existsSync(inWorktree) ? readFileSync(inWorktree, "utf8") : "";
    if (done.includes(`${id} commit`)) {
      if (!subjects.includes(`planner(${id}): do the work`)) lost.push(`${id}: its commit`);
      if (branch !== text && main !== text) lost.push(`${id}: what it committed`);
    }
    if (done.includes(`${id} write`) && folder !== text) lost.push(`${id}: what it wrote`);
  }
  return lost;
}

for (let round = 0; round < ROUNDS; round++) {
  test(`seed ${FIRST_SEED + round}: doctor --fix brings back the truth, and nothing is lost`, async () => {
    const random = new SeededRandom(FIRST_SEED + round);
    await begin(random);
    await killAtRandom(random);

    await doctor("--fix");

    expect(project.pids().filter(isRunning)).toEqual([]);
    for (let wait = 0; wait < 100 && processesOfProject().length > 0; wait++) await sleep(50);
    expect(processesOfProject()).toEqual([]);
    expect((await doctor()).filter(({ kind }) => kind !== LEFT_TO_A_PERSON)).toEqual([]);
    expect(IDS.flatMap(untruths)).toEqual([]);
    expect(project.list(".planner/locks").filter((name) => name.endsWith(".lock"))).toEqual([]);
    expect(await lostWork()).toEqual([]);
    expect(project.read("mine.txt")).toBe("mine\n");
    expect(project.read(`.planner/specs/${OTHER}.md`)).toEndWith("\nNot committed yet.\n");
    expect((await project.git(["fsck", "--no-dangling"])).code).toBe(0);

    const { stdout } = await project.planner(["merge", "--all", "--json"]);

    const refused = JSON.parse(stdout).results.filter(({ outcome }: { outcome: string }) => outcome !== "merged");
    const completed = IDS.filter((id) => project.field(id, "status") === "completed");
    expect(refused.filter(({ spec_id }: { spec_id: string }) => (completed as string[]).includes(spec_id))).toEqual([]);
    for (const id of completed) expect(project.read(`${id}.txt`)).toBe(`the work of ${id}\n`);
    expect(await project.mustGit("log", "--merges", "--format=%s", "main")).toBe("");
    expect(await lostWork()).toEqual([]);
  });
}

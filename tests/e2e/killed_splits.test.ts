import { afterEach, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { PLANNER } from "../support/planner_command.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

/** Kills `planner split` at random moments; see killed_runs.test.ts for the variables. */
const ROUNDS = Number(process.env["PLANNER_KILL_ROUNDS"] ?? 4);
const FIRST_SEED = Number(process.env["PLANNER_KILL_SEED"] ?? 1);

const ID = "2026-11-01-001-abc";
const COUNT = 12;
const IDS = Array.from({ length: COUNT }, (_, index) => `${ID}.${index + 1}`);
/** Milliseconds behind the agent's answer within which planner is killed: it writes the members in about that time. */
const SPAN = 120;

let project: WorkProject;

afterEach(() => project.remove());

for (let round = 0; round < ROUNDS; round++) {
  test(`seed ${FIRST_SEED + round}: a split that is killed is whole or none, and its record says which`, async () => {
    const random = new SeededRandom(FIRST_SEED + round);
    const members = IDS.map((id) => ({ title: id, acceptance_criteria: ["It is seen"] }));
    project = await workProject({ plan: { [ID]: ["child", `say:${JSON.stringify({ members })}`] } });
    await project.add(ID);
    const [program = "", ...first] = PLANNER;
    const child = spawn(program, [...first, "split", ID], { cwd: project.root, stdio: "ignore" });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    await project.noted("steps", "say");
    await sleep(random.below(SPAN));
    child.kill("SIGKILL");
    await ended;

    await project.planner(["doctor", "--fix"]);

    const files = project.list(".planner/specs").filter((name) => name.startsWith(ID));
    const driver = project.field(ID, "type") === "driver";
    expect(files).toEqual((driver ? [ID, ...IDS] : [ID]).map((id) => `${id}.md`).sort());
    expect(project.field(ID, "status")).toBe("pending");
    expect(project.records().map(({ status }) => status)).toEqual([driver ? "completed" : "failed"]);
    expect(project.list(".planner/locks").filter((name) => !name.includes(".db"))).toEqual([]);
    expect(project.pids().filter(isRunning)).toEqual([]);
    expect(JSON.parse((await project.planner(["doctor", "--json"])).stdout).findings).toEqual([]);
  });
}

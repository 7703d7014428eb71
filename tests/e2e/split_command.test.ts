import { afterEach, expect, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const ID = "2026-11-01-001-abc";

let project: WorkProject;

afterEach(() => project.remove());

function member(title: string, depends_on: readonly number[] = [], criteria = 1) {
  const acceptance_criteria = Array.from({ length: criteria }, (_, index) => `${title} is seen ${index + 1}`);
  return { title, description: `Do ${title}.`, acceptance_criteria, target_files: [`${title}.txt`], depends_on };
}

function says(...members: readonly unknown[]): readonly string[] {
  return [`say:${JSON.stringify({ members })}`];
}

function specFiles(): readonly string[] {
  return project.list(".planner/specs");
}

async function split(...words: readonly string[]) {
  const { code, stdout, stderr } = await project.planner(["split", ID, "--json", ...words]);
  return { code, stderr, report: stdout === "" ? null : JSON.parse(stdout) };
}

test("split writes the members, which become ready in their order, and makes the spec their driver", async () => {
  project = await workProject({ plan: { [ID]: says(member("one"), member("two", [1])) } });
  await project.add(ID, "model: small # kept\n");

  const { code, report } = await split();

  expect({ code, report }).toEqual({
    code: 0,
    report: { splits: [{ spec_id: ID, members: [`${ID}.1`, `${ID}.2`] }], refused: [] },
  });
  const text = project.read(`.planner/specs/${ID}.md`);
  expect(text).toContain("status: pending\nlabels: [work]\nmodel: small # kept\n");
  expect(text).toContain("type: driver\n");
  expect(project.read(`.planner/specs/${ID}.2.md`)).toContain("## Acceptance Criteria\n\n- [ ] two is seen 1\n");
  expect(project.field(`${ID}.2`, "model")).toBe("small");
  const ready = JSON.parse((await project.planner(["ready", "--json"])).stdout);
  expect(ready.specs.map(({ id }: { id: string }) => id)).toEqual([`${ID}.1`]);
  expect((await project.planner(["lint"])).code).toBe(0);
  expect((await project.planner(["split", ID])).stderr).toContain(`Spec '${ID}' is already split`);
});

test("split writes nothing when the answer makes no sense or the agent fails", async () => {
  const bad: readonly (readonly [steps: readonly string[], reason: string])[] = [
    [says(member("one", [2]), member("two", [1])), "members depend on each other in a circle: 1 -> 2 -> 1"],
    [says(member("one")), "expected 2 to 50 members, got 1"],
    [says(member("one"), member("two", [3])), "member 2 depends on 3: expected a number from 1 to 2"],
    [["say:no idea"], "it holds no JSON"],
    [["exit:3"], "the agent ended with status 3"],
  ];
  for (const [steps, reason] of bad) {
    project = await workProject({ plan: { [ID]: steps } });
    await project.add(ID);
    const before = project.read(`.planner/specs/${ID}.md`);

    const { code, stderr } = await split();

    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(specFiles()).toEqual([`${ID}.md`]);
    expect(project.read(`.planner/specs/${ID}.md`)).toBe(before);
    project.remove();
  }
  project = await workProject({ plan: {} });
});

test("split --recursive splits members that are too large, down to the depth that is asked for", async () => {
  const large = [member("big", [], 11), member("small")];
  const plan = { [ID]: says(...large), [`${ID}.1`]: says(...large), [`${ID}.1.1`]: says(...large) };
  project = await workProject({ plan });
  await project.add(ID);

  const { code, report } = await split("--recursive", "--max-depth", "2");

  expect(code).toBe(0);
  expect(report.splits.map(({ spec_id }: { spec_id: string }) => spec_id)).toEqual([ID, `${ID}.1`]);
  expect(specFiles()).toEqual([ID, `${ID}.1.1`, `${ID}.1.2`, `${ID}.1`, `${ID}.2`].map((id) => `${id}.md`).sort());
});

test("split refuses a spec that is not pending unless it is forced, and one that is worked", async () => {
  project = await workProject({ plan: { [ID]: [...says(member("one"), member("two")), "wait:go"] } });
  await project.add(ID);
  await project.planner(["update", ID, "--status", "failed"]);

  const refused = await split();
  const forced = split("--force");
  await project.noted("steps", `${ID} say`);
  const second = await split("--force");
  project.release("go");
  const first = await forced;

  expect(refused.stderr).toBe(`error: Spec '${ID}' must be in pending status to split. Current status: failed\n`);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain("is working on it");
  expect(first.code).toBe(0);
  expect(project.field(ID, "status")).toBe("failed");
  expect(project.field(ID, "type")).toBe("driver");
});

test("split that is stopped ends the agent and writes nothing", async () => {
  project = await workProject({ plan: { [ID]: [...says(member("one"), member("two")), "child", "hang"] } });
  await project.add(ID);
  await using child = new LinesOfProcess([...PLANNER, "split", ID], project.root);
  await project.noted("steps", `${ID} child`);

  child.child.kill("SIGINT");
  const { code } = await child.ended;

  expect(code).toBe(130);
  expect(project.pids().filter(isRunning)).toEqual([]);
  expect(specFiles()).toEqual([`${ID}.md`]);
  expect(project.list(".planner/locks").filter((name) => name.endsWith(".lock"))).toEqual([]);
});

test("a split that is paused or taken over ends with its agent, and the spec keeps its status", async () => {
  for (const [words, status] of [
    [["pause", ID], "pending"],
    [["takeover", ID], "pending"],
    [["pause", ID], "failed"],
  ] as const) {
    project = await workProject({ plan: { [ID]: [...says(member("one"), member("two")), "child", "hang"] } });
    await project.add(ID);
    if (status !== "pending") await project.planner(["update", ID, "--status", status]);
    const before = project.read(`.planner/specs/${ID}.md`);
    await using running = new LinesOfProcess([...PLANNER, "split", ID, "--force"], project.root);
    await project.noted("steps", `${ID} child`);

    const { code } = await project.planner(words);
    const { code: splitCode, stderr } = await running.ended;

    expect({ code, splitCode }).toEqual({ code: 0, splitCode: 1 });
    expect(stderr).toContain("it was ended from outside");
    expect(project.pids().filter(isRunning)).toEqual([]);
    expect(project.read(`.planner/specs/${ID}.md`)).toBe(before);
    expect(specFiles()).toEqual([`${ID}.md`]);
    expect(project.records().map((record) => record.status)).toEqual(["failed"]);
    project.remove();
  }
  project = await workProject({ plan: {} });
});

test("planner_split answers with its record at once and splits in the background", async () => {
  project = await workProject({ plan: { [ID]: says(member("one"), member("two")) } });
  await project.add(ID);
  await using client = new LinesOfProcess([...PLANNER, "mcp"], project.root);

  client.call(1, "planner_split", { id: ID });
  const { result } = (await client.next()) as { result: { content: { text: string }[] } };
  const record = JSON.parse(result.content[0]?.text ?? "");
  while (isRunning(record.pid)) await sleep(20);

  expect(record).toMatchObject({ spec_id: ID, mode: "split", process_id: `${ID}-${record.pid}` });
  expect(specFiles()).toEqual([`${ID}.1.md`, `${ID}.2.md`, `${ID}.md`]);
  const stored = JSON.parse(project.read(`.planner/processes/${record.process_id}.json`));
  expect(stored).toMatchObject({ status: "completed", mode: "split", started_at: record.started_at });
});

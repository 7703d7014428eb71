import { afterEach, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AgentPlan, type WorkProject, workProject } from "../support/work_project.ts";

const ONE = "2026-11-01-001-one";
const TWO = "2026-11-01-002-two";

let project: WorkProject;

afterEach(() => project.remove());

/** Specs that agents have worked. */
async function worked(plan: AgentPlan, ...ids: readonly string[]): Promise<void> {
  project = await workProject({ plan });
  for (const id of ids) await project.add(id);
  for (const id of ids) await project.planner(["work", id]);
}

async function merge(...words: readonly string[]) {
  const { code, stdout } = await project.planner(["merge", "--json", ...words]);
  type Items = readonly Record<string, unknown>[];
  return { code, ...(JSON.parse(stdout) as { readonly results: Items; readonly left?: Items }) };
}

function hasWorktree(id: string): boolean {
  return existsSync(join(project.root, project.tree(id)));
}

async function branches(): Promise<string> {
  return project.mustGit("branch", "--list", "planner/*", "--format=%(refname:short)");
}

test("merge --all moves the main branch forward, one spec after the other, and leaves nothing behind", async () => {
  await worked({ "*": ["tick", "commit"] }, ONE, TWO);

  const { code, stdout, stderr } = await project.planner(["merge", "--all"]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    new RegExp(`^Merged spec: ${ONE} \\(\\d commits\\)\nMerged spec: ${TWO} \\(\\d commits\\)\n$`),
  );
  const subjects = (await project.mustGit("log", "--format=%s")).split("\n");
  expect(subjects.filter((subject) => subject.startsWith("planner("))).toEqual([
    `planner(${TWO}): do the work`,
    `planner(${ONE}): do the work`,
  ]);
  expect(await project.mustGit("rev-list", "--merges", "HEAD")).toBe("");
  expect(await project.mustGit("status", "--porcelain")).toBe("");
  expect(await branches()).toBe("");
  for (const id of [ONE, TWO]) {
    expect(hasWorktree(id)).toBe(false);
    expect(project.field(id, "status")).toBe("completed");
    expect(project.read(`${id}.txt`)).toBe(`the work of ${id}\n`);
    expect(await project.mustGit("show", `HEAD:.planner/specs/${id}.md`)).toBe(project.read(`.planner/specs/${id}.md`));
  }
  const again = await project.planner(["merge", "--all"]);
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: "Nothing to merge\n" });
});

test("merge --all names the work that it leaves alone, and why", async () => {
  await worked({ [ONE]: ["tick", "commit"], [TWO]: ["commit"], "*": ["tick", "commit"] }, ONE, TWO);

  const { code, stdout, stderr } = await project.planner(["merge", "--all"]);

  expect({ code, stdout: stdout.slice(0, `Merged spec: ${ONE}`.length) }).toEqual({
    code: 0,
    stdout: `Merged spec: ${ONE}`,
  });
  expect(stderr).toMatch(
    new RegExp(
      `^Left alone: ${TWO}: its status is needs_attention \\(.+\\): see to it, then "planner merge ${TWO}"\n$`,
    ),
  );
  expect(await branches()).toBe(`planner/${TWO}\n`);
  expect((await project.planner(["merge", TWO, "--json"])).stdout).not.toContain('"left"');
});

test("merge leaves a branch in conflict as it was, and merges it once the conflict is settled", async () => {
  await worked({ "*": ["tick", "commit"] }, ONE);
  project.write(`${ONE}.txt`, "somebody else's\n");
  await project.mustGit("add", `${ONE}.txt`);
  await project.mustGit("commit", "--quiet", "-m", "come in between");
  const [main, branch] = [
    await project.mustGit("rev-parse", "main"),
    await project.mustGit("rev-parse", `planner/${ONE}`),
  ];

  const { code, results } = await merge("--all");

  expect(code).toBe(1);
  expect(results).toMatchObject([{ spec_id: ONE, outcome: "conflict", files: [`${ONE}.txt`] }]);
  expect(String(results[0]?.["advice"])).toContain(`git rebase main`);
  expect(project.field(ONE, "status")).toBe("needs_attention");
  expect(await project.mustGit("rev-parse", "main")).toBe(main);
  expect(await project.mustGit("rev-parse", `planner/${ONE}`)).toBe(branch);
  const again = await merge("--all");
  expect(again.results).toEqual([]);
  expect(again.left).toMatchObject([
    { spec_id: ONE, reason: expect.stringMatching(/^its status is needs_attention \(conflict in .*"planner merge /) },
  ]);

  const cwd = join(project.root, project.tree(ONE));
  await project.git(["rebase", "main"], { cwd });
  project.write(`${project.tree(ONE)}/${ONE}.txt`, "both\n");
  await project.git(["add", `${ONE}.txt`], { cwd });
  await project.git(["rebase", "--continue"], { cwd, env: { GIT_EDITOR: "true" } });
  const settled = await merge(ONE);

  expect(settled).toMatchObject({ code: 0, results: [{ spec_id: ONE, outcome: "merged", kept: null }] });
  expect(project.read(`${ONE}.txt`)).toBe("both\n");
  expect(project.field(ONE, "status")).toBe("completed");
  expect(hasWorktree(ONE)).toBe(false);
});

test("merge refuses to overwrite a person's file, says so, and goes on beside all other changes", async () => {
  await worked({ "*": ["tick", "commit"] }, ONE);
  project.write("README.md", "one\n");
  await project.mustGit("add", "README.md");
  project.write(`${ONE}.txt`, "a person's\n");
  const main = await project.mustGit("rev-parse", "main");

  const { code, results } = await merge(ONE);

  expect({ code, outcome: results[0]?.["outcome"] }).toEqual({ code: 1, outcome: "refused" });
  expect(String(results[0]?.["reason"])).toContain(`would be overwritten by merge: ${ONE}.txt; Please move or remove`);
  expect(await project.mustGit("rev-parse", "main")).toBe(main);
  expect(hasWorktree(ONE)).toBe(true);
  expect(project.field(ONE, "status")).toBe("completed");
  rmSync(join(project.root, `${ONE}.txt`));
  expect(await merge(ONE)).toMatchObject({ code: 0, results: [{ outcome: "merged", kept: null }] });
  expect(await project.mustGit("status", "--porcelain")).toBe("A  README.md\n");
});

test("merge asks for the evidence that a run's end asks for, and finalizes a spec that has it by now", async () => {
  await worked({ "*": ["commit"] }, ONE);

  const early = await merge(ONE);
  const path = `${project.tree(ONE)}/.planner/specs/${ONE}.md`;
  project.write(path, project.read(path).replace("- [ ]", "- [x]"));
  const late = await merge(ONE);

  expect(early).toMatchObject({
    code: 1,
    results: [{ outcome: "refused", reason: "1 of 1 acceptance criteria are not checked" }],
  });
  expect(late).toMatchObject({ code: 0, results: [{ outcome: "merged" }] });
  expect(project.field(ONE, "status")).toBe("completed");
  expect(project.field(ONE, "completed_at")).toBeDefined();
  expect(project.read(`.planner/specs/${ONE}.md`)).toContain("- [x] It is done");
});

test("merge takes members before their driver and refuses the driver while one is open", async () => {
  const driver = "2026-11-01-001-drv";
  project = await workProject({ plan: { "*": ["tick", "commit"] } });
  await project.add(driver, "type: driver\n");
  await project.add(`${driver}.1`);
  await project.add(`${driver}.2`);
  await project.planner(["work", `${driver}.1`]);
  await project.mustGit("worktree", "add", "--quiet", "-b", `planner/${driver}`, project.tree(driver));

  const { code, results } = await merge(driver);

  expect(code).toBe(1);
  expect(results).toMatchObject([
    { spec_id: `${driver}.1`, outcome: "merged" },
    { spec_id: driver, outcome: "refused", reason: `member '${driver}.2' comes first: its status is pending` },
  ]);
});

test("merge refuses a spec without a worktree, a cancelled one, and words that make no sense", async () => {
  await worked({ "*": ["tick", "commit"] }, ONE);
  await project.add(TWO);
  await project.planner(["update", ONE, "--status", "pending"]);

  const { code, results } = await merge(ONE, TWO);
  const both = await project.planner(["merge", "--all", ONE]);
  const none = await project.planner(["merge"]);

  expect(code).toBe(1);
  expect(results).toMatchObject([
    { spec_id: ONE, outcome: "refused", reason: "its status is pending" },
    {
      spec_id: TWO,
      outcome: "refused",
      reason: `its status is pending, and it has no worktree: "planner work ${TWO}" begins it`,
    },
  ]);
  expect([both.code, none.code]).toEqual([2, 2]);
});

import { afterEach, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { type WorkProject, workProject } from "../support/work_project.ts";

const ID = "2026-11-01-001-one";

let project: WorkProject;

afterEach(() => project.remove());

const body = (verify: string) => `# T\n\n## Acceptance Criteria\n\n- [ ] It is done\n  verify: ${verify}\n`;

async function worked(plan: readonly string[], verify: string, config = ""): Promise<string> {
  project = await workProject({ plan: { "*": plan }, config });
  await project.add(ID, "", body(verify));
  return (await project.planner(["work", ID])).stdout;
}

/** Checks that leave files in the folder in which they run, and one that leaves none. */
const WRITERS: readonly [string, string][] = [
  ["a report", "echo ok > report.xml"],
  ["a folder", "mkdir -p coverage && echo ok > coverage/index.html"],
  ["a changed file of the work", `echo more >> ${ID}.txt`],
  ["a deleted file of the work", `rm ${ID}.txt`],
  ["a staged file", "echo ok > report.xml && git add report.xml"],
  ["nothing", `test -f ${ID}.txt`],
];

for (const [what, verify] of WRITERS) {
  test(`a check that leaves ${what} blocks neither the run nor the merge of its spec`, async () => {
    expect(await worked(["tick", "commit"], verify)).toContain(`${ID}: completed`);
    expect(await project.planner(["merge", ID])).toMatchObject({ code: 0, stderr: "" });
    expect(await project.mustGit("status", "--short")).toBe("");
    expect(project.read(`${ID}.txt`)).toBe(`the work of ${ID}\n`);
    expect((await project.planner(["verify", ID, "--record", "--rerun"])).stdout).toContain("the record holds\n");
  });
}

test("a command that leaves files blocks neither, and uncommitted work still does", async () => {
  expect(await worked(["tick", "commit"], "true", 'verify: {commands: ["echo ok > report.xml"]}\n')).toContain(
    ": completed",
  );
  project.remove();
  expect(await worked(["tick", "commit", "append:left.txt"], "echo ok > report.xml")).toContain(
    `${ID}: needs_attention: changes are not committed: left.txt\n`,
  );
});

test("a check whose program is missing could not run: it disproves nothing, and the record is not false", async () => {
  expect(await worked(["tick", "commit"], "no-such-program-here")).toContain(
    `needs_attention: "no-such-program-here" cannot run here: a program that it needs is missing or may not be started (status 127)`,
  );
  const { stdout } = await project.planner(["review", ID]);
  expect(stdout).toContain("claimed: its check cannot run here: a program that it needs is missing");
  expect(stdout).not.toContain("disproven");
});

test("a record whose program is gone holds as far as it can be checked", async () => {
  project = await workProject({ plan: { "*": ["tick", "commit"] } });
  await project.add(ID, "", body("proof-tool"));
  project.write(".planner/logs/bin/proof-tool", "#!/bin/sh\n");
  chmodSync(`${project.root}/.planner/logs/bin/proof-tool`, 0o755);
  const env = { PATH: `${project.root}/.planner/logs/bin:${process.env["PATH"]}` };
  expect((await project.planner(["work", ID], { env })).stdout).toContain(": completed");

  const gone = await project.planner(["verify", ID, "--record", "--rerun"]);

  expect(gone.stdout).toContain('"proof-tool" cannot run here: a program that it needs is missing (status 127)');
  expect(gone).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("the record holds as far as it can be checked here"),
  });
});

/** How the agent commits, what happens between merge and revert, which commits are reverted, and whether that is clean. */
const REVERTS: readonly [string, readonly string[], "none" | "commit" | "archive", "all" | "work", boolean][] = [
  ["all of it", ["tick", "commit"], "none", "all", true],
  ["its work alone", ["tick", "commit"], "none", "work", true],
  ["all of it, after a commit of a person", ["tick", "commit"], "commit", "all", true],
  ["its work alone, after a commit of a person", ["tick", "commit"], "commit", "work", true],
  ["all of it, when the agent committed the spec", ["tick", "commit_all"], "none", "all", true],
  ["all of it, when the spec was committed and is archived", ["tick", "commit_all"], "archive", "all", true],
  ["its work alone, when the spec is archived", ["tick", "commit"], "archive", "work", true],
  ["its work alone, when the agent committed the spec", ["tick", "commit_all"], "none", "work", false],
];

for (const [what, plan, between, which, isClean] of REVERTS) {
  test(`git revert of ${what} ${isClean ? "meets no conflict" : "conflicts in the spec's status"}`, async () => {
    project = await workProject({ plan: { "*": plan } });
    await project.add(ID);
    const base = (await project.mustGit("rev-parse", "HEAD")).trim();
    await project.planner(["work", ID]);
    await project.planner(["merge", ID]);
    const head = (await project.mustGit("rev-parse", "HEAD")).trim();
    const work = (await project.mustGit("rev-list", "--reverse", `${base}..${head}`)).split("\n")[0] ?? "";
    if (between === "commit") project.write("other.txt", "mine\n");
    if (between === "archive") await project.planner(["archive", ID]);
    if (between !== "none") {
      await project.mustGit("add", "--all");
      await project.mustGit("commit", "--quiet", "-m", "go on");
    }

    const { code } = await project.git(["revert", "--no-edit", which === "all" ? `${base}..${head}` : work]);

    expect(code === 0).toBe(isClean);
    const conflicts = (await project.mustGit("diff", "--name-only", "--diff-filter=U")).trim();
    expect(conflicts).toBe(isClean ? "" : `.planner/specs/${ID}.md`);
    if (isClean && which === "all" && between !== "archive") expect(project.field(ID, "status")).toBe("pending");
  });
}

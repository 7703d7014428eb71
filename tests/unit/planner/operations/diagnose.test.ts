import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { plannerProject } from "../../../support/planner_project.ts";

const ID = "2026-11-01-001-abc";

test("planner_diagnose calls a fresh spec healthy", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\n---\n\n# T\n\n- [ ] One\n");

  expect(await project.json("diagnose", { id: "abc" })).toEqual({
    spec_id: ID,
    status: "pending",
    location: "main repository",
    checks: [
      { name: "Spec file", passed: true, details: "Valid YAML" },
      { name: "Log file", passed: true, details: "Does not exist: no process has worked on the spec" },
      { name: "Lock file", passed: true, details: "Not present: no process works on the spec" },
      { name: "Git commit", passed: true, details: "None, and none is expected" },
      { name: "Acceptance criteria", passed: true, details: "1 unchecked item remains" },
      { name: "Status consistency", passed: true, details: "pending" },
    ],
    diagnosis: "All checks passed. Spec appears healthy.",
    suggestion: null,
  });
});

test("planner_diagnose finds the commits that name the spec", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: in_progress\n---\n\n# T\n\n- [x] One\n");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], {
      cwd: project.root,
      encoding: "utf8",
    });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", `planner(${ID}): cut the rope`);
  const hash = git("log", "--format=%h").trim();

  const { checks, diagnosis } = await project.json("diagnose", { id: ID });

  expect(checks[3]).toEqual({ name: "Git commit", passed: true, details: `Found: ${hash}` });
  expect(diagnosis).toBe("Spec appears complete but wasn't finalized.");
});

test("planner_diagnose shows the status that the list shows", async () => {
  using project = await plannerProject();
  project.spec(ID, "---\nstatus: pending\ndepends_on: [2026-11-01-002-abc]\n---\n\n# T\n");
  project.spec("2026-11-01-002-abc", "---\nstatus: pending\n---\n\n# T\n");

  expect(await project.json("diagnose", { id: ID })).toMatchObject({ status: "blocked", suggestion: null });
});

test("planner_diagnose tells of a log that it cannot read", async () => {
  using project = await plannerProject();
  project.spec("2026-11-01-001-abc", "---\nstatus: pending\n---\n\n# T\n");
  project.write(".planner/logs/2026-11-01-001-abc.log/a-folder", "");

  const { checks, diagnosis } = await project.json("diagnose", { id: "abc" });

  expect(checks[0]).toEqual({ name: "Log file", passed: false, details: expect.stringContaining("is not a file") });
  expect(diagnosis).toContain("Log file");
});

const FIRST = "2026-11-01-000-aaa";
const waiting = `---\nstatus: pending\ntype: code\ndepends_on: [${FIRST}]\n---\n\n# T\n`;

for (const [status, isStuck] of Object.entries({
  failed: true,
  needs_attention: true,
  pending: false,
  in_progress: false,
})) {
  test(`planner_diagnose names a predecessor that is ${status}, ${isStuck ? "as what is wrong" : "for which it waits"}`, async () => {
    using project = await plannerProject();
    project.spec(FIRST, `---\nstatus: ${status}\n---\n\n# T\n`);
    project.spec(ID, waiting);

    const { checks, suggestion } = await project.json("diagnose", { id: ID });

    expect(checks.at(isStuck ? 0 : -1)).toEqual({
      name: "Dependencies",
      passed: !isStuck,
      details: `Waits for '${FIRST}' (${status})`,
    });
    expect(suggestion).toBe(isStuck ? `See what '${FIRST}' needs: planner diagnose ${FIRST}` : null);
  });
}

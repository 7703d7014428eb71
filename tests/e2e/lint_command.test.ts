import { expect, test } from "bun:test";
import { mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PLANNER, type RunResult, runCommand, runPlanner } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL, runOnTerminal } from "../support/pseudo_terminal.ts";
import { tempProject } from "../support/temp_project.ts";
import { projectOfEachTest } from "../support/test_project.ts";

const GOOD = "2026-11-21-001-abc";
const WARNED = "2026-11-21-002-def";
const BAD = "2026-11-21-003-ghi";

const project = projectOfEachTest((made) =>
  made.spec(GOOD, `---\nid: ${GOOD}\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# Good\n`),
);

const planner = (...args: readonly string[]): Promise<RunResult> => runPlanner(args, { cwd: project.root });
const warned = (): void => project.spec(WARNED, `---\nid: ${WARNED}\nstatus: pending\ntype: code\n---\n\n# Warned\n`);
const bad = (): void => project.spec(BAD, `---\nid: ${BAD}\nstatus: nearly\nlabels: [a]\ntype: code\n---\n\n# Bad\n`);

test("lint --max-warnings ends with 1 above the number", async () => {
  warned();

  expect(await planner("lint", "--max-warnings", "1")).toMatchObject({ code: 0, stderr: "" });
  const over = await planner("lint", "--max-warnings", "0");
  expect(over.code).toBe(1);
  expect(over.stdout).toEndWith("0 errors, 1 warnings\n");
  expect(over.stderr).toContain("1 warnings, more than --max-warnings 0");
});

test("lint ends with 2 on wrong words and without a project", async () => {
  for (const args of [
    ["--strict"],
    ["--format", "xml"],
    ["--max-warnings", "-1"],
    ["--dry-run"],
    ["--staged", "--fix"],
    ["--staged", GOOD],
    ["--json", "--format", "sarif"],
  ]) {
    const { code, stdout, stderr } = await planner("lint", ...args);
    expect([args, code, stdout]).toEqual([args, 2, ""]);
    expect(stderr).toContain("error: ");
  }
  rmSync(join(project.root, ".planner"), { recursive: true });
  expect((await planner("lint")).code).toBe(2);
});

test("lint takes several ids, full or partial, and says which one is unknown", async () => {
  warned();
  bad();

  const two = await planner("lint", "002", BAD, "002-def");
  expect(two.stdout).toEndWith("1 errors, 1 warnings\n");
  expect(await planner("lint", GOOD)).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings\n" });
  const unknown = await planner("lint", GOOD, "nobody");
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toContain("Spec not found: nobody");
});

test("lint judges what can be read and reports what cannot", async () => {
  bad();
  project.spec("2026-11-21-004-yml", "---\nstatus: [\n---\n");
  project.write(".planner/specs/2026-11-21-005-bin.md", Uint8Array.from([0x2d, 0xff, 0xfe, 0x0a]));
  mkdirSync(join(project.root, ".planner/specs/2026-11-21-006-dir.md"));
  symlinkSync("2026-11-21-007-lnk.md", join(project.root, ".planner/specs/2026-11-21-007-lnk.md"));

  const { stdout, code } = await planner("lint", "--json");

  const { errors } = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(errors.map(({ file, field }: { file: string; field: string }) => `${file.slice(-10)} ${field}`)).toEqual([
    "003-ghi.md status",
    "004-yml.md frontmatter",
    "005-bin.md frontmatter",
    "006-dir.md file",
    "007-lnk.md file",
  ]);
});

test("lint --json and the other formats print one document each", async () => {
  bad();

  const json = JSON.parse((await planner("lint", "--json")).stdout);
  expect(Object.keys(json)).toEqual(["valid", "errors", "warnings"]);
  expect(await planner("lint", "--format", "json").then(({ stdout }) => JSON.parse(stdout))).toEqual(json);
  const sarif = JSON.parse((await planner("lint", "--format", "sarif")).stdout);
  expect(sarif.runs[0].results[0].locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: `.planner/specs/${BAD}.md`, uriBaseId: "%SRCROOT%" },
    region: { startLine: 3, startColumn: 9 },
  });
  expect((await planner("lint", "--format", "github")).stdout.split("\n")[0]).toBe(
    `::error file=.planner/specs/${BAD}.md,line=3,col=9,title=planner required::status 'nearly' not in enum [pending, in_progress, completed, failed]`,
  );
});

test.skipIf(NO_PSEUDO_TERMINAL !== null)("lint --fix of many files shows on a terminal how far it is", async () => {
  const count = 150;
  for (let number = 1; number < count; number++) {
    project.spec(
      `2026-11-20-${String(number).padStart(3, "0")}-abc`,
      "---\nstatus: pending\nlabels: [a]\ntype: code\n---\n\n# Blank \n",
    );
  }
  const options = { cwd: project.root };

  const preview = await runOnTerminal([...PLANNER, "lint", "--fix", "--dry-run"], options);
  const quiet = await runOnTerminal([...PLANNER, "lint", "--fix", "--dry-run", "--quiet"], options);
  const piped = await planner("lint", "--fix", "--dry-run", "--json");
  const mended = await runOnTerminal([...PLANNER, "lint", "--fix"], options);
  const few = await runOnTerminal([...PLANNER, "lint", "--fix", GOOD], options);

  expect(preview.screen).toContain(` 85 % of ${count}, `);
  expect(mended.screen).toContain(` 85 % of ${count}, `);
  expect(mended.screen.lastIndexOf("\r\u001b[K")).toBeGreaterThan(mended.screen.lastIndexOf(` % of ${count}`));
  expect(mended.screen).toEndWith("0 errors, 0 warnings\r\n");
  expect(few.screen).toBe("0 errors, 0 warnings\r\n");
  expect(quiet.screen).not.toContain(` % of ${count}`);
  expect(piped.stderr).toBe("");
});

test("lint --fix mends, says what, and finds nothing more the second time", async () => {
  project.spec(WARNED, "---\ntype: code  \nlabels:\n    - a\n---\n\n# T  \n\nlast");
  bad();

  const first = await planner("lint", "--fix");
  expect(first.stdout).toBe(`.planner/specs/${WARNED}.md:
  fixed: missing id written from the file name
  fixed: missing status set to pending
  fixed: trailing white space trimmed in the frontmatter, 1 line
  fixed: indentation normalized to 2 spaces, 1 line
  fixed: trailing white space trimmed in the body, 1 line
  fixed: newline added at the end of the file
.planner/specs/${BAD}.md:
  error: status 'nearly' not in enum [pending, in_progress, completed, failed]
    at .planner/specs/${BAD}.md:3:9
1 errors, 0 warnings
`);
  expect(first.code).toBe(1);
  const mended = `---\ntype: code\nlabels:\n  - a\nid: ${WARNED}\nstatus: pending\n---\n\n# T\n\nlast\n`;
  expect(project.read(`.planner/specs/${WARNED}.md`)).toBe(mended);

  const second = await planner("lint", "--fix", "--json");
  expect(JSON.parse(second.stdout)).toMatchObject({ valid: false, fixed: [] });
  expect(project.read(`.planner/specs/${WARNED}.md`)).toBe(mended);
});

test("lint --fix leaves tidy files and other specs than the named ones untouched", async () => {
  const path = join(project.root, `.planner/specs/${GOOD}.md`);
  const before = statSync(path, { bigint: true });
  project.spec(WARNED, "# T");

  await planner("lint", GOOD, "--fix");

  const after = statSync(path, { bigint: true });
  expect([after.mtimeNs, after.ino]).toEqual([before.mtimeNs, before.ino]);
  expect(project.read(`.planner/specs/${WARNED}.md`)).toBe("# T");
});

test("lint --fix --dry-run prints a diff that git and patch apply, and touches nothing", async () => {
  const texts: Record<string, string> = {
    [WARNED]: "---\ntype: code  \n---\n\n# T  \n\nlast",
    "2026-11-21-004-crl": "---\r\nstatus: pending \r\n---\r\n\r\n# T\r\n",
    "a name": "# No frontmatter\n",
    ünïcode: "# T",
    "2026-11-21-005-emp": "",
  };
  for (const [id, text] of Object.entries(texts)) project.spec(id, text);

  const { stdout: diff, stderr, code } = await planner("lint", "--fix", "--dry-run");
  for (const [id, text] of Object.entries(texts)) expect(project.read(`.planner/specs/${id}.md`)).toBe(text);
  expect(stderr).toContain("  would fix: missing status set to pending\n");
  expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^\d+ errors, \d+ warnings$/);
  // The empty file has no title, which no fix gives it.
  expect(code).toBe(1);

  using copy = tempProject();
  for (const [id, text] of Object.entries(texts)) copy.spec(id, text);
  const patched = await runCommand(["patch", "-p1", "--binary"], { cwd: copy.root, input: diff });
  expect([patched.code, patched.stderr]).toEqual([0, ""]);
  const applied = await runCommand(["git", "apply", "--whitespace=nowarn"], { cwd: project.root, input: diff });
  expect([applied.code, applied.stderr]).toEqual([0, ""]);
  // A project may be a folder of a repository, and git drops without a word what it takes for somewhere else.
  using repository = tempProject();
  for (const [id, text] of Object.entries(texts)) repository.write(`pkg/.planner/specs/${id}.md`, text);
  await runCommand(["git", "init", "--quiet"], { cwd: repository.root });
  const cwd = join(repository.root, "pkg");
  const within = await runCommand(["git", "apply", "--whitespace=nowarn"], { cwd, input: diff });
  expect([within.code, within.stderr]).toEqual([0, ""]);
  for (const id of Object.keys(texts)) {
    const fixed = project.read(`.planner/specs/${id}.md`);
    expect(copy.read(`.planner/specs/${id}.md`)).toBe(fixed);
    expect(repository.read(`pkg/.planner/specs/${id}.md`)).toBe(fixed);
  }
  expect((await planner("lint", "--fix", "--dry-run")).stdout).toBe("");
});

test("lint --fix --dry-run --json carries the diff in the document", async () => {
  project.spec(WARNED, "# T");

  const { stdout, stderr } = await planner("lint", "--fix", "--dry-run", "--json");

  const { diff, fixed } = JSON.parse(stdout);
  expect(diff).toStartWith(`--- a/.planner/specs/${WARNED}.md\n+++ b/.planner/specs/${WARNED}.md\n`);
  expect(fixed).toMatchObject([{ file: `.planner/specs/${WARNED}.md` }]);
  expect(stderr).toBe("");
});

test("lint refuses a broken configuration with its place", async () => {
  project.write(".planner/config.md", "---\nlint:\n  disable: [everything]\n---\n");

  const { code, stdout, stderr } = await planner("lint");

  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain('.planner/config.md:3:13: Invalid setting "lint.disable[0]": expected one of parse, ');
});

test("lint reports a completed spec's schema that is missing, without any log", async () => {
  project.spec(WARNED, `---\nid: ${WARNED}\nstatus: completed\nlabels: [a]\noutput_schema: none.json\n---\n\n# T\n`);

  const { code, stdout } = await planner("lint");

  expect(code).toBe(1);
  expect(stdout).toContain("  error: schema 'none.json' is unusable: ");
  expect(stdout).toContain(`    at .planner/specs/${WARNED}.md:5:16\n`);
});

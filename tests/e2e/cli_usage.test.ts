import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const COMMANDS = (
  "init add list show edit ready search status update finalize reset cancel archive log diagnose verify lint " +
  "hook schema config export import mcp completion licenses"
).split(" ");

/** Commands that work on a project, with words that are right for them. */
const ON_A_PROJECT: Readonly<Record<string, readonly string[]>> = {
  list: [],
  edit: ["x"],
  update: ["x", "--status", "pending"],
  lint: [],
  export: [],
  import: ["x"],
};

let overview = "";

beforeAll(async () => {
  overview = (await runPlanner(["--help"], { cwd: tmpdir() })).stdout;
});

test("planner --help lists every command with what it does", () => {
  for (const name of COMMANDS) expect(overview).toMatch(new RegExp(`^  ${name} +[A-Z]\\w`, "m"));
});

test("planner without words, planner help and planner --help say the same", async () => {
  const [nothing, help] = await Promise.all([
    runPlanner([], { cwd: tmpdir() }),
    runPlanner(["help"], { cwd: tmpdir() }),
  ]);

  expect(nothing).toMatchObject({ code: 0, stdout: overview, stderr: "" });
  expect(help).toMatchObject({ code: 0, stdout: overview, stderr: "" });
});

test("planner --version names version, commit and engine in one line", async () => {
  const { code, stdout, stderr } = await runPlanner(["--version"], { cwd: tmpdir() });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^planner \d+\.\d+\.\d+ \(commit [0-9a-z]+, (Bun|Deno) \d+\.\d+\.\d+\)\n$/);
});

test("planner licenses prints the licence of every package, with or without a project", async () => {
  const { code, stdout } = await runPlanner(["licenses"], { cwd: "/" });

  expect(code).toBe(0);
  expect(stdout).toContain("Mozilla Public License");
  expect(stdout).toContain("JavaScriptCore");
});

test("planner suggests the nearest command for one that it does not know", async () => {
  const { code, stdout, stderr } = await runPlanner(["lsit"], { cwd: tmpdir() });

  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe('error: Unknown command "lsit": did you mean "list"?\n');
});

test("planner refuses an unknown flag without a command", async () => {
  const { code, stderr } = await runPlanner(["--vresion"], { cwd: tmpdir() });

  expect(code).toBe(2);
  expect(stderr).toContain('Unknown flag "--vresion": did you mean "--version"?');
});

describe("a command", () => {
  // All help is read in tests/unit/cli/docs.test.ts.
  for (const name of ["list", "update", "hook"]) {
    test(`${name} explains itself with examples and refuses a wrong flag`, async () => {
      const [help, long, wrong] = await Promise.all([
        runPlanner([name, "--help"], { cwd: tmpdir() }),
        runPlanner(["help", name], { cwd: tmpdir() }),
        runPlanner([name, "--quite"], { cwd: tmpdir() }),
      ]);

      expect(help).toMatchObject({ code: 0, stderr: "", stdout: long.stdout });
      expect(help.stdout).toContain(`  planner ${name}`);
      expect(help.stdout).toMatch(/^Examples:\n {2}\S/m);
      expect(wrong).toMatchObject({ code: 2, stdout: "" });
      expect(wrong.stderr).toBe('error: Unknown flag "--quite": did you mean "--quiet"?\n');
    });
  }
});

describe("without a project", () => {
  for (const [name, words] of Object.entries(ON_A_PROJECT)) {
    test(`${name} ends with status 2 and says how to begin`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "planner-none-"));

      const { code, stdout, stderr } = await runPlanner([name, ...words], { cwd: folder });

      rmSync(folder, { recursive: true });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toBe("error: Planner not initialized. Run `planner init` first.\n");
    });
  }
});

test("--root names the project, before or behind the command", async () => {
  using project = tempProject();
  project.spec("2026-11-21-001-abc", "---\nstatus: pending\n---\n\n# Far away\n");

  const before = await runPlanner(["--root", project.root, "list"], { cwd: tmpdir() });
  const behind = await runPlanner(["list", `--root=${project.root}`], { cwd: tmpdir() });

  expect(before).toMatchObject({ code: 0, stderr: "" });
  expect(before.stdout).toContain("Far away");
  expect(behind.stdout).toBe(before.stdout);
});

test("--root refuses what is no directory", async () => {
  using project = tempProject();
  project.write("notes.txt", "");
  const file = join(project.root, "notes.txt");

  const [absent, ...files] = await Promise.all([
    runPlanner(["list", "--root", "/no/such/place"], { cwd: tmpdir() }),
    runPlanner(["list", "--root", file], { cwd: tmpdir() }),
    runPlanner(["init", "--root", file], { cwd: tmpdir() }),
  ]);

  expect(absent).toMatchObject({
    code: 2,
    stderr: 'error: Cannot use "/no/such/place" as the project: no such directory\n',
  });
  for (const { code, stderr } of files) {
    expect(code).toBe(2);
    expect(stderr).toBe(`error: Cannot use "${file}" as the project: it is a file, expected a directory\n`);
  }
});

test("a command works from a folder deep inside the project", async () => {
  using project = tempProject();
  project.spec("2026-11-21-001-abc", "---\nstatus: pending\n---\n\n# From below\n");
  project.write("src/deep/file.txt", "");

  const { code, stdout } = await runPlanner(["show", "abc"], { cwd: join(project.root, "src", "deep") });

  expect(code).toBe(0);
  expect(stdout).toContain("From below");
});

const TOGETHER: readonly (readonly [words: string, refusal: string])[] = [
  ["watch --once --poll-interval 50", '"--poll-interval 50" and "--once" exclude each other: expected one of them'],
  ["split x --max-depth 2", '"--max-depth 2" needs "--recursive"'],
  ["status --brief --json", '"--brief" and "--json" exclude each other: expected one of them'],
  ["lint --dry-run", '"--dry-run" needs "--fix"'],
  ["verify x --prompt-section --output", '"--prompt-section" and "--output" exclude each other: expected one of them'],
  ["verify x --prompt-section --json", '"--prompt-section" and "--json" exclude each other: expected one of them'],
  [
    "verify x out.json --prompt-section",
    '"--prompt-section" and <file> "out.json" exclude each other: expected one of them',
  ],
];

test("flags that mean nothing together are refused", async () => {
  using project = tempProject();

  const answers = await Promise.all(TOGETHER.map(([words]) => runPlanner(words.split(" "), { cwd: project.root })));

  expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(
    TOGETHER.map(([, refusal]) => [2, `error: ${refusal}\n`]),
  );
});

test("wrong values name flag, value and what was expected", async () => {
  using project = tempProject();

  const { code, stderr } = await runPlanner(["list", "--status", "pendign"], { cwd: project.root });

  expect(code).toBe(2);
  expect(stderr).toStartWith(
    'error: Wrong value "pendign" for "--status": expected one of pending, in_progress, completed, failed, blocked, cancelled, needs_attention, ready (did you mean "pending"?)\n',
  );
});

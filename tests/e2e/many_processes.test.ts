import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { McpLines } from "../support/mcp_lines.ts";
import { PLANNER, runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const ID = "2026-11-01-001-aaa";
const FILE = `.planner/specs/${ID}.md`;
const KILLS = 20;

test("twenty processes that change one spec at once lose nothing", async () => {
  using project = tempProject();
  project.spec(ID, "---\nstatus: pending # by hand\n---\n\n# T\n");
  const notes = Array.from({ length: 16 }, (_, number) => `note ${number} of sixteen`);
  const changes = [
    ["--status", "in_progress"],
    ["--label", "web", "--label", "api"],
    ["--target-file", "src/a.ts"],
    ["--model", "small"],
    ...notes.map((note) => ["--output", note]),
  ];

  const results = await Promise.all(
    changes.map((change) => runPlanner(["update", ID, ...change], { cwd: project.root })),
  );

  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(changes.map(() => [0, ""]));
  const text = project.read(FILE);
  expect(text).toContain("status: in_progress # by hand\n");
  for (const word of ["web", "api", "src/a.ts", "small"]) expect(text).toContain(word);
  expect(
    text
      .split("\n")
      .filter((line) => line.startsWith("note "))
      .sort(),
  ).toEqual([...notes].sort());
  expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
});

test(`a command killed at ${KILLS} moments leaves the old or the new file, whole`, async () => {
  using project = tempProject();
  const before = `---\nstatus: pending\n---\n\n# T\n\n${"words ".repeat(50_000)}\n`;
  const after = before.replace("pending", "completed");

  for (let kill = 0; kill < KILLS; kill++) {
    project.spec(ID, before);
    const [program = "", ...args] = PLANNER;
    const child = spawn(program, [...args, "update", ID, "--status", "completed"], { cwd: project.root });
    const ended = new Promise((resolve) => child.on("close", resolve));
    await Bun.sleep(kill * 2);
    child.kill("SIGKILL");
    await ended;

    expect([before, after].includes(project.read(FILE))).toBe(true);
  }
  project.spec(ID, before);
  expect((await runPlanner(["update", ID, "--status", "completed"], { cwd: project.root })).code).toBe(0);
  expect(project.read(FILE)).toBe(after);
  expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
});

test("an MCP server answers with what any other program has just written", async () => {
  using project = tempProject();
  project.spec(ID, "---\nstatus: pending\n---\n# t0\n");
  const client = new McpLines(project.root);
  const titles = async (): Promise<readonly string[]> => {
    const { specs } = await client.json("planner_spec_list");
    return (specs as readonly { readonly title: string }[]).map(({ title }) => title);
  };
  expect(await titles()).toEqual(["t0"]);

  for (let number = 1; number <= 100; number++) {
    const text = `---\nstatus: pending\n---\n# t${number}\n`;
    if (number % 2 === 0) project.spec(ID, text);
    else {
      project.write(".planner/saved", text);
      renameSync(join(project.root, ".planner/saved"), join(project.root, FILE));
    }

    expect(await titles()).toEqual([`t${number}`]);
  }
  const { stdout } = await runPlanner(["add", "Second"], { cwd: project.root });
  expect(stdout).toContain("Created spec");
  expect(await titles()).toEqual(["t100", "Second"]);
  await client.end();
});

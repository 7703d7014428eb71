import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { McpLines } from "../support/mcp_lines.ts";
import { PLANNER, type RunResult, runPlanner } from "../support/planner_command.ts";
import { type TempProject, tempProject } from "../support/temp_project.ts";
import { until } from "../support/until.ts";

const ID = "2026-11-01-001-abc";
const HOSTILE = "2026-11-01-002-bad";

let project: TempProject;

beforeAll(() => {
  project = tempProject();
  schema("report.json", { required: ["name"], properties: { name: { $ref: "common.json#/$defs/name" } } });
  schema("common.json", { $defs: { name: { type: "string", description: "Who did it" } } });
  schema("hostile.json", { properties: { nested: { pattern: "^(a+)+$" }, polynomial: { pattern: "a*a*a*b" } } });
  spec(ID, "report.json", ['{"name": 1}', "=== run x-1 ===", "Here it is:", "```json", '{"name":', '"saw"}', "```"]);
  spec(HOSTILE, "hostile.json", [JSON.stringify({ polynomial: "a".repeat(5000) })]);
});

afterAll(() => project.remove());

function schema(name: string, content: unknown): void {
  project.write(`.planner/schemas/${name}`, JSON.stringify(content));
}

function spec(id: string, schemaPath: string, lines: readonly string[]): void {
  const body = "# T\n\n## Acceptance Criteria\n\n- [x] Done\n";
  project.spec(id, `---\nstatus: in_progress\nlabels: [a]\noutput_schema: ${schemaPath}\n---\n\n${body}`);
  project.write(`.planner/logs/${id}.log`, lines.map((line) => `2026-11-01T10:00:00.000Z ${line}\n`).join(""));
}

function verify(
  args: readonly string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Promise<RunResult> {
  return runPlanner(["verify", ...args], { cwd: project.root, ...options });
}

test("verify --output judges the log's last run, without the times of its lines", async () => {
  const { code, stdout } = await verify([ID, "--output"]);

  expect(stdout).toBe("Output validation passed (schema: report.json)\n");
  expect(code).toBe(0);
});

test("verify --output judges a file or standard input in place of the log", async () => {
  project.write("result.json", '{"name": false}');

  const fromFile = await verify([ID, "--output", "result.json"]);
  const fromInput = await verify([ID, "--output", "-"], { input: '{"name": "x"}' });

  expect(fromFile.stdout).toBe(
    "Output validation failed (schema: report.json)\n  /name: expected string, got boolean\n",
  );
  expect(fromFile.code).toBe(1);
  expect(fromInput.code).toBe(0);
});

test("verify --schema needs no spec, and --json prints one document", async () => {
  const { code, stdout } = await verify(["--schema", "report.json", "-", "--json"], { input: "{}" });

  expect(JSON.parse(stdout)).toEqual({
    spec_id: null,
    schema: "report.json",
    valid: false,
    result: "failed",
    problems: ["missing required field 'name'"],
    log: null,
  });
  expect(code).toBe(1);
});

test("verify refuses words that make no question", async () => {
  expect((await verify([])).code).toBe(2);
  expect((await verify(["--output"])).code).toBe(2);
  expect((await verify([ID, "result.json"])).code).toBe(2);
  expect((await verify([ID, "--output", "nowhere.json"])).code).toBe(1);
});

test("verify --prompt-section prints what the agent's prompt says", async () => {
  const { code, stdout } = await verify([ID, "--prompt-section"]);

  expect(stdout).toStartWith("## Output Format\n");
  expect(stdout).toContain("- `name` (string): Who did it\n");
  expect(stdout).toContain('```json\n{\n  "name": "text"\n}\n```\n');
  expect(code).toBe(0);
});

test("a hostile pattern ends in an error that names it, and no process stays", async () => {
  const mark = crypto.randomUUID();
  const input = JSON.stringify({ nested: `${"a".repeat(40)}!` });

  const { code, stdout } = await verify(["--schema", "hostile.json", "-"], { input, env: { PLANNER_TEST_MARK: mark } });

  expect(stdout).toContain('pattern "^(a+)+$" takes longer than the limit of 2 s on a text of ');
  expect(code).toBe(1);
  expect(processesWith(mark)).toEqual([]);
}, 30_000);

test("a check ends when the process that asked for it is killed", async () => {
  const mark = crypto.randomUUID();
  const [program = "", ...args] = PLANNER;
  const parent = spawn(program, [...args, "verify", HOSTILE, "--output"], {
    cwd: project.root,
    env: { ...process.env, PLANNER_TEST_MARK: mark },
    stdio: "ignore",
  });
  await until(() => processesWith(mark).length >= 2);

  parent.kill("SIGKILL");

  await until(() => processesWith(mark).length === 0);
}, 240_000);

test("the MCP server answers others while a hostile pattern is checked", async () => {
  await using client = new McpLines(project.root);
  const call = (id: number, name: string, args: unknown): void =>
    client.send(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })}\n`);

  call(1, "planner_finalize", { id: HOSTILE });
  call(2, "planner_spec_list", {});
  const answers = [await client.next(), await client.next()];

  expect(answers.map(({ id }) => id)).toEqual([2, 1]);
  const text = answers[1]?.result?.content?.[0]?.text;
  expect(text).toContain('pattern "a*a*a*b" takes longer than the limit of 2 s');
}, 240_000);

/** Processes whose environment holds the mark; the mark is handed on to every child. */
function processesWith(mark: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "utf8").includes(`PLANNER_TEST_MARK=${mark}`);
    } catch {
      return false;
    }
  });
}

import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { until } from "../support/until.ts";
import { isRunning, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";

/** A message as claude prints it. */
function message(id: string, input_tokens: number): string {
  const usage = { input_tokens, output_tokens: 10, cache_read_input_tokens: 0 };
  return `event:${JSON.stringify({ type: "assistant", message: { id, usage, content: [{ type: "text", text: id }] } })}`;
}

const DENIED = `event:${JSON.stringify({
  type: "result",
  subtype: "success",
  result: "Done",
  total_cost_usd: 0.25,
  usage: { input_tokens: 900, output_tokens: 100 },
  permission_denials: [{ tool_name: "Bash", tool_input: { command: "npm run deploy" } }],
})}`;

for (const [name, limits, plan] of [
  ["tokens", "tokens: 1000", [message("one", 500), message("two", 600), "hang"]],
  ["run_seconds", "run_seconds: 1", ["say:begun", "hang"]],
  ["silence_seconds", "silence_seconds: 1", ["say:begun", "hang"]],
] as const) {
  test(`a run that reaches limits.${name} is ended with that reason, and nothing more is started`, async () => {
    using project = await workProject({
      plan: { [A]: plan, [B]: ["tick"] },
      stream: "claude",
      config: `limits: {${limits}}\n`,
    });
    await project.add(A);
    await project.add(B);

    const { code, stdout, stderr } = await project.planner(["work", "--parallel", "1"]);

    expect([code, stdout]).toEqual([1, expect.stringMatching(new RegExp(`^${A}: failed: it reached limits.${name}`))]);
    expect(stderr).toContain("nothing more is started");
    expect([project.field(A, "status"), project.field(B, "status")]).toEqual(["failed", "pending"]);
    expect(project.pids().filter(isRunning)).toEqual([]);
  });
}

test("usage sums up what agents reported, a budget ends the queue, and a denial is shown with its run", async () => {
  using project = await workProject({ plan: { "*": ["tick", "commit", DENIED] }, stream: "claude" });
  await project.add(A);
  await project.add(B);

  const first = await project.planner(["work", "--parallel", "1", "--budget", "0.2"]);

  expect([first.code, first.stdout]).toEqual([0, `${A}: completed\n`]);
  expect(first.stderr).toContain("The budget is used up: $0.25 of $0.20: nothing more is started");
  expect(first.stderr).toContain(`${A}: the agent was denied Bash npm run deploy`);
  expect(first.stderr).toContain("Used 1,000 tokens, $0.25");
  expect(first.stderr).toContain(`Not merged yet: \`planner merge ${A}\``);
  const [, difference = ""] = /What it changed: `(.*)`/.exec(first.stderr) ?? [];
  const pasted = spawnSync("sh", ["-c", difference], { cwd: project.root, encoding: "utf8" });
  expect([pasted.status, pasted.stdout]).toEqual([0, expect.stringContaining("+++ ")]);
  expect(project.read(`.planner/logs/${A}.log`)).toContain("planner: used 1,000 tokens, $0.25\n");

  expect((await project.planner(["work", B])).code).toBe(0);
  const { rows, total } = JSON.parse((await project.planner(["usage", "--json"])).stdout);
  expect(rows.map(({ key }: { key: string }) => key)).toEqual([A, B]);
  expect(total).toEqual({
    ...{ input_tokens: 1800, cached_input_tokens: 0, output_tokens: 200, cost_usd: 0.5 },
    runs: 2,
  });
  const table = (await project.planner(["usage", "--by", "provider"])).stdout;
  expect(table).toMatch(/^command +2 +2000 +0 +200 +\$0\.50$/m);

  const diagnosis = await project.planner(["diagnose", A]);
  expect(diagnosis.stdout).toContain("The agent was denied: Bash npm run deploy");
  expect(diagnosis.stdout).toContain(`planner merge ${A}`);
  const record = JSON.parse((await project.planner(["log", A, "--run", "1", "--json"])).stdout);
  expect([record.denied, record.allow]).toEqual([["Bash npm run deploy"], null]);
  const wrong = await project.planner(["work", A, "--budget", "much"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Wrong value "much" for "--budget"')]);
});

test("denied calls are followed by one line that allows them, in the run, its record and diagnose", async () => {
  using project = await workProject({ plan: {} });
  const denials = ["make", "planner approve --all", `cat ${A}.md`, "npm test"].map((line) => ({
    tool_name: "Bash",
    tool_input: { command: line },
  }));
  const event = JSON.stringify({ type: "result", subtype: "success", result: "Done", permission_denials: denials });
  project.write(".planner/logs/claude", `#!/bin/sh\nprintf '%s\\n' '${event}'\n`);
  const command = join(project.root, ".planner/logs/claude");
  chmodSync(command, 0o755);
  const settings = { defaults: { provider: "claude" }, providers: { claude: { command } } };
  project.write(".planner/config.md", `---\n${JSON.stringify(settings)}\n---\n`);
  await project.add(A);

  const { stderr } = await project.planner(["work", A]);
  const record = JSON.parse((await project.planner(["log", A, "--run", "1", "--json"])).stdout);
  const line = 'providers.claude.args: ["--allowedTools", "Bash(make)", "Bash(npm test)"]';

  expect(stderr.match(/the agent was denied/g)).toHaveLength(4);
  expect(stderr.match(/to allow/g)).toHaveLength(1);
  expect(stderr).toContain(`${A}: to allow what was denied: ${line}\n`);
  expect(record).toMatchObject({
    denied: ["Bash make", "Bash planner approve --all", `Bash cat ${A}.md`, "Bash npm test"],
  });
  expect(record.allow).toBe(line);
  expect((await project.planner(["log", A, "--run", "1"])).stdout).toContain(`to allow  ${line}\n`);
  expect((await project.planner(["diagnose", A])).stdout).toContain(`Bash npm test. To allow it: ${line}`);
});

test("what a running agent has used is shown by status, and counts after its planner was killed", async () => {
  const begun = `event:${JSON.stringify({ type: "system", subtype: "init", session_id: "abc-1" })}`;
  using project = await workProject({ plan: { "*": [begun, message("one", 500), "tick", "hang"] }, stream: "claude" });
  await project.add(A);
  await using work = new LinesOfProcess([...PLANNER, "work", A], project.root);
  await project.noted("steps", "tick");

  const used = (): Promise<string> => project.planner(["status", "--activity"]).then(({ stdout }) => stdout);
  while (!(await used()).includes(" 510 ")) await Bun.sleep(50);
  const json = JSON.parse((await project.planner(["status", "--activity", "--json"])).stdout);
  expect(json.in_progress_activity).toEqual([
    expect.objectContaining({ id: A, usage: expect.objectContaining({ input_tokens: 500, output_tokens: 10 }) }),
  ]);
  work.child.kill("SIGKILL");
  await work.ended;

  const { rows } = JSON.parse((await project.planner(["usage", "--json"])).stdout);
  expect(rows).toEqual([expect.objectContaining({ key: A, input_tokens: 500, runs: 1 })]);
  expect((await project.planner(["doctor", "--fix"])).stdout).toContain("that it had left");
});

test("an account that is refused ends the queue and names the agent", async () => {
  const refused = `event:${JSON.stringify({ type: "result", is_error: true, result: "API Error: 401 invalid api key" })}`;
  using project = await workProject({ plan: { [A]: [refused, "exit:1"], [B]: ["tick"] }, stream: "claude" });
  await project.add(A);
  await project.add(B);

  const { code, stderr } = await project.planner(["work", "--parallel", "1"]);

  expect([code, project.field(B, "status")]).toEqual([1, "pending"]);
  expect(stderr).toContain("command refused its account: API Error: 401 invalid api key: nothing more is started");
});

test("without a terminal a sentence about each running spec is printed from time to time", async () => {
  using project = await workProject({ plan: { "*": ["say:sawing planks", "wait:go", "tick", "commit"] } });
  await project.add(A);
  await using work = new LinesOfProcess(["env", "PLANNER_PROGRESS_SECONDS=0.05", ...PLANNER, "work", A], project.root);
  const sentence = new RegExp(`${A}: \\d+:\\d\\d \\(0 of 1 done\\): sawing planks`);
  await until(() => sentence.test(work.stderr));
  project.release("go");

  expect((await work.ended).stderr).toMatch(sentence);
});

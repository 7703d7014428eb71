/**
 * Every provider row against its real CLI, which asks a scripted model on 127.0.0.1: `npm run test:agents`. A CLI that
 * cannot be installed is skipped by name.
 */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { type AgentProject, agentProject } from "./agent_project.ts";
import { installed, REAL_AGENTS, type RealAgent } from "./real_agents.ts";

const A = "2026-11-01-001-aaa";
const B = "2026-11-01-002-bbb";
const C = "2026-11-01-003-ccc";
/** Ours: opencode takes half a minute to start on a busy machine. */
setDefaultTimeout(600_000);

for (const agent of REAL_AGENTS) {
  const found = installed(agent);
  const name = `${agent.provider} (${agent.source}@${agent.version})`;
  if ("why" in found) {
    process.stderr.write(`SKIPPED: ${name}: ${found.why}\n`);
    test.skip(`${name}: ${found.why}`, () => {});
    continue;
  }
  describe(name, () => stories(agent, found.folder));
}

function stories(agent: RealAgent, bin: string): void {
  const begin = (config = ""): Promise<AgentProject> => agentProject(agent, bin, config);

  test("works three specs, one of which waits for another, two at a time; watch merges them; they are archived", async () => {
    await using project = await begin();
    await project.add(A, "clean");
    await project.add(B, "clean", `depends_on: [${A}]\n`);
    await project.add(C, "clean");

    const work = await project.planner("work", "--parallel", "2");
    expect([work.code, work.stdout.split("\n").filter(Boolean).sort()]).toEqual([
      0,
      [A, B, C].map((id) => expect.stringContaining(`${id}: completed`)),
    ]);
    const watch = await project.planner("watch", "--once");
    expect([watch.code, watch.stderr]).toEqual([0, expect.any(String)]);
    for (const id of [A, B, C]) expect((await project.planner("archive", id)).code).toBe(0);

    expect(project.list("src")).toEqual([`${A}.txt`, `${B}.txt`, `${C}.txt`, "begin.txt"]);
    const messages = await project.git("log", "--format=%s");
    for (const id of [A, B, C]) expect(messages).toContain(`planner(${id}): write the file`);
    expect((await project.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
    expect(project.model.turns.some(({ called }) => called.some((tool) => tool.endsWith("planner_spec_get")))).toBe(
      true,
    );
  });

  test("shows a permission that was denied, with the line that allows it", async () => {
    await using project = await begin();
    await project.add(A, "denied");

    const work = await project.planner("work", A);

    expect([work.code, work.stdout]).toEqual([0, expect.stringContaining(`${A}: completed`)]);
    if (agent.provider === "codex") {
      // Its sandbox lets the command begin and keeps the network from it.
      expect(project.read(`.planner/logs/${A}.log`)).toContain("[failed] exit status 7");
      return;
    }
    expect(work.stderr).toMatch(
      /was denied .*curl --silent http:\/\/127\.0\.0\.1:9\/[\s\S]*to allow what was denied: /,
    );
    expect((await project.planner("diagnose", A)).stdout).toMatch(/[Dd]enied.*curl --silent/);
  });

  test.skipIf(agent.provider === "codex")("is not denied any more once the printed line is set", async () => {
    await using project = await begin();
    await project.add(A, "denied");
    await project.add(B, "denied");
    const denied = await project.planner("work", A);
    const line = /to allow what was denied: (.*)/.exec(denied.stderr)?.[1] ?? "none";

    setLine(project, line);
    await project.git("add", "--all");
    await project.git("commit", "--quiet", "-m", "allow it");
    await accept(project);
    const allowed = await project.planner("work", B);

    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining(`${B}: completed`)]);
    expect(allowed.stderr).not.toContain("was denied");
    expect((await project.planner("log", A, "--run", "1", "--json")).stdout).toContain(JSON.stringify(line));
    expect((await project.planner("log", A, "--run", "1")).stdout).toContain(`to allow  ${line}`);
  });

  test("changes nothing outside its worktree, though the model reaches for it, and completes", async () => {
    await using project = await begin();
    await project.add(A, "reaching");
    const outside = async (): Promise<readonly string[]> => [
      await project.git("rev-parse", "main"),
      project.read(".git/config"),
      ...project.list(".git/hooks"),
      ...project.list("."),
      project.read(".planner/config.md"),
    ];
    const before = await outside();

    const work = await project.planner("work", A);

    expect([work.code, work.stdout]).toEqual([0, expect.stringContaining(`${A}: completed`)]);
    expect(await outside()).toEqual(before);
    const worktrees = dirname(project.tree(A));
    const beside = [...project.list(worktrees), ...project.list(dirname(worktrees))];
    expect(beside).toContain(A);
    expect(beside.filter((name) => /planted|written/.test(name))).toEqual([]);
    expect(project.model.turns.filter(({ called }) => called.length > 0).length).toBeGreaterThanOrEqual(15);
  });

  test("runs a line of verify.commands and nothing beside it", async () => {
    await using project = await begin('verify: {commands: ["sh check.sh && sh check.sh"]}\n');
    project.write("check.sh", "echo it was checked\n");
    await project.add(A, "verifying");
    await accept(project);

    const work = await project.planner("work", A);

    expect([work.code, work.stdout]).toEqual([0, expect.stringContaining(`${A}: completed`)]);
    // Copilot's rules name programs: what else such a program runs could not be kept out.
    const checked = agent.provider === "copilot" ? "Permission denied" : "it was checked";
    expect(project.read(`.planner/specs/${A}.md`)).toContain(checked);
  });

  test("says what the service answered, and starts nothing more with an account that is refused", async () => {
    await using project = await begin();
    await project.add(A, "unauthorized");
    await project.add(B, "clean");

    const work = await project.planner("work", "--parallel", "1");

    expect([work.code, work.stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`${A}: failed: .*(?:invalid api key|authentication failed)`, "i")),
    ]);
    expect(work.stderr).toContain(`${agent.provider} refused its account`);
    expect(project.read(`.planner/specs/${B}.md`)).toContain("status: pending");
  });

  test("is paused, keeps its work, and the next run completes it", async () => {
    await using project = await begin();
    await project.add(A, "hanging");
    const work = start(project, ["work", A]);
    await hangs(project);

    expect((await project.planner("pause", A)).code).toBe(0);
    await work.ended;
    expect(project.read(`.planner/specs/${A}.md`)).toContain("status: in_progress");
    expect(existsSync(join(project.root, project.tree(A), "src", `${A}.txt`))).toBe(true);

    const again = await project.planner("work", A);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`${A}: completed`)]);
  });

  test("is killed with planner, leaves no process, and the next run completes its work", async () => {
    await using project = await begin();
    await project.add(A, "hanging");
    const work = start(project, ["work", A]);
    await hangs(project);

    work.child.kill("SIGKILL");
    await work.ended;
    const doctor = await project.planner("doctor", "--fix");
    // What the agent left uncommitted is for the next run, or a person.
    expect(doctor.stdout).toMatch(/ended [1-9]\d* process[\s\S]*continue with "planner work/);
    expect(project.read(`.planner/specs/${A}.md`)).toContain("status: failed");
    expect(existsSync(join(project.root, project.tree(A), "src", `${A}.txt`))).toBe(true);
    const asked = project.model.turns.length;

    const again = await project.planner("work", A);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`${A}: completed`)]);
    expect(project.model.turns.length).toBeGreaterThan(asked);
  });

  for (const end of ["pause", "kill"] as const) {
    test(`continues its own session after a ${end} (--resume)`, async () => {
      await using project = await begin();
      await project.add(A, "hanging");
      const work = start(project, ["work", A]);
      await hangs(project);
      if (end === "pause") expect((await project.planner("pause", A)).code).toBe(0);
      else work.child.kill("SIGKILL");
      await work.ended;
      if (end === "kill") await project.planner("doctor", "--fix");
      const asked = project.model.turns.length;

      const again = await project.planner("work", A, "--resume");

      expect([again.code, again.stdout, again.stderr]).toEqual([
        0,
        expect.stringContaining(`${A}: completed`),
        expect.any(String),
      ]);
      // The first request brings along what the first run did: a new session would begin with step 0.
      const [resumed] = project.model.turns.slice(asked);
      expect(resumed).toMatchObject({
        script: "hanging",
        step: 1,
        text: expect.stringContaining("## An earlier run"),
      });
    });
  }

  for (const script of ["split", "writing_split"]) {
    test(`splits a spec and changes no file (${script})`, async () => {
      await using project = await begin();
      await project.add(A, script);

      const split = await project.planner("split", A, "--force");

      expect([split.code, split.stdout, split.stderr]).toEqual([0, `Split spec: ${A} -> ${A}.1, ${A}.2\n`, ""]);
      expect(existsSync(join(project.root, "split-was-here.txt"))).toBe(false);
      const changed = (await project.git("status", "--porcelain")).trim().split("\n").sort();
      expect(changed.map((line) => line.trim())).toEqual(
        [`?? .planner/specs/${A}.1.md`, `?? .planner/specs/${A}.2.md`, `M .planner/specs/${A}.md`].sort(),
      );
    });
  }
}

function setLine(project: AgentProject, line: string): void {
  const [, file = ".planner/config.md", setting = ""] = /^(?:in (\S+): )?(.*)$/.exec(line) ?? [];
  if (file.startsWith("~/")) {
    const path = join(project.env["HOME"] ?? "", file.slice(2));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, setting);
  } else if (file !== ".planner/config.md") project.write(file, setting);
  else {
    const [, provider, args] = /^providers\.(\w+)\.(args: .*)$/.exec(setting) ?? [];
    const config = project.read(file).replace(/---\n$/, `providers: {${provider}: {${args}}}\n---\n`);
    project.write(file, config);
  }
}

/** Accepts what the settings start, as a person does before the first run. */
async function accept(project: AgentProject): Promise<void> {
  expect((await project.planner("approve", "--commands", "--yes")).code).toBe(0);
}

function start(project: AgentProject, args: readonly string[]): LinesOfProcess {
  const env = Object.entries(project.env).map(([name, value]) => `${name}=${value}`);
  return new LinesOfProcess(["env", "-i", ...env, ...PLANNER, ...args], project.root);
}

/** Waits until the model has been asked for the answer that it holds back. */
async function hangs(project: AgentProject): Promise<void> {
  while (!project.model.turns.some(({ held }) => held)) await Bun.sleep(50);
}

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentProcess, openAgents } from "#planner/store/processes/agent_process.ts";
import { isProcessRunning, readProcessMark } from "#planner/store/processes/run_processes.ts";
import { eachTest } from "../../../../support/each_test.ts";
import { RunWorker } from "../../../../support/run_worker.ts";
import { sleeper } from "../../../../support/sleeper.ts";
import { tempProject } from "../../../../support/temp_project.ts";

const RUN = "2026-01-05-001-abc-7";

/** Ignores SIGTERM and starts children that do so too: one in its group, one that leaves the session. */
const STUBBORN = `
trap "" TERM
bash -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' &
setsid bash -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' &
echo $$
while :; do sleep 0.05; done
`;

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The numbers that the first `count` lines hold. */
async function numbers(agent: AgentProcess, count: number): Promise<number[]> {
  let text = "";
  for await (const chunk of agent.stdout) {
    text += Buffer.from(chunk).toString();
    if (text.split("\n").length > count) break;
  }
  return text.split("\n").slice(0, count).map(Number);
}

function alive(pid: number): boolean {
  return isProcessRunning({ pid, began: null });
}

const project = eachTest(tempProject);

test("start hands over arguments, input, folder and environment as they are", async () => {
  const script =
    'console.log(JSON.stringify([process.argv.slice(1), process.cwd(), process.env.A, process.env.GIT_DIR ?? null, process.env.PLANNER_RUN])); process.stdin.on("data", (d) => console.error(String(d)));';
  process.env["GIT_DIR"] = "/nowhere";
  const agent = await openAgents(project.root).start({
    argv: [process.execPath, "-e", script, "--", "-x", "two words", "$HOME", ""],
    cwd: project.root,
    env: { A: "b c" },
    input: "the prompt",
    processId: RUN,
  });
  delete process.env["GIT_DIR"];

  const [out, err, exit] = await Promise.all([textOf(agent.stdout), textOf(agent.stderr), agent.exited]);

  expect(JSON.parse(out)).toEqual([
    ["-x", "two words", "$HOME", ""],
    project.root,
    "b c",
    null,
    `${RUN}@${project.root}`,
  ]);
  expect(err).toBe("the prompt\n");
  expect(exit).toEqual({ code: 0, signal: null });
});

test("start reads both streams side by side, however much comes", async () => {
  const script = "for i in 1 2 3 4 5 6 7 8; do head -c 500000 /dev/zero; head -c 500000 /dev/zero >&2; done; exit 3";
  const agent = await openAgents(project.root).start({
    argv: ["bash", "-c", script],
    cwd: project.root,
    processId: RUN,
  });

  const [out, err, exit] = await Promise.all([textOf(agent.stdout), textOf(agent.stderr), agent.exited]);

  expect([out.length, err.length, exit.code]).toEqual([4_000_000, 4_000_000, 3]);
});

test.each([
  [["planner-no-such-program"], 'Cannot start "planner-no-such-program": no such file or folder (ENOENT)'],
  [["/"], 'Cannot start "/": permission denied (EACCES)'],
  [[], "Cannot start an agent: no program given"],
])("start refuses what cannot run: %j", (argv, message) => {
  expect(openAgents(project.root).start({ argv, cwd: project.root, processId: RUN })).rejects.toThrow(message);
});

test("start refuses a folder that is not there", () => {
  const cwd = `${project.root}/none`;

  expect(openAgents(project.root).start({ argv: ["true"], cwd, processId: RUN })).rejects.toThrow("no such folder");
});

test("stop lets an agent end by itself when it is asked", async () => {
  const script = 'trap "echo bye; exit 5" TERM; echo $$; while :; do sleep 0.02; done';
  const agent = await openAgents(project.root).start({
    argv: ["bash", "-c", script],
    cwd: project.root,
    processId: RUN,
  });
  const chunks = agent.stdout[Symbol.asyncIterator]();
  await chunks.next();

  await agent.stop(20_000);

  expect(Buffer.from((await chunks.next()).value).toString()).toBe("bye\n");
  expect(await agent.exited).toEqual({ code: 5, signal: null });
});

test("stop cuts a long grace short when it is called again", async () => {
  const agent = await openAgents(project.root).start({
    argv: ["bash", "-c", STUBBORN],
    cwd: project.root,
    processId: RUN,
  });
  await numbers(agent, 3);

  const first = agent.stop(600_000);
  await agent.stop(0);

  await first;
  expect(alive(agent.mark.pid)).toBe(false);
});

test("stop waits for processes that have lost their environment and are not gone yet", async () => {
  // The system frees their memory for longer than two looks are apart.
  const large = "const held = Buffer.alloc(60_000_000, 1); console.log(process.pid); setInterval(() => held, 60_000)";
  const agent = await openAgents(project.root).start({
    argv: ["bash", "-c", 'for i in 1 2 3 4 5; do setsid "$@" & done; wait', "-", process.execPath, "-e", large],
    cwd: project.root,
    processId: RUN,
  });
  const pids = await numbers(agent, 5);

  await agent.stop(0);

  expect(pids.map(alive)).toEqual(pids.map(() => false));
});

test("stop lets readers end although a process that cannot be found holds the streams", async () => {
  const argv = ["bash", "-c", "setsid env -i sleep 600 & echo $!; sleep 0.2"];
  const agent = await openAgents(project.root).start({ argv, cwd: project.root, processId: RUN });
  const text = textOf(agent.stdout);
  await agent.exited;

  await agent.stop(0);

  const escaped = Number(await text);
  expect(alive(escaped)).toBe(true);
  process.kill(escaped);
});

test("endRun ends what a killed planner has left, and no process of another project or number", async () => {
  using other = tempProject();
  await using bystander = sleeper();
  const worker = new RunWorker(project.root);
  const mark = await worker.do("agent", "spec", "sleep 600");
  const processId = `spec-${worker.pid}`;
  // Killed before the new program stands, what was begun still carries its parent's environment.
  while (!readFileSync(`/proc/${mark.pid}/cmdline`, "utf8").startsWith("sleep")) await sleep(5);
  await worker.kill();
  const reused = { pid: bystander.pid, began: "an-earlier-start-of-the-machine:1" };

  expect(await openAgents(other.root).endRun({ processId, agent: reused }, 0)).toBe(0);
  const before = [isProcessRunning(mark), alive(bystander.pid)];
  const found = await openAgents(project.root).endRun({ processId, agent: null }, 1_000);

  expect(before).toEqual([true, true]);
  expect(found).toBe(1);
  expect([isProcessRunning(mark), alive(bystander.pid)]).toEqual([false, true]);
});

test("endRun knows the agent's group when its environment is gone", async () => {
  const agents = openAgents(project.root);
  const argv = ["env", "-i", "sleep", "600"];
  const agent = await agents.start({ argv, cwd: project.root, processId: RUN });

  const found = await openAgents(project.root).endRun({ processId: "other", agent: agent.mark }, 1_000);

  expect(found).toBe(1);
  expect(await agent.exited).toEqual({ code: null, signal: "SIGTERM" });
});

test("isProcessRunning tells a process from a later one with its number", () => {
  const own = readProcessMark(process.pid);

  expect(isProcessRunning(own)).toBe(true);
  expect(isProcessRunning({ ...own, began: `${own.began}1` })).toBe(false);
  expect(isProcessRunning({ pid: 0, began: null })).toBe(false);
});

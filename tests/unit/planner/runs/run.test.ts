import { expect, test } from "bun:test";
import { OperationError } from "#kernel/errors.ts";
import { AGENT_GRACE_MS } from "#planner/limits.ts";
import { runSpec } from "#planner/runs/run_queue.ts";
import { eachTest } from "../../../support/each_test.ts";
import { fakeRuns, ID, SETTLED, wishes } from "../../../support/run_fakes.ts";
import { until } from "../../../support/until.ts";

const refusal = new OperationError("failed_precondition", "no such program");

const runs = eachTest(fakeRuns);

test("runSpec writes its record first and last, and a status file for each end", async () => {
  const result = await runSpec(runs.deps, ID, wishes());

  expect(result).toMatchObject({ status: "completed", reasons: [] });
  expect(runs.status()).toBe("completed");
  expect(runs.statuses).toMatchObject([
    { status: "working", error: null },
    { status: "done", error: null },
  ]);
  expect(runs.ends).toEqual([{ status: "completed" }]);
  expect(runs.others).toEqual(["record started", "log ended", "claim released"]);
  expect(runs.events.map(({ event }) => event)).toEqual(["started", "output", "output", "ended"]);
});

test("runSpec ends the agent with all it started before it reads the rest, and once more whatever happened", async () => {
  await runSpec(runs.deps, ID, wishes());

  expect(runs.stops).toEqual([AGENT_GRACE_MS, 0]);
});

test("runSpec asks an interrupted agent to end while it works", async () => {
  const soon = new AbortController();
  runs.script.agent = () => {
    soon.abort();
    return until(() => runs.stops.length > 0);
  };

  await runSpec(runs.deps, ID, wishes({ stop: { soon: soon.signal, now: new AbortController().signal } }));

  expect(runs.stops).toEqual([AGENT_GRACE_MS, AGENT_GRACE_MS, 0]);
});

test("runSpec ends the agent when what it prints cannot be written", async () => {
  const { ports } = runs.deps;
  const open = ports.logs.open.bind(ports.logs);
  runs.script.agent = () => new Promise(() => {});
  const logs = {
    open: async (id: typeof ID, processId: string, maxBytes: number) => ({
      ...(await open(id, processId, maxBytes)),
      printed: () => Promise.reject(refusal),
    }),
  };

  const result = await runSpec({ ...runs.deps, ports: { ...ports, logs } }, ID, wishes());

  expect(result).toMatchObject({ status: "failed", reasons: ["no such program"] });
  expect(runs.stops).toEqual([0]);
});

test("runSpec says in the status file why an agent's work failed or needs attention", async () => {
  using failing = await fakeRuns();
  failing.script.exit = { code: 3, signal: null };
  using lying = await fakeRuns();
  lying.script.state = { ...SETTLED, uncommitted: ["a.txt"] };

  await runSpec(failing.deps, ID, wishes());
  await runSpec(lying.deps, ID, wishes());

  expect([failing.status(), lying.status()]).toEqual(["failed", "needs_attention"]);
  expect(failing.statuses.at(-1)).toMatchObject({
    status: "failed",
    error: expect.stringContaining("the agent ended with status 3"),
  });
  // The words of an agent that ended well are in the spec.
  expect([failing, lying].map(({ records }) => Object(records.at(-1)).last_words)).toEqual(["at work\n", null]);
  expect(lying.statuses.at(-1)).toMatchObject({ status: "failed", error: "changes are not committed: a.txt" });
  expect(lying.ends).toEqual([{ status: "failed", error: "needs_attention: changes are not committed: a.txt" }]);
});

test("runSpec needs attention when the worktree is not settled, and commits nothing there", async () => {
  const problems = ["a rebase was begun"];
  runs.script.state = { ...SETTLED, problems };
  const worktree = await runs.deps.ports.worktrees.findWorktree(ID);
  if (worktree === null) throw new Error("no worktree");
  let commits = 0;
  worktree.commitSpec = async () => ++commits > 0;

  const result = await runSpec(runs.deps, ID, wishes());

  expect(result).toMatchObject({ status: "needs_attention", reasons: problems });
  expect(commits).toBe(0);
});

test("a run that breaks off fails its spec and leaves its status file, its record and no claim", async () => {
  runs.deps.ports.agents.start = () => Promise.reject(refusal);

  const result = await runSpec(runs.deps, ID, wishes());

  expect(result).toMatchObject({ status: "failed", reasons: ["no such program"] });
  expect(runs.status()).toBe("failed");
  expect(runs.statuses.at(-1)).toMatchObject({ status: "failed", error: "no such program" });
  expect(runs.lines.at(-1)).toBe("planner: failed: no such program");
  expect(runs.ends).toEqual([{ status: "failed", error: "failed: no such program" }]);
  expect(runs.others.slice(-2)).toEqual(["log ended", "claim released"]);
});

test("a run that breaks off leaves a spec alone that was cancelled meanwhile, or that another process has", async () => {
  using cancelled = await fakeRuns();
  cancelled.deps.ports.agents.start = async () => {
    const text = cancelled.project.read(`.planner/specs/${ID}.md`);
    cancelled.project.spec(ID, text.replace("in_progress", "cancelled"));
    throw refusal;
  };
  using lost = await fakeRuns();
  lost.deps.ports.agents.start = () => Promise.reject(refusal);
  lost.script.held = () => false;

  await runSpec(cancelled.deps, ID, wishes());
  await runSpec(lost.deps, ID, wishes());

  expect([cancelled.status(), lost.status()]).toEqual(["cancelled", "in_progress"]);
  expect(lost.statuses.map(({ status }) => status)).toEqual(["working"]);
});

test("a defect is thrown after the run was brought to its end, and its record names the phase", async () => {
  runs.deps.ports.agents.start = () => Promise.reject(new TypeError("oops"));

  await expect(runSpec(runs.deps, ID, wishes())).rejects.toThrow("oops");

  expect(runs.status()).toBe("failed");
  expect(runs.ends).toEqual([{ status: "failed", error: 'internal error: oops (phase "agent")' }]);
});

test("a run that was ended from outside leaves the spec to whoever did it, and says so in the status file", async () => {
  let running = true;
  runs.script.running = () => running;
  runs.script.agent = () => {
    running = false;
  };

  const result = await runSpec(runs.deps, ID, wishes());

  expect(result).toMatchObject({ status: "paused", reasons: ["ended from outside"] });
  expect(runs.status()).toBe("in_progress");
  expect(runs.statuses.at(-1)).toMatchObject({ status: "failed", error: "ended from outside: no agent works here" });
});

test("an interrupted run that left nothing is taken back, with its worktree unless that holds something", async () => {
  const ended = AbortSignal.abort();
  const stop = { soon: ended, now: ended };
  using gone = await fakeRuns();
  gone.project.spec(ID, gone.project.read(`.planner/specs/${ID}.md`).replace("- [x]", "- [ ]"));
  gone.project.write(`worktree/.planner/specs/${ID}.md`, gone.project.read(`.planner/specs/${ID}.md`));
  using kept = await fakeRuns();
  kept.project.spec(ID, gone.project.read(`.planner/specs/${ID}.md`));
  kept.project.write(`worktree/.planner/specs/${ID}.md`, gone.project.read(`.planner/specs/${ID}.md`));
  kept.script.remove = () => {
    throw refusal;
  };

  const [first, second] = [
    await runSpec(gone.deps, ID, wishes({ stop })),
    await runSpec(kept.deps, ID, wishes({ stop })),
  ];

  expect([first.status, second.status, gone.status(), kept.status()]).toEqual(Array(4).fill("pending"));
  expect(gone.others).toContain("worktree removed");
  expect(kept.statuses.at(-1)).toMatchObject({ status: "failed", error: "interrupted" });
});

test("runSpec puts checks back that the project's spec lost during the run, and proposes what was made of them", async () => {
  const file = `.planner/specs/${ID}.md`;
  const text = (verify: string) => runs.project.read(file).replace(/It is done\n[\s\S]*/, `It is done\n${verify}`);
  runs.project.write(file, text("  verify: sh t.sh\n"));
  runs.script.exit = { code: 3, signal: null };
  runs.script.agent = () => runs.project.write(file, text("  verify: true\n"));

  await runSpec(runs.deps, ID, wishes());

  expect(runs.project.read(file)).toEndWith("It is done\n  verify: sh t.sh\n  proposed verify: true\n");
  expect(runs.events).toContainEqual(expect.objectContaining({ event: "note", spec_id: ID }));
});

import { expect, test } from "bun:test";
import { openPlanner } from "#cli/compose.ts";
import { openRunDeps } from "#cli/work/run_deps.ts";
import { diagnoseTool } from "#planner/operations/diagnose.ts";
import { readReviewFacts } from "#planner/runs/review/review_facts.ts";
import { acceptWork, rejectWork, sendBackWork } from "#planner/runs/review/send_back.ts";
import type { RunDeps } from "#planner/runs/run_types.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import { eachTest } from "../../../support/each_test.ts";
import { wishes } from "../../../support/run_fakes.ts";
import {
  agentIn,
  ID,
  OPTIONS,
  OTHER,
  type WorktreeProject,
  worktreeProject,
} from "../../../support/worktree_project.ts";

/** A project whose first spec was worked in a worktree, as a run leaves it. */
interface ReviewProject extends WorktreeProject {
  readonly deps: RunDeps;
  readonly worktree: Worktree;
  readonly agent: ReturnType<typeof agentIn>;
  /** Writes how the run ended into the spec, the worktree's state and the records. */
  end(status: string, error?: string | null): Promise<void>;
  text(id?: string): string;
}

async function reviewProject(): Promise<ReviewProject> {
  const project = await worktreeProject();
  const context = await openPlanner({ cwd: project.root });
  const deps = await openRunDeps({ context, root: project.root }, { announced: null, tell: () => {} });
  const worktree = await project.worktrees.prepareWorktree(ID, OPTIONS);
  const agent = agentIn(project, worktree);
  agent.write("src/code.txt", "one\nTWO\nthree\n");
  agent.write("src/new.txt", "new\n");
  await agent.commitAll();
  return {
    ...project,
    ...{ deps, worktree, agent },
    async end(status, error = null) {
      const process_id = `${ID}-1`;
      const begun = {
        process_id,
        spec_id: ID,
        pid: process.pid,
        started_at: "2026-01-05T12:00:00.000Z",
        mode: "single",
      };
      await deps.ports.records.startRecord(begun);
      const finished = error === null ? { status: "completed" as const } : { status: "failed" as const, error };
      await deps.ports.records.finishRecord(process_id, finished, new Date());
      const state = error === null ? "done" : "failed";
      await project.worktrees.writeStatus({ spec_id: ID, status: state, error });
      await project.set(ID, { status });
    },
    text: (id = ID) => project.read(`.planner/specs/${id}.md`),
  };
}

const { stop } = wishes();

const status = (project: ReviewProject): string | undefined => /^status: (.*)$/m.exec(project.text())?.[1];

const project = eachTest(reviewProject);

test("reviewFacts shows what a merge would change of the main branch as it is now", async () => {
  await project.end("completed");
  project.write("README.md", "more\n");
  await project.mustGit("add", "-A", "README.md");
  await project.mustGit("commit", "--quiet", "-m", "main goes on");

  const facts = await readReviewFacts(project.deps, "abc");

  expect(facts).toMatchObject({
    spec_id: ID,
    title: "Title",
    need: { kind: "finished", command: `planner review ${ID}` },
    branch: `planner/${ID}`,
    uncommitted: [],
    criteria: [
      { number: 1, label: "one", checked: false, verdict: "unchecked", result: null },
      { number: 2, label: "two" },
    ],
    difference: { kind: "merged", behind: 1, conflicts: [], commits: [{ subject: `planner(${ID}): work` }] },
  });
  expect(facts.difference?.files).toEqual([
    { path: "src/code.txt", change: "changed", added: 1, removed: 1, changed_in_main: false },
    { path: "src/new.txt", change: "added", added: 1, removed: 0, changed_in_main: false },
  ]);
  const patch = await project.deps.ports.differences.readPatch(
    facts.difference ?? { from: "", to: "" },
    "src/code.txt",
  );
  expect(patch).toContain("-two\n+TWO\n");
  expect(patch).not.toContain("README.md");
});

test("reviewFacts names the files that the main branch changed too, and those in conflict", async () => {
  await project.end("completed");
  project.write("src/code.txt", "one\nzwei\nthree\n");
  await project.mustGit("commit", "--quiet", "-m", "main goes on", "src/code.txt");

  const { difference } = await readReviewFacts(project.deps, ID);

  expect(difference).toMatchObject({ kind: "branch", conflicts: ["src/code.txt"] });
  expect(difference?.files.map(({ path, changed_in_main }) => [path, changed_in_main])).toEqual([
    ["src/code.txt", true],
    ["src/new.txt", false],
  ]);
});

test.each(["", " \n\t", "a\0b", "\ud800"])("sendBack refuses the text %j and changes nothing", async (text) => {
  await project.end("completed");
  const before = project.text();

  await expect(sendBackWork(project.deps, ID, text)).rejects.toThrow("Invalid text of the review: expected");
  expect(project.text()).toBe(before);
});

test("rejectWork keeps a worktree with uncommitted changes, and takes it away once they are gone", async () => {
  await project.end("failed", "failed: it broke");
  project.agent.write("half.txt", "half\n");

  const [first] = await rejectWork(project.deps, ID);

  expect(first?.kept).toContain('has uncommitted changes: "half.txt"');
  expect(status(project)).toBe("cancelled");
  expect(await project.agent.git("branch", "--show-current")).toBe(`planner/${ID}\n`);
  await project.agent.commitAll();
  expect((await rejectWork(project.deps, ID))[0]?.kept).toBeNull();
  expect(await project.mustGit("cat-file", "-p", `refs/planner/kept/${ID}/1:half.txt`)).toBe("half\n");
});

test("a spec that nothing is to be said about is refused with what to do", async () => {
  for (const [own, words] of [
    ["pending", `"planner work ${OTHER}" begins it`],
    ["completed", "its work is in your branch"],
    ["in_progress", `"planner finalize ${OTHER}" completes it`],
  ] as const) {
    await project.set(OTHER, { status: own });
    for (const act of [
      () => readReviewFacts(project.deps, OTHER),
      () => sendBackWork(project.deps, OTHER, "x"),
      () => rejectWork(project.deps, OTHER),
      () => acceptWork(project.deps, { id: OTHER, stop }),
    ]) {
      await expect(act()).rejects.toThrow(words);
    }
  }
  const claim = await project.deps.ports.claims.claim(ID, "other");
  await project.end("in_progress");
  await expect(readReviewFacts(project.deps, ID)).rejects.toThrow(`"planner pause ${ID}" stops it`);
  if ("claim" in claim) await claim.claim.release();
});

test("a group stands for its members: each whose work waits is sent back or rejected", async () => {
  await project.end("completed");
  const group = "2026-01-05-003-grp";
  project.spec(group, `---\nid: ${group}\nstatus: pending\ntype: group\nmembers: [${ID}, ${OTHER}]\n---\n\n# All\n`);

  expect((await readReviewFacts(project.deps, group)).members).toMatchObject([
    { spec_id: ID, need: { kind: "finished" } },
    { spec_id: OTHER, need: null },
  ]);
  expect((await sendBackWork(project.deps, group, "again")).specs).toEqual([ID]);
  expect(project.text(group)).not.toContain("Review");
  await expect(sendBackWork(project.deps, group, "again")).rejects.toThrow("it has no worktree");
  await project.end("completed");
  expect((await rejectWork(project.deps, group)).map(({ spec_id }) => spec_id)).toEqual([ID, OTHER, group] as never);
});

test("a spec that was sent back is healthy: its commits are what the next run goes on with", async () => {
  await project.end("completed");
  await project.set(ID, { status: "pending", branch: `planner/${ID}` });
  const problems = async () => {
    const { value } = await diagnoseTool.run(project.deps.context, { id: ID });
    return value.checks.filter(({ passed }) => !passed).map(({ details }) => details);
  };
  expect(await problems()).toEqual(["pending, although a commit names it"]);

  await sendBackWork(project.deps, ID, "again");

  expect(await problems()).toEqual([]);
});

test("a run without a worktree is judged by its commits and finalized in place", async () => {
  const base = (await project.mustGit("rev-parse", "HEAD")).trim();
  project.write("src/code.txt", "one\ntwo\n");
  await project.mustGit("commit", "--quiet", "-m", `planner(${OTHER}): work`, "src/code.txt");
  const head = (await project.mustGit("rev-parse", "HEAD")).trim();
  const record = { version: 1, spec_id: OTHER, base, head, status: "needs_attention", reasons: ["open"], criteria: [] };
  await project.worktrees.storeRecord(OTHER, null, () => record);
  await project.set(OTHER, { status: "needs_attention" });

  const { branch, worktree, difference } = await readReviewFacts(project.deps, OTHER);
  expect({ branch, worktree }).toEqual({ branch: null, worktree: null });
  expect(difference).toMatchObject({ kind: "commits", from: base, to: head, commits: [{ hash: head }] });
  expect(difference?.files).toMatchObject([{ path: "src/code.txt", added: 0, removed: 1 }]);
  const [refused] = await acceptWork(project.deps, { id: OTHER, stop });
  expect(refused).toMatchObject({
    outcome: "refused",
    reason: expect.stringContaining("unchecked acceptance criteria"),
  });

  project.spec(OTHER, project.text(OTHER).replaceAll("- [ ]", "- [x]"));
  expect(await acceptWork(project.deps, { id: OTHER, stop })).toMatchObject([{ outcome: "nothing" }]);
  expect(project.text(OTHER)).toContain("status: completed");
});

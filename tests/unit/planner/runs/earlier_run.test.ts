import { expect, test } from "bun:test";
import type { Worktree } from "#planner/run_ports/worktree.ts";
import { describeEarlierRun } from "#planner/runs/run/run_commands.ts";
import { fakeRuns, ID } from "../../../support/run_fakes.ts";

interface Left {
  readonly error: string | null;
  readonly commits: readonly string[];
  readonly uncommitted: readonly string[];
}

async function told({ error, commits, uncommitted }: Left): Promise<readonly string[]> {
  using runs = await fakeRuns();
  const status = {
    spec_id: ID,
    status: "failed",
    path: "x",
    updated_at: "2026-01-05T00:00:00.000Z",
    error,
    commits: [],
  };
  runs.project.write(`${runs.project.tree(ID)}/x`, "");
  runs.project.write(`.planner/worktrees/${ID}.status.json`, JSON.stringify(status));
  const worktrees = { ...runs.deps.ports.worktrees, listCommits: async () => commits };
  const worktree = {
    mainBranch: "main",
    begunAnew: null,
    listUncommittedFiles: async () => uncommitted,
  } as unknown as Worktree;
  const { context } = runs.deps;
  const text = await describeEarlierRun({ context, ports: { ...runs.deps.ports, worktrees } }, ID, worktree);
  return text.split("\n").slice(3, -1);
}

test("earlierRunText says how the run ended and what it left", async () => {
  const files = Array.from({ length: 22 }, (_, index) => `f${index}`);

  expect(
    await told({ error: "tests failed", commits: ["a", "b"], uncommitted: [...files, `.planner/specs/${ID}.md`] }),
  ).toEqual([
    "It ended so: tests failed",
    "Its 2 commits are on this branch: git log main..HEAD",
    `It left changes that are not committed: ${files.slice(0, 20).join(", ")} and 2 more`,
  ]);
});

test("earlierRunText leaves out what there is not", async () => {
  expect(await told({ error: null, commits: [], uncommitted: [`.planner/specs/${ID}.md`] })).toEqual([
    "It committed nothing.",
  ]);
  expect(await told({ error: null, commits: ["a"], uncommitted: ["one"] })).toEqual([
    "Its commit is on this branch: git log main..HEAD",
    "It left changes that are not committed: one",
  ]);
});

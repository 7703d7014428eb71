import { expect, test } from "bun:test";
import { describeMissingWork } from "#planner/runs/run/run_commands.ts";

const LACKS = "the worktree lacks what is not committed in the project: ";
const GOES_ON = "the work goes on from where it ended: it lacks ";

/** Uncommitted paths of the checkout, commits that the work lacks, and what is said before the agent starts. */
const ROWS: readonly [readonly string[], number, readonly string[]][] = [
  [[], 0, []],
  [[".planner/config.md"], 0, []],
  [[".planner/specs/2026-11-01-001-one.md", ".planner/prompts/"], 0, []],
  [["shop/.planner/specs/2026-11-01-001-one.md"], 0, []],
  [["a.txt"], 0, [`${LACKS}a.txt`]],
  [["src/"], 0, [`${LACKS}src/`]],
  [["new file.txt"], 0, [`${LACKS}new file.txt`]],
  [["planner/a.txt"], 0, [`${LACKS}planner/a.txt`]],
  [["docs/.planner.md"], 0, [`${LACKS}docs/.planner.md`]],
  [["a", "b", ".planner/x", "c", "d", "e"], 0, [`${LACKS}a, b, c, d, e`]],
  [["a", "b", "c", "d", "e", "f", "g"], 0, [expect.stringContaining(`${LACKS}a, b, c, d, e`)]],
  [[], 1, [`${GOES_ON}1 newer commit of "main" until it is merged`]],
  [[], 12, [`${GOES_ON}12 newer commits of "main" until it is merged`]],
  [["a"], 2, [`${LACKS}a`, `${GOES_ON}2 newer commits of "main" until it is merged`]],
];

for (const [uncommitted, newerCommits, said] of ROWS) {
  test(`before an agent starts with ${JSON.stringify(uncommitted)} and ${newerCommits} newer commits`, () => {
    expect(describeMissingWork({ uncommitted, newerCommits }, { mainBranch: "main" })).toEqual(said);
  });
}

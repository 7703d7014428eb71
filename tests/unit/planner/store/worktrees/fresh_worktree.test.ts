import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isFreshWorktree } from "../../../../../src/planner/store/worktrees/worktree_place.ts";

const pathOf = (pid: number): string => join("/tmp", `planner-verify-${pid}-a1B2c3`, `planner-verify-${pid}-a1B2c3`);

test("isFreshWorktree is true for the worktree in which a running process checks, and for no other path", () => {
  const { pid: ended } = spawnSync("true");

  expect(isFreshWorktree(pathOf(process.pid))).toBe(true);
  expect(isFreshWorktree(pathOf(ended))).toBe(false);
  expect(isFreshWorktree(join("/tmp", `planner-verify-${process.pid}-a1B2c3`))).toBe(false);
  expect(isFreshWorktree(join("/tmp", "elsewhere", "worktree"))).toBe(false);
});

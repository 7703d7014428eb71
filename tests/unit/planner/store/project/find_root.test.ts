import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRoot, isInitialisedProject } from "#planner/store/project/find_root.ts";
import { tempProject } from "../../../../support/temp_project.ts";

test("findRoot takes a worktree's own .planner before the one around it", () => {
  using project = tempProject();
  const worktree = join(project.root, ".planner", "worktrees", "x");
  mkdirSync(join(worktree, ".planner", "specs"), { recursive: true });
  mkdirSync(join(worktree, "src"));

  expect(findRoot(join(worktree, "src"))).toBe(worktree);
});

test("findRoot passes over a file named .planner", () => {
  using project = tempProject();
  const inner = join(project.root, "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, ".planner"), "");

  expect(findRoot(inner)).toBe(project.root);
});

test("findRoot finds nothing outside of every project", () => {
  expect(findRoot("/")).toBeUndefined();
  expect(findRoot("/no/such/folder")).toBeUndefined();
});

test("isInitialisedProject demands the specs folder", () => {
  using project = tempProject();

  expect(isInitialisedProject(project.root)).toBe(true);
  expect(isInitialisedProject(join(project.root, ".planner"))).toBe(false);
});

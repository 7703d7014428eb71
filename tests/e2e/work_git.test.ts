import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workProject } from "../support/work_project.ts";

/** Ours: what a run needs, two of them for its record, with none to spare. Asking git twice for the same is a defect. */
const MOST_GITS = 22;

/** A program `git` that notes how it was called and hands on to the real one. */
function countingGit(folder: string): Readonly<Record<string, string>> {
  const real = Bun.which("git") ?? "git";
  const calls = join(folder, "calls");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "git"), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${calls}'\nexec '${real}' "$@"\n`);
  chmodSync(join(folder, "git"), 0o755);
  writeFileSync(calls, "");
  return { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
}

test("one spec from its claim to its end takes at most 22 gits", async () => {
  const id = "2026-11-01-001-aaa";
  // The agent calls no git, so that all that are counted are planner's own.
  using project = await workProject({ plan: { "*": ["tick", "write"] } });
  await project.add(id);
  const folder = join(project.root, ".planner", "logs", "counting");

  const { stdout } = await project.planner(["work", id], { env: countingGit(folder) });

  expect(stdout).toStartWith(`${id}: needs_attention: changes are not committed`);
  const calls = readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n");
  expect(calls.length > MOST_GITS ? calls : []).toEqual([]);
});

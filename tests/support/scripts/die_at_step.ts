/**
 * For `bun --preload`: kills this process with SIGKILL right before its `DIE_AT_STEP`th change to the disk (from 1), a
 * file's or one of git's. What Bun has written by then stays, and nothing is tidied up.
 */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const last = Number(process.env["DIE_AT_STEP"]);
let steps = 0;

function step(): void {
  steps++;
  if (steps === last) process.kill(process.pid, "SIGKILL");
}

// biome-ignore lint/suspicious/noExplicitAny: functions of every shape are put in each other's places
type Functions = Record<string, any>;

function countCalls(module: Functions, name: string, counts: (...args: readonly unknown[]) => boolean): void {
  const original = module[name];
  module[name] = (...args: readonly unknown[]) => {
    if (counts(...args)) step();
    return original(...args);
  };
}

const CHANGING_GIT = /^(?:worktree|update-index|checkout|merge|commit|rebase|update-ref|symbolic-ref|reset|add)$/;

for (const name of ["rename", "link", "unlink", "rm"]) {
  countCalls(require("node:fs/promises"), name, () => true);
  countCalls(require("node:fs"), `${name}Sync`, () => true);
}
countCalls(require("node:child_process"), "spawn", (program, args) => {
  return program === "git" && (args as readonly string[]).some((word) => CHANGING_GIT.test(word));
});

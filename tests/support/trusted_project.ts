import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// A person's own accepted commands stay out of the tests, and those of the tests out of the person's.
if (process.env["PLANNER_TEST_STATE"] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), "planner-test-state-"));
  process.env["PLANNER_TEST_STATE"] = folder;
  process.env["XDG_STATE_HOME"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** Accepts every command of a project, as `planner trust` does for a person. */
export function trustProject(root: string): void {
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const { status, stdout } = spawnSync("git", asked, { cwd: root, encoding: "utf8" });
  const of = realpathSync(status === 0 ? stdout.trim() : root);
  const folder = join(process.env["XDG_STATE_HOME"] ?? "", "planner", "accepted");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${createHash("sha256").update(of).digest("hex")}.json`);
  writeFileSync(file, JSON.stringify({ of, trusted: true, prefixes: [], lines: [] }), { mode: 0o600 });
}

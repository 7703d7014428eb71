/** Loaded before each test file (`bunfig.toml`): its temporary files lie in one folder, which goes when it has ended. */
import { afterAll } from "bun:test";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "file-"));
// PostgreSQL, which refuses to run as root, has its data below.
chmodSync(folder, 0o755);
process.env["TMPDIR"] = folder;
// Worktrees of tests are not created among those of the person.
if (process.env["PLANNER_TEST_STATE"] === undefined) process.env["XDG_STATE_HOME"] = join(folder, "state");

afterAll(() => {
  // What a process that is still ending writes meanwhile goes with the folder of the whole run.
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    process.stderr.write(`Cannot remove the temporary files of a test file: ${error}\n`);
  }
});

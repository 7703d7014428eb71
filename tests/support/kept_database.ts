import { copyFileSync, existsSync, mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What `tests/run.ts` keeps for all test files of a run; a file that runs alone has a folder of its own. */
let folder = process.env["PLANNER_TEST_CACHE"];

/** Puts a database that takes seconds to fill at a path: the test files of one run fill it once, and copy it. */
export async function keptDatabase(key: string, path: string, fill: (path: string) => Promise<unknown>): Promise<void> {
  folder ??= mkdtempSync(join(tmpdir(), "planner-kept-"));
  const kept = join(folder, `${key}.sqlite`);
  if (!existsSync(kept)) {
    const first = join(mkdtempSync(join(tmpdir(), "planner-kept-")), "filled.sqlite");
    await fill(first);
    // Complete before others see it.
    renameSync(first, kept);
  }
  copyFileSync(kept, path);
}

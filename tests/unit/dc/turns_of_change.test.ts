import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Turns of change: PLANNER_MEMORY_TURNS, else a few. */
const TURNS = Number(process.env["PLANNER_MEMORY_TURNS"] ?? 40);
/** Turns after which everything that is kept is there. */
const FIRST = Math.min(100, Math.floor(TURNS / 2.5));
/** How much more may be kept after all turns. */
const MOST = 1.3;

const SCRIPT = join(import.meta.dirname, "../../support/dc/turns_of_change.ts");

test(`what the service keeps does not grow with changes, ${TURNS} turns of change, rehearsal, preview and stream`, () => {
  const { stdout, stderr } = spawnSync(process.execPath, [SCRIPT, `${FIRST}`, `${TURNS}`], { encoding: "utf8" });
  expect(stderr).toBe("");
  const { before, after } = JSON.parse(stdout);

  expect(after.objects / before.objects).toBeLessThan(MOST);
  expect(after.bytes / before.bytes).toBeLessThan(MOST);
});

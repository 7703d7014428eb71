/**
 * Works specs in one clone until it is killed: `bun claim_worker.ts <clone> <merges> <specs> <renew minutes>`. Each merge
 * is a line of the file `merges`: the spec and the clone. What is finished and not merged goes on after a kill.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openRuns } from "#planner/store/processes/open_runs.ts";

const [root = "", merges = "", specs = "1", minutes = "4"] = process.argv.slice(2);
const claims = { remote: "origin", renew_minutes: Number(minutes) };
const runs = openRuns(root, { now: () => new Date() }, async () => ({ ...DEFAULT_CONFIG, claims }));
const notes = join(root, ".git", "worked");
mkdirSync(notes, { recursive: true });
const note = (id: string, what: string): string => join(notes, `${id}.${what}`);
const wishes = { steal: false, offline: false };
const random = (most: number): number => Math.floor(Math.random() * most);

/** All clones want the same specs at the same time: the first that none of them is known to have merged. */
const WINDOW = 5;

for (;;) {
  const open = Array.from({ length: Number(specs) }, (_, index) => `spec-${index}` as SpecId)
    .filter((id) => !existsSync(note(id, "merged")))
    .slice(0, WINDOW);
  const id = open[random(open.length)];
  if (id === undefined) await sleep(50);
  else await once(id).catch(ignoreRefusal);
}

async function once(id: SpecId): Promise<void> {
  const answer = await runs.claims.claim(id, `${id}-${process.pid}`);
  if ("heldBy" in answer) return;
  const { claim } = answer;
  try {
    if (!existsSync(note(id, "finished"))) {
      const shared = await claim.share(wishes);
      if (shared.kind === "lost" && shared.reason.startsWith("finished"))
        writeFileSync(note(id, "merged"), "by others");
      if (shared.kind !== "own") return;
      await sleep(random(400));
      if (claim.lost.aborted) return;
      writeFileSync(note(id, "finished"), "");
    }
    const final = await claim.finish(wishes);
    if (final.kind === "lost") writeFileSync(note(id, "merged"), "by others");
    if (final.kind !== "own") return;
    // A stopped process merges whenever it goes on.
    await sleep(random(100));
    appendFileSync(merges, `${id} ${basename(root)}\n`);
    writeFileSync(note(id, "merged"), "");
  } finally {
    await claim.release();
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof OperationError)) throw error;
}

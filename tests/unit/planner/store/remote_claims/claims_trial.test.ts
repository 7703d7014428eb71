import { afterAll, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claimRepository, dropTemplates } from "../../../../support/claim_clones.ts";
import type { GitHttp } from "../../../../support/git_http.ts";

afterAll(dropTemplates);

const SCRIPT = join(import.meta.dirname, "../../../../support/scripts/claim_worker.ts");

/** `PLANNER_CLAIM_TRIAL_SECONDS=240` is the long trial, with 6 clones and 1,000 specs. */
const SECONDS = Number(process.env["PLANNER_CLAIM_TRIAL_SECONDS"] ?? 3);
const LONG = SECONDS > 10;
const CLONES = LONG ? 6 : 3;
const SPECS = LONG ? 1000 : 12;

/** Claims are stale 2.25 seconds after a look. */
const RENEW_MINUTES = 0.01;
const STALE_MS = RENEW_MINUTES * 60_000 * 3.75;

/** How many clones have merged each spec. */
function mergedBy(file: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []) {
    const [id = "", clone = ""] = line.split(" ");
    found.set(id, (found.get(id) ?? new Set()).add(clone));
  }
  return found;
}

/** Stops a worker until its claims are stale. */
function stop(worker: ChildProcess | undefined): void {
  worker?.kill("SIGSTOP");
  setTimeout(() => worker?.kill("SIGCONT"), STALE_MS * (1 + Math.random()));
}

async function disturb(http: GitHttp): Promise<void> {
  http.mood = Math.random() < 0.6 ? "cuts answers" : "asks";
  await sleep(300);
  http.mood = "answers";
}

test("no spec is merged by two clones, whatever is killed, stopped, away or cut off", async () => {
  await using repository = await claimRepository("http");
  const { http } = repository;
  if (http === null) throw new Error("no server");
  const changed = join(repository.bare, "changed");
  repository.hook(
    "update",
    `git cat-file commit $2 2>/dev/null | grep -q '^state: done' && echo $1 >> '${changed}'; exit 0`,
  );
  const merges = join(repository.bare, "merges");
  const roots: string[] = [];
  for (let index = 0; index < CLONES; index++) roots.push((await repository.clone(`clone${index}`)).root);
  const start = (root: string): ChildProcess =>
    spawn(process.execPath, [SCRIPT, root, merges, String(SPECS), String(RENEW_MINUTES)], { stdio: "inherit" });
  const workers = roots.map(start);
  const deeds = { kills: 0, stops: 0, outages: 0 };
  const until = performance.now() + SECONDS * 1000;
  while (performance.now() < until || mergedBy(merges).size === 0) {
    await sleep(300 + Math.random() * (LONG ? 1200 : 300));
    const at = Math.floor(Math.random() * CLONES);
    const kind = Math.random();
    if (kind < 0.3) {
      deeds.kills++;
      workers[at]?.kill("SIGKILL");
      workers[at] = start(roots[at] ?? "");
    } else if (kind < 0.75) {
      deeds.stops++;
      stop(workers[at]);
    } else {
      deeds.outages++;
      await disturb(http);
    }
  }
  for (const worker of workers) worker.kill("SIGKILL");
  const merged = mergedBy(merges);
  if (LONG) process.stdout.write(`${JSON.stringify({ merged: merged.size, ...deeds })}\n`);

  // Nothing but the main branch ends what is final.
  expect(existsSync(changed)).toBe(false);
  expect([...merged].filter(([, clones]) => clones.size > 1)).toEqual([]);
}, 600_000);

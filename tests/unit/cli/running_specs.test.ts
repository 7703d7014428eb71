import { expect, test } from "bun:test";
import { measureTextWidth } from "#cli/output/wrap_text.ts";
import { RunningSpecs } from "#cli/work/run_work.ts";
import type { RunEvent } from "#planner/runs/run_types.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";

const A = "2026-11-01-001-aaa" as SpecId;
const B = "2026-11-01-002-bbb" as SpecId;

function started(spec_id: SpecId, title: string | null): RunEvent {
  const run = { process_id: `${spec_id}-1`, pid: 1, mode: "single", started_at: "", branch: null, worktree: null };
  return { event: "started", spec_id, agent: "claude", title, ...run };
}

function running(): RunningSpecs {
  const specs = new RunningSpecs();
  specs.applyEvent({ event: "progress", done: 3, total: 11 }, 0);
  specs.applyEvent(started(A, "Refuse addresses that are no web pages, and 日本語 too"), 0);
  specs.applyEvent(started(B, null), 60_000);
  const usage = { input_tokens: 45_000, cached_input_tokens: 0, output_tokens: 1500, cost_usd: 0.0805 };
  specs.applyEvent({ event: "usage", spec_id: A, ...usage }, 61_000);
  specs.applyEvent({ event: "output", spec_id: A, text: `\u001b[31m[Bash]\tgit add -A ${"x".repeat(200)}` }, 62_000);
  return specs;
}

test("RunningSpecs shows title, 3 of 11, time, tokens and cost, and the last line, within the width", () => {
  const lines = running().formatLines(83_000, 79);

  expect(lines).toEqual([
    "3 of 11 done, 2 running",
    "Refuse addresses that are…  1:23   47k $0.08  [Bash] git add -A xxxxxxxxxxxxxx…",
    "2026-11-01-002-bbb          0:23              claude begins",
  ]);
  for (const width of [79, 40, 20, 8]) {
    for (const line of running().formatLines(83_000, width)) expect(measureTextWidth(line)).toBeLessThanOrEqual(width);
  }
});

test("RunningSpecs keeps the last line over blank ones, and forgets a spec that ended", () => {
  const specs = running();
  specs.applyEvent({ event: "output", spec_id: A, text: "  " }, 63_000);
  expect(specs.formatSentences(83_000)[0]).toStartWith(`${A}: 1:23, 47k $0.08 (3 of 11 done): [Bash] git add -A`);

  const end = { process_id: "", reasons: [], warnings: [], commits: [], usage: null, denied: [], halt: null };
  for (const spec_id of [A, B]) specs.applyEvent({ event: "ended", spec_id, status: "completed", ...end }, 84_000);
  expect([specs.formatLines(84_000, 79), specs.formatSentences(84_000)]).toEqual([[], []]);
});

import { expect, test } from "bun:test";
import { findCycles, findNextInCycle, formatCycle } from "#planner/lint/cycles.ts";

test("cyclesOf survives a chain that is longer than the call stack", () => {
  const edges = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`s${n}`, [`s${n + 1}`]]));

  const found = findCycles(new Map(Object.entries({ ...edges, s50000: ["s0"] })));

  expect(found.size).toBe(50_001);
  const cycle = found.get("s0")?.[0];
  expect(cycle?.ids).toHaveLength(50_001);
  expect(cycle && findNextInCycle(cycle)).toBe("s1");
});

test("cyclePath shortens a cycle that nobody would read", () => {
  const ids = Array.from({ length: 60 }, (_, n) => `s${n}`);

  expect(formatCycle({ ids, at: 58 })).toBe(["s58", "s59", ...ids.slice(0, 48), "(10 more)", "s58"].join(" -> "));
});

import { expect, test } from "bun:test";
import { findCycles, findNextInCycle, formatCycle } from "#planner/lint/cycles.ts";

function cycles(edges: Readonly<Record<string, readonly string[]>>): Record<string, readonly string[]> {
  const found = findCycles(new Map(Object.entries(edges)));
  return Object.fromEntries([...found].map(([id, each]) => [id, each.map(formatCycle)]).sort());
}

test("cyclesOf finds nothing where nothing waits for itself", () => {
  expect(cycles({ a: ["b", "c"], b: ["c"], c: [] })).toEqual({});
});

//  a ──> b ──> a     c ──> b
test("cyclesOf leaves out a spec that only leads to a cycle", () => {
  expect(cycles({ a: ["b"], b: ["a"], c: ["b"] })).toEqual({ a: ["a -> b -> a"], b: ["b -> a -> b"] });
});

//  a ──> b ──> a     b ──> c ──> b
test("cyclesOf shows a spec on two cycles both, and the others their own", () => {
  expect(cycles({ a: ["b"], b: ["a", "c"], c: ["b"] })).toEqual({
    a: ["a -> b -> a"],
    b: ["b -> a -> b", "b -> c -> b"],
    c: ["c -> b -> c"],
  });
});

test("cyclesOf takes no notice of unknown ids and of a spec's own", () => {
  expect(cycles({ a: ["a", "nobody"], b: ["b"] })).toEqual({});
});

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

import { expect, test } from "bun:test";
import fc from "fast-check";
import { findCycles } from "#planner/lint/cycles.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const graph = fc
  .dictionary(id, fc.array(fc.oneof(id, fc.constant("nobody")), { maxLength: 4 }))
  .map((edges) => new Map(Object.entries(edges)));

type Graph = ReadonlyMap<string, readonly string[]>;

/** Every id that can be reached over at least one edge, a spec's own listing of itself left out. */
function reachable(from: string, edges: Graph): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (at: string): void => {
    for (const next of edges.get(at) ?? []) {
      if (next === at || !edges.has(next) || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(from);
  return found;
}

const law = (name: string, holds: (edges: Graph) => void): void =>
  test(name, () => fc.assert(fc.property(graph, holds), { numRuns: LAW_RUNS * 5 }));

law("cyclesOf names exactly the specs that wait for themselves through others", (edges) => {
  const waiting = [...edges.keys()].filter((each) => reachable(each, edges).has(each)).sort();

  expect([...findCycles(edges).keys()].sort()).toEqual(waiting);
});

law("cyclesOf names only real cycles, in which no spec comes twice", (edges) => {
  for (const [seenFrom, cycles] of findCycles(edges)) {
    for (const { ids, at } of cycles) {
      expect(ids[at]).toBe(seenFrom);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [index, each] of ids.entries())
        expect(edges.get(each)).toContain(ids[(index + 1) % ids.length] as string);
    }
  }
});

law("cyclesOf names every dependency that lies on a cycle", (edges) => {
  const named = new Set<string>();
  for (const cycles of findCycles(edges).values()) {
    for (const { ids } of cycles)
      for (const [index, each] of ids.entries()) named.add(`${each} ${ids[(index + 1) % ids.length]}`);
  }

  for (const [from, targets] of edges) {
    for (const to of targets) {
      const onCycle = to !== from && edges.has(to) && reachable(to, edges).has(from);
      expect(named.has(`${from} ${to}`)).toBe(onCycle);
    }
  }
});

law("cyclesOf shows a cycle to each of its specs, and to each once", (edges) => {
  const found = findCycles(edges);
  for (const cycles of found.values()) {
    for (const { ids } of cycles) {
      for (const each of ids) expect(found.get(each)?.filter((own) => own.ids === ids)).toHaveLength(1);
    }
  }
});

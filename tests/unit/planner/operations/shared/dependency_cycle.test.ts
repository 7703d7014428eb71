import { expect, test } from "bun:test";
import { findDependencyCycle } from "../../../../../src/planner/operations/spec_update.ts";
import type { Spec } from "../../../../../src/planner/spec/spec.ts";

const specs = (graph: Record<string, string[]>): Spec[] =>
  Object.entries(graph).map(([id, dependsOn]) => ({ id, dependsOn }) as unknown as Spec);

//  a ─> b ─> c ─> a, and the short way a ─> c
test("dependencyCycle finds a shortest way back", () => {
  const graph = specs({ a: [], b: ["c"], c: ["a"] });

  expect(findDependencyCycle("a", ["b"], graph)).toEqual(["a", "b", "c", "a"]);
  expect(findDependencyCycle("a", ["b", "c"], graph)).toEqual(["a", "c", "a"]);
});

test("dependencyCycle finds a spec that names itself", () => {
  expect(findDependencyCycle("a", ["b", "a"], specs({ a: [], b: [] }))).toEqual(["a", "a"]);
});

test("dependencyCycle leaves cycles alone that do not lead through the spec", () => {
  expect(findDependencyCycle("a", ["b"], specs({ a: [], b: ["c"], c: ["b"] }))).toBeUndefined();
});

test("dependencyCycle forgets what the spec depended on before", () => {
  expect(findDependencyCycle("a", ["c"], specs({ a: ["b"], b: ["a"], c: [] }))).toBeUndefined();
});

test("dependencyCycle follows unknown ids nowhere", () => {
  expect(findDependencyCycle("a", ["nowhere"], specs({ a: [] }))).toBeUndefined();
});

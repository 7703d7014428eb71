import { expect, test } from "bun:test";
import { computeReadiness } from "#planner/spec/readiness.ts";
import type { Spec } from "#planner/spec/spec.ts";
import { builtSpec } from "../../../support/built_spec.ts";

type World = readonly (readonly [id: string, frontmatter: string])[];

/** The ids that are ready in a world of `[id, frontmatter]`. */
function ready(world: World, archived: readonly string[] = []): readonly string[] {
  const specs = world.map(([id, frontmatter]) => builtSpec(id, frontmatter));
  const readiness = computeReadiness(specs, new Set(archived));
  return specs.filter((spec) => readiness.isReady(spec)).map(({ id }) => id);
}

const DRIVER = "2026-03-04-001-drv";

test("isReady takes no spec with a slip of a field that could forbid work, and no copy of another file", () => {
  const world = [
    ["case", "Labels: [x]"],
    ["slip", "depends-on: []"],
    ["word", "staus: cancelled"],
    ["held", "aproval: {required: true}"],
    ["map", "depends_on: {a: b}"],
    ["list", "status: [completed]"],
    ["other", "id: free"],
    ["free.sync-conflict-20261121-101112-ABCDEFG", "status: pending"],
    ["free", "id: free\nlabel: x\nstate: done"],
    ["alone", "id: nobody"],
    ["word of a list", "status: ready"],
  ] as const;

  expect(ready(world)).toEqual(["free", "alone", "word of a list"]);
});

//  a (completed) ◄── b
//  c (pending)   ◄── d
//  archive: x    ◄── e        unknown ◄── f
test("isReady wants every dependency completed, cancelled or archived", () => {
  const world = [
    ["a", "status: completed"],
    ["b", "depends_on: [a]"],
    ["c", "status: cancelled"],
    ["d", "depends_on: [c, a]"],
    ["e", "depends_on: [x]"],
    ["f", "depends_on: [unknown]"],
    ["g", "status: failed\ndepends_on: [b]"],
  ] as const;

  expect(ready(world, ["x"])).toEqual(["b", "d", "e"]);
});

test("isReady goes by the active spec where the archive holds the same id", () => {
  const world = [
    ["a", "status: in_progress"],
    ["b", "depends_on: [a]"],
  ] as const;

  expect(ready(world, ["a"])).toEqual([]);
});

/** Each row: what is shown, a world as `id: frontmatter`, and which of its ids are ready. */
test.each<[name: string, world: Readonly<Record<string, string>>, ready: readonly string[]]>([
  //  a ──► b ──► c ──► a      d ──► d
  [
    "is never true for specs in a cycle",
    { a: "depends_on: [b]", b: "depends_on: [c]", c: "depends_on: [a]", d: "depends_on: [d]" },
    [],
  ],
  [
    "wants the approval that is required",
    {
      a: "approval: {required: true}",
      b: "approval: {required: true, status: rejected}",
      c: "approval: {required: true, status: approved}",
      d: "approval: {required: false}",
    },
    ["c", "d"],
  ],
  [
    "lets members begin one after the other, as numbers",
    { [DRIVER]: "type: driver", [`${DRIVER}.1`]: "status: completed", [`${DRIVER}.2`]: "", [`${DRIVER}.10`]: "" },
    [`${DRIVER}.2`],
  ],
  [
    "lets members of a member begin one after the other",
    { [`${DRIVER}.2.1`]: "", [`${DRIVER}.2.2`]: "", [`${DRIVER}.2.10`]: "" },
    [`${DRIVER}.2.1`],
  ],
  [
    "lets a member begin that names its own dependencies, be they none",
    { [`${DRIVER}.1`]: "", [`${DRIVER}.2`]: "", [`${DRIVER}.3`]: "depends_on: []" },
    [`${DRIVER}.1`, `${DRIVER}.3`],
  ],
  [
    "holds members up while the spec above them waits for approval",
    { [DRIVER]: "type: driver\napproval: {required: true, status: pending}", [`${DRIVER}.1`]: "depends_on: []" },
    [],
  ],
  [
    "takes a driver when its members are done, listed or named after it, and a group never",
    {
      [DRIVER]: "type: driver",
      [`${DRIVER}.1`]: "status: completed",
      lists: "type: driver\nmembers: [open, shut]",
      open: "status: in_progress",
      shut: "status: completed",
      group: "type: group\nmembers: [shut]",
    },
    [DRIVER],
  ],
])("isReady %s", (_, world, expected) => {
  expect(ready(Object.entries(world))).toEqual(expected);
});

test("isReady holds members up with the spec above them, however deep they are", () => {
  const world = [
    [DRIVER, `type: driver\ndepends_on: [other, ${DRIVER}.1]`],
    [`${DRIVER}.1`, ""],
    [`${DRIVER}.1.1`, ""],
    ["other", ""],
  ] as const;

  expect(ready(world)).toEqual(["other"]);
  expect(ready(world.slice(0, 3), ["other"])).toEqual([`${DRIVER}.1.1`]);
});

test("unmet names the dependencies that are not done, unknown ones too", () => {
  const specs = [builtSpec("a", "status: completed"), builtSpec("b", ""), builtSpec("c", "depends_on: [a, b, x, y]")];
  const readiness = computeReadiness(specs, new Set(["y"]));

  expect(readiness.listUnmet(specs[2] as Spec)).toEqual(["b", "x"]);
});

test("effectiveStatus and matches say blocked for a pending spec with an unmet dependency", () => {
  const specs = [
    builtSpec("pending", "depends_on: [x]"),
    builtSpec("failed", "status: failed\ndepends_on: [x]"),
    builtSpec("stored", "status: blocked"),
    builtSpec("free", ""),
  ];
  const readiness = computeReadiness(specs, new Set());
  const matching = (filter: "pending" | "blocked" | "ready"): readonly string[] =>
    specs.filter((spec) => readiness.matchesFilter(spec, filter)).map(({ id }) => id);

  expect(specs.map((spec) => readiness.getEffectiveStatus(spec))).toEqual(["blocked", "failed", "blocked", "pending"]);
  expect(matching("blocked")).toEqual(["pending", "stored"]);
  expect(matching("pending")).toEqual(["free"]);
  expect(matching("ready")).toEqual(["free"]);
});

test("readinessOf answers for a chain of thousands without a limit to its length", () => {
  const specs = Array.from({ length: 20_000 }, (_, index) =>
    builtSpec(`s${index}`, index === 0 ? "" : `depends_on: [s${index - 1}]`),
  );
  const readiness = computeReadiness(specs, new Set());

  expect(specs.filter((spec) => readiness.isReady(spec)).map(({ id }) => String(id))).toEqual(["s0"]);
});

test("unmet takes an archived spec for done, whatever its status", () => {
  const archived = { ...builtSpec("a", "status: failed"), archived: true };
  const waiting = builtSpec("b", "depends_on: [a]");

  expect(computeReadiness([archived, waiting], new Set()).listUnmet(waiting)).toEqual([]);
});

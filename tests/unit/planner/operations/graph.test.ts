import { expect, test } from "bun:test";
import {
  buildSpecGraph,
  formatDotGraph,
  formatMermaidGraph,
  type GraphOptions,
} from "#planner/operations/graph/spec_graph.ts";
import { drawSvgGraph } from "#planner/operations/graph/svg.ts";
import { findDependencyCycle } from "#planner/operations/spec_update.ts";
import { computeReadiness } from "#planner/spec/readiness.ts";
import type { Spec as DependencyCycleSpec, Spec } from "#planner/spec/spec.ts";
import { builtSpec } from "../../../support/built_spec.ts";
import { HAS_GRAPHVIZ, layOut } from "../../../support/graphviz.ts";

const spec = (id: string, waits = "", fields = "status: pending"): Spec =>
  builtSpec(id, `${fields}${waits === "" ? "" : `\ndepends_on: [${waits}]`}`, `# The ${id}\n`);

function graphOf(specs: readonly Spec[], wishes: Partial<GraphOptions> = {}, archived: readonly string[] = []) {
  const archivedIds = new Set(archived);
  return buildSpecGraph(
    { specs, archivedIds, readiness: computeReadiness(specs, archivedIds) },
    { all: false, ...wishes },
  );
}

const layers = (graph: ReturnType<typeof graphOf>) =>
  Object.fromEntries(graph.boxes.map(({ id, layer, status }) => [id, `${layer} ${status}`]));

test("specGraph puts a spec one layer behind the last that it waits for, and marks the longest chain", () => {
  const graph = graphOf([
    spec("a", "", "status: in_progress"),
    spec("b", "a"),
    spec("c", "a, b"),
    spec("d", "a"),
    spec("e", "", "status: needs_attention"),
    spec("f"),
    spec("g", "h"),
    spec("h", "", "status: completed"),
  ]);

  expect(layers(graph)).toEqual({
    ...{ a: "0 in_progress", b: "1 blocked", c: "2 blocked", d: "1 blocked" },
    ...{ e: "0 needs_attention", f: "0 ready", g: "0 ready" },
  });
  expect(graph.critical_path).toEqual(["a", "b", "c"]);
  expect(graph.boxes.filter(({ critical }) => critical).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(graph.edges.filter(({ critical }) => critical)).toMatchObject([
    { from: "a", to: "b" },
    { from: "b", to: "c" },
  ]);
  expect([graph.layers, graph.cycles, graph.unknown]).toEqual([3, [], []]);
});

test("specGraph shows cycles and ids without a spec, none of which lengthen the critical path", () => {
  const graph = graphOf([spec("a", "b"), spec("b", "a"), spec("c", "nowhere, c"), spec("d", "c")]);

  expect(graph.cycles).toEqual([["c"], ["a", "b"]]);
  expect(graph.unknown).toEqual(["nowhere"]);
  expect(graph.boxes.filter(({ in_cycle }) => in_cycle).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(graph.edges.filter(({ backward }) => backward).map(({ from, to }) => `${from} ${to}`)).toEqual(["b a", "c c"]);
  expect(layers(graph)).toMatchObject({ nowhere: "0 unknown", c: "1 blocked", d: "2 blocked" });
  expect(graph.critical_path).toEqual(["a", "b"]);
});

test("specGraph lets a spec wait for its members, and a member for the one before it unless it names its own", () => {
  const own = builtSpec("2026-01-01-001-aaa.3", "status: pending\ndepends_on: []");
  const members = ["2026-01-01-001-aaa.1", "2026-01-01-001-aaa.2", "2026-01-01-001-aaa.10"].map((id) => spec(id));
  const graph = graphOf([
    spec("2026-01-01-001-aaa", "", "status: pending\ntype: group\nmembers: [b]"),
    spec("b"),
    own,
    ...members,
  ]);

  const edges = graph.edges.map(
    ({ from, to, kind }) => `${from.split("aaa")[1] ?? from} > ${to.split("aaa")[1]} ${kind}`,
  );
  expect(edges.sort()).toEqual([
    ".1 >  member",
    ".1 > .2 order",
    ".10 >  member",
    ".2 >  member",
    ".3 >  member",
    ".3 > .10 order",
    "b >  member",
  ]);
});

test("specGraph leaves out what is done or filtered, and says what a spec waits for beside it", () => {
  const specs = [spec("a", "", "status: completed"), spec("b", "a, old"), spec("c", "b"), spec("d", "c, a")];

  expect(layers(graphOf(specs, {}, ["old"]))).toEqual({ b: "0 ready", c: "1 blocked", d: "2 blocked" });
  const all = graphOf(specs, { all: true }, ["old"]);
  expect(layers(all)).toMatchObject({ a: "0 completed", old: "0 archived", b: "1 ready", d: "3 blocked" });
  expect(all.critical_path).toEqual(["b", "c", "d"]);
  const some = graphOf(specs, { isShown: ({ id }) => id !== "c" }, ["old"]);
  expect(some.boxes.map(({ id, left_out }) => [id, left_out])).toEqual([
    ["b", []],
    ["d", ["c"]],
  ]);
});

const HOSTILE = `"]; x[label="y" <script>alert(1)</script> & %%{init: {}}%% #quot; \`a\` \\N \u001b[2J ]]>`;

/** Two specs with the worst of titles, one after the other. */
const hostile = () => {
  const made = (id: string, waits: string) => ({ ...spec(id, waits), title: HOSTILE });
  return graphOf([made("2026-01-01-001-aaa", ""), made("--help", "2026-01-01-001-aaa")]);
};

test("formatMermaidGraph writes every sign that means something as a code", () => {
  const lines = formatMermaidGraph(hostile()).split("\n");

  expect(lines.slice(0, 2)).toEqual(["flowchart LR", "  classDef critical stroke-width:4px"]);
  expect(lines).toHaveLength(6);
  for (const line of lines.slice(2, 4)) {
    expect(line).toMatch(/^ {2}n\d\["(?:[^"#<>&`{}%\\[\];\p{Cc}]|#\d+;|<br>)*"\]:::critical$/u);
  }
  expect(lines.slice(4)).toEqual(["  n1 ==> n0", ""]);
});

test("toSvg holds no text as markup", () => {
  const svg = drawSvgGraph(hostile());

  expect(svg).toContain("&lt;script&gt;alert(1)");
  const tags = svg.match(/<[^>]*>/g)?.map((tag) => /^<\/?(\w+)/.exec(tag)?.[1]);
  expect([...new Set(tags)].sort()).toEqual(["g", "path", "rect", "svg", "text", "title"]);
  expect(svg.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test.skipIf(!HAS_GRAPHVIZ)("toDot gives Graphviz one box for each spec, whatever it is called", () => {
  const { status, complaints, svg } = layOut(formatDotGraph(hostile()));

  expect([status, complaints]).toEqual([0, ""]);
  expect(svg.match(/class="node"/g)).toHaveLength(2);
  expect(svg.match(/class="edge"/g)).toHaveLength(1);
  expect(svg).toContain("&lt;script&gt;");
});

test("specs without dependencies stand in rows below the others, none on top of another", () => {
  const specs = [spec("a"), spec("b", "a"), ...Array.from({ length: 20 }, (_, at) => spec(`z${at}`))];

  const places = [...drawSvgGraph(graphOf(specs)).matchAll(/<rect x="(\d+)" y="([\d.]+)"/g)].map(
    ([, x, y]) => `${x} ${y}`,
  );

  expect(new Set(places).size).toBe(22);
  expect(new Set(places.map((place) => place.split(" ")[0])).size).toBe(4);
});

const specs = (graph: Record<string, string[]>): DependencyCycleSpec[] =>
  Object.entries(graph).map(([id, dependsOn]) => ({ id, dependsOn }) as unknown as DependencyCycleSpec);

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

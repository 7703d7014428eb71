import { getVisibleSign, quoteDotString } from "#kernel/escape.ts";
import { assignLayers, type LayoutEdge, listNeighbours, orderColumns } from "#kernel/layout/layers.ts";
import { findCycles } from "../../lint/cycles.ts";
import type { Readiness } from "../../spec/readiness.ts";
import type { Spec } from "../../spec/spec.ts";
import { parseMemberNumber, parseParentId } from "../../spec/spec_id.ts";

export interface GraphBox {
  readonly id: string;
  readonly title: string | null;
  /** Status that lists show; `ready` if work may start, `archived`, or `unknown` for an id without a spec. */
  readonly status: string;
  /** Column from 0: the first one after those of its dependencies. */
  readonly layer: number;
  /** Position in the column, from 0. */
  readonly order: number;
  /** True if the box is on the critical path. */
  readonly critical: boolean;
  readonly in_cycle: boolean;
  /** Ids of open specs that it depends on and that the graph leaves out. */
  readonly left_out: readonly string[];
}

/** A dependency: spec `to` waits for spec `from`. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `depends_on`; `member`: a spec depends on its members; `order`: a member depends on the one before it. */
  readonly kind: "depends_on" | "member" | "order";
  readonly critical: boolean;
  /** True if the edge closes a cycle; it then leads to a lower layer. */
  readonly backward: boolean;
}

export interface SpecGraph {
  readonly boxes: readonly GraphBox[];
  readonly edges: readonly GraphEdge[];
  readonly layers: number;
  /** Ids of the longest chain of open specs, each depending on the one before; empty without dependencies. */
  readonly critical_path: readonly string[];
  /** Ids of each cycle in the order of `depends_on`, without repeating the first. */
  readonly cycles: readonly (readonly string[])[];
  /** Ids in `depends_on` that no spec has. */
  readonly unknown: readonly string[];
}

export interface GraphWorld {
  readonly specs: readonly Spec[];
  readonly archivedIds: ReadonlySet<string>;
  readonly readiness: Readiness;
}

export interface GraphOptions {
  /** True to include specs that are completed, cancelled or archived. */
  readonly all: boolean;
  /** Selects the specs to show; all if absent. */
  readonly isShown?: (spec: Spec) => boolean;
}

/** Number of boxes above which only few rounds reduce crossings, because no person can follow so many edges. */
const MANY_BOXES = 1000;

const ENDED_STATUSES: ReadonlySet<string> = new Set(["completed", "cancelled", "archived"]);

/**
 * Lays out specs and their dependencies in columns. Deterministic; pure. Cost: O(specs + dependencies) and some
 * sorting: tenths of a second for 10,000 specs.
 */
export function buildSpecGraph(world: GraphWorld, { all, isShown = () => true }: GraphOptions): SpecGraph {
  const shown = world.specs.filter((spec) => (all || !ENDED_STATUSES.has(spec.status)) && isShown(spec));
  const facts = new Map<string, BoxFacts>(shown.map((spec) => [spec.id, describeBox(spec, world.readiness)]));
  const statuses = new Map<string, string>(world.specs.map(({ id, status }) => [id, status]));
  const findStatus = (id: string): string => statuses.get(id) ?? (world.archivedIds.has(id) ? "archived" : "unknown");
  const dependencies = listDependencies(world.specs);
  const waiting = shown.flatMap(({ id }) => dependencies.get(id) ?? []);
  for (const { from } of waiting) {
    const status = findStatus(from);
    if (status === "unknown" || (all && status === "archived")) facts.set(from, { title: null, status });
  }
  const left = new Map<string, string[]>();
  for (const { from, to } of waiting) {
    if (!facts.has(from) && !ENDED_STATUSES.has(findStatus(from))) left.set(to, [...(left.get(to) ?? []), from]);
  }
  return arrangeGraph(
    facts,
    waiting.filter(({ from }) => facts.has(from)),
    left,
  );
}

type Dependency = Pick<GraphEdge, "from" | "to" | "kind">;
type BoxFacts = Pick<GraphBox, "title" | "status">;

function describeBox(spec: Spec, readiness: Readiness): BoxFacts {
  const isReady = spec.status === "pending" && readiness.isReady(spec);
  return { title: spec.title, status: isReady ? "ready" : readiness.getEffectiveStatus(spec) };
}

/** Returns the dependencies of each spec without repetitions, by the rules of `computeReadiness`. */
function listDependencies(specs: readonly Spec[]): ReadonlyMap<string, readonly Dependency[]> {
  const found = new Map<string, Map<string, Dependency>>(specs.map(({ id }) => [id, new Map()]));
  const addDependency = (edge: Dependency): void => {
    const known = found.get(edge.to);
    if (known !== undefined && !known.has(edge.from)) known.set(edge.from, edge);
  };
  for (const { id, dependsOn } of specs)
    for (const from of dependsOn) addDependency({ from, to: id, kind: "depends_on" });
  for (const { id, members } of specs) for (const from of members) addDependency({ from, to: id, kind: "member" });
  for (const [parent, members] of groupMembers(specs)) {
    for (const [at, { id, frontmatter }] of members.entries()) {
      addDependency({ from: id, to: parent, kind: "member" });
      const before = members[at - 1];
      if (before !== undefined && !Object.hasOwn(frontmatter, "depends_on")) {
        addDependency({ from: before.id, to: id, kind: "order" });
      }
    }
  }
  return new Map([...found].map(([id, edges]) => [id, [...edges.values()]]));
}

function groupMembers(specs: readonly Spec[]): ReadonlyMap<string, readonly Spec[]> {
  const found = Map.groupBy(specs, ({ id }) => (id.includes(".") ? parseParentId(id) : undefined) ?? "");
  found.delete("");
  for (const members of found.values()) members.sort((a, b) => parseMemberNumber(a.id) - parseMemberNumber(b.id));
  return found;
}

function arrangeGraph(
  facts: ReadonlyMap<string, BoxFacts>,
  waiting: readonly Dependency[],
  leftOut: ReadonlyMap<string, readonly string[]>,
): SpecGraph {
  const ids = [...facts.keys()].sort();
  const index = new Map(ids.map((id, at) => [id, at]));
  const edges = waiting.map(({ from, to }) => ({ from: index.get(from) ?? 0, to: index.get(to) ?? 0 }));
  const { layers, turned } = assignLayers(ids.length, edges, { isNearSources: true });
  const isOpen = ids.map((id) => {
    const { status } = facts.get(id) ?? { status: "unknown" };
    return !ENDED_STATUSES.has(status) && status !== "unknown";
  });
  const path = findLongestChain(
    isOpen,
    layers,
    edges.filter((edge) => !turned.has(edge)),
  );
  const cycles = listCycles(ids, waiting);
  const inCycle = new Set(cycles.flat());
  const orders = computeOrders(layers, edges);
  const steps = new Set(path.slice(1).map((box, at) => `${path[at]} ${box}`));
  const onPath = new Set(path);
  return {
    boxes: ids.map((id, at) => ({
      id,
      ...(facts.get(id) ?? { title: null, status: "unknown" }),
      ...{ layer: layers[at] ?? 0, order: orders[at] ?? 0 },
      ...{ critical: onPath.has(at), in_cycle: inCycle.has(id), left_out: leftOut.get(id) ?? [] },
    })),
    edges: waiting.map((edge, at) => {
      const { from, to } = edges[at] ?? { from: 0, to: 0 };
      const backward = from === to || turned.has(edges[at] ?? { from, to });
      return { ...edge, critical: steps.has(`${from} ${to}`), backward };
    }),
    layers: layers.reduce((most, layer) => Math.max(most, layer + 1), 0),
    critical_path: path.map((box) => ids[box] ?? ""),
    cycles,
    unknown: ids.filter((id) => facts.get(id)?.status === "unknown"),
  };
}

/** Returns the cycles of the graph, including specs that depend on themselves. */
function listCycles(ids: readonly string[], waiting: readonly Dependency[]): readonly (readonly string[])[] {
  const waits = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of waiting) waits.get(to)?.push(from);
  const own = waiting.filter(({ from, to }) => from === to).map(({ from }) => [from]);
  const found = new Set([...findCycles(waits).values()].flatMap((cycles) => cycles.map((cycle) => cycle.ids)));
  return [...own, ...found];
}

function computeOrders(layers: readonly number[], edges: readonly LayoutEdge[]): readonly number[] {
  const columns: number[][] = [];
  const before: number[][] = layers.map(() => []);
  const after: number[][] = layers.map(() => []);
  for (const [box, layer] of layers.entries()) {
    while (columns.length <= layer) columns.push([]);
    columns[layer]?.push(box);
  }
  for (const { from, to } of edges) {
    if (from === to) continue;
    after[from]?.push(to);
    before[to]?.push(from);
  }
  const orders: number[] = layers.map(() => 0);
  const rounds = layers.length > MANY_BOXES ? 2 : undefined;
  for (const column of orderColumns(columns, { before, after }, rounds)) {
    for (const [at, box] of column.entries()) orders[box] = at;
  }
  return orders;
}

/**
 * Returns the longest chain of counted boxes, in order, or empty if no chain has two boxes. Of equally long chains it
 * returns the one with the lowest box numbers.
 *
 * @param isCounted whether each box counts
 * @param layers layer of each box; every edge leads to a higher layer
 *
 * Cost: O(edges + boxes × log boxes).
 */
function findLongestChain(
  isCounted: readonly boolean[],
  layers: readonly number[],
  edges: readonly LayoutEdge[],
): readonly number[] {
  const before = listNeighbours(isCounted.length, edges, "to", "from");
  const length = isCounted.map(() => 0);
  const last = isCounted.map(() => -1);
  const boxes = [...isCounted.keys()].filter((box) => isCounted[box]);
  boxes.sort((a, b) => (layers[a] ?? 0) - (layers[b] ?? 0) || a - b);
  for (const box of boxes) {
    const from = findLongestChainEnd(before[box] ?? [], length);
    last[box] = from;
    length[box] = 1 + (length[from] ?? 0);
  }
  const path: number[] = [];
  for (let box = findLongestChainEnd(boxes, length); box >= 0; box = last[box] ?? -1) path.push(box);
  return path.length < 2 ? [] : path.reverse();
}

/** Returns the first of the boxes with the greatest chain length; -1 without boxes. */
function findLongestChainEnd(boxes: readonly number[], length: readonly number[]): number {
  return boxes.reduce((best, box) => ((length[box] ?? 0) > (length[best] ?? 0) ? box : best), -1);
}

export const BOX_SIZE = { width: 280, height: 46 } as const;
const COLUMN_GAP = 80;
const ROW_GAP = 16;
/** Space around a picture, in pixels. */
export const PICTURE_MARGIN = 24;

/** Minimum number of columns for the specs without any dependency. */
const MIN_COLUMNS = 4;

export interface BoxPosition {
  readonly x: number;
  readonly y: number;
}

/**
 * Computes the positions of boxes. Columns are layers; specs without any dependency are in rows below. Deterministic.
 * Cost: O(boxes + edges) and sorting each column.
 * @param top height in pixels to leave free for a heading
 */
export function layOutBoxes({ boxes, edges, layers }: SpecGraph, top: number) {
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const columns: GraphBox[][] = Array.from({ length: layers }, () => []);
  for (const box of boxes) if (connected.has(box.id)) columns[box.layer]?.push(box);
  const most = columns.reduce((rows, column) => Math.max(rows, column.length), 0);
  const places = new Map<string, BoxPosition>();
  let [width, height] = [BOX_SIZE.width + PICTURE_MARGIN, top + PICTURE_MARGIN];
  const placeBox = (box: GraphBox, column: number, row: number): void => {
    const [x, y] = [
      PICTURE_MARGIN + column * (BOX_SIZE.width + COLUMN_GAP),
      PICTURE_MARGIN + top + row * (BOX_SIZE.height + ROW_GAP),
    ];
    places.set(box.id, { x, y });
    width = Math.max(width, x + BOX_SIZE.width + PICTURE_MARGIN);
    height = Math.max(height, y + BOX_SIZE.height + PICTURE_MARGIN);
  };
  for (const [at, column] of columns.entries()) {
    column.sort((a, b) => a.order - b.order);
    for (const [row, box] of column.entries()) placeBox(box, at, row + (most - column.length) / 2);
  }
  const perRow = Math.max(MIN_COLUMNS, columns.filter((column) => column.length > 0).length);
  for (const [at, box] of boxes.filter(({ id }) => !connected.has(id)).entries()) {
    placeBox(box, at % perRow, (most === 0 ? 0 : most + 1) + Math.floor(at / perRow));
  }
  return { positions: places, width, height };
}

/** SVG path data of an edge and of its arrowhead at the dependent box. */
interface EdgePaths {
  readonly line: string;
  readonly arrow: string;
}

/** Returns the paths of an edge between two boxes; null if one of the boxes has no position. */
export function computeEdgePaths(
  { from, to, backward }: GraphEdge,
  places: ReadonlyMap<string, BoxPosition>,
): EdgePaths | null {
  const [start, end] = [places.get(from), places.get(to)];
  if (start === undefined || end === undefined) return null;
  const [x1, y1, x2, y2] = [
    start.x + BOX_SIZE.width,
    start.y + BOX_SIZE.height / 2,
    end.x,
    end.y + BOX_SIZE.height / 2,
  ];
  const bend = backward ? COLUMN_GAP : Math.max(COLUMN_GAP / 2, (x2 - x1) / 2);
  return { line: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 6} ${y2}`, arrow: `M${x2} ${y2}l-8 -4v8z` };
}

/** Formats a Mermaid flowchart. Every text is quoted, so no title can end a statement or be read as a directive. */
export function formatMermaidGraph({ boxes, edges }: SpecGraph): string {
  const names = new Map(boxes.map(({ id }, at) => [id, `n${at}`]));
  const lines = boxes.map(({ id, title, status, critical }) => {
    const label = [id, status, ...(title === null ? [] : [title])].map(escapeMermaid).join("<br>");
    return `  ${names.get(id)}["${label}"]${critical ? ":::critical" : ""}`;
  });
  const links = edges.map((edge) => `  ${names.get(edge.from)} ${formatArrow(edge)} ${names.get(edge.to)}`);
  return ["flowchart LR", "  classDef critical stroke-width:4px", ...lines, ...links, ""].join("\n");
}

function formatArrow({ kind, critical }: GraphEdge): string {
  if (critical) return "==>";
  return kind === "depends_on" ? "-->" : "-.->";
}

/** Escapes all but letters, digits and plain marks. Source: mermaid.js.org/syntax/flowchart.html, entity codes. */
function escapeMermaid(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, getVisibleSign)
    .replace(/[^\p{L}\p{M}\p{N} .,:_/-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}

/** Formats a graph in Graphviz's DOT language. Every text is quoted. */
export function formatDotGraph({ boxes, edges }: SpecGraph): string {
  return [
    "digraph specs {",
    "  graph [rankdir=LR];",
    '  node [shape=box, style=filled, fontname="DejaVu Sans"];',
    ...boxes.map((box) => `  ${quoteDotString(box.id)} [${formatBoxAttributes(box)}];`),
    ...edges.map(
      (edge) => `  ${quoteDotString(edge.from)} -> ${quoteDotString(edge.to)}${formatEdgeAttributes(edge)};`,
    ),
    "}",
    "",
  ].join("\n");
}

function formatBoxAttributes({ id, title, status, critical }: GraphBox): string {
  const label = [`${id} ${status}`, ...(title === null ? [] : [title.replace(/\s+/g, " ")])].join("\n");
  const { fill, ink } = chooseColours(status);
  return [
    `label=${quoteDotString(label)}`,
    `fillcolor=${quoteDotString(fill)}`,
    `fontcolor=${quoteDotString(ink)}`,
    ...(critical ? ["penwidth=3"] : []),
  ].join(", ");
}

function formatEdgeAttributes({ kind, critical, backward }: GraphEdge): string {
  const found = [
    ...(kind === "depends_on" ? [] : ["style=dashed"]),
    ...(critical ? ["penwidth=3"] : []),
    // If a backward edge were a constraint, it would reverse the order of the layers.
    ...(backward ? ["constraint=false", "color=red"] : []),
  ];
  return found.length === 0 ? "" : ` [${found.join(", ")}]`;
}

/** Background and text colour of a box, with a contrast of at least 4.5 to 1. */
interface BoxColours {
  readonly fill: string;
  readonly ink: string;
}

const DARK_INK = "#1b1f24";

const COLOURS_BY_STATUS: Readonly<Record<string, BoxColours>> = {
  ready: { fill: "#d3e8ff", ink: DARK_INK },
  pending: { fill: "#eceff3", ink: DARK_INK },
  blocked: { fill: "#fdf0c8", ink: DARK_INK },
  in_progress: { fill: "#cdeef2", ink: DARK_INK },
  completed: { fill: "#d5f0d9", ink: DARK_INK },
  archived: { fill: "#d5f0d9", ink: DARK_INK },
  cancelled: { fill: "#ffffff", ink: "#59636e" },
  failed: { fill: "#b3261e", ink: "#ffffff" },
  needs_attention: { fill: "#ffd7d3", ink: DARK_INK },
};

const DEFAULT_COLOURS: BoxColours = { fill: "#ffffff", ink: "#b3261e" };

export function chooseColours(status: string): BoxColours {
  return Object.hasOwn(COLOURS_BY_STATUS, status) ? (COLOURS_BY_STATUS[status] ?? DEFAULT_COLOURS) : DEFAULT_COLOURS;
}

import { getColorName } from "#words/color_name.ts";
import { capitalize, formatCountWithNoun } from "#words/names.ts";
import type { CablePath, PathSegment } from "../../analysis/cabling/supply_trace.ts";
import type { Coloring } from "../../model/enum_values.ts";
import { formatPort } from "../../model/ref.ts";
import { createLineEntry, type Figure, frameScene, type LegendLine, listNoteIf, type Note } from "../frame.ts";
import type { Paint } from "../palette.ts";
import { drawMark } from "../parts/marks.ts";
import {
  createText,
  type Drawing,
  type DrawOptions,
  type Element,
  type Graph,
  type GraphEdge,
  type GraphNode,
  type Item,
  type Point,
} from "../scene.ts";
import {
  CABLE_FAMILIES,
  CABLE_WIDTH,
  type CablePicture,
  type CollapsedPaths,
  collapsePaths,
  describePanelPorts,
  describePath,
  describePathEnd,
  drawLink,
  drawStop,
  findLinkRef,
  formatDeviceKind,
  formatHopLocation,
  formatLinkDetail,
  formatLinkTitle,
  formatPathLength,
  isConnected,
  type Lane,
  listHopFacts,
  listLinkFacts,
  PORT_Y,
  STOP_HEIGHT,
  STOP_WIDTH,
  type Stop,
} from "./items.ts";

/** Devices per row; longer paths continue in the next row. */
const DEVICES_PER_ROW = 6;
const ROW_GAP = 44;
const LANE_TITLE_HEIGHT = 34;
/** Name of the path of a picture that has only one path. */
const ONLY_PATH_NAME = "Path";
const LANE_GAP = 30;
const BRANCH_HEIGHT = 18;
/** Maximum number of branches listed at a split; further branches are counted. */
const MAX_LISTED_BRANCHES = 12;

/** Draws the paths from a port, one lane per path. A lane shows devices from left to right, wrapped into rows. */
export function drawCablePath(picture: CablePicture, options: DrawOptions): Drawing {
  const coloring = options.coloring ?? "ROLE";
  const collapsed = collapsePaths(picture, { ...options, isCompact: options.view === "COMPACT" });
  const title = `Cable path of ${formatPort(picture.start)}`;
  const [first] = picture.paths;
  const subtitle = first === undefined ? "No path" : describePathEnd(first).words;
  return {
    scene: frameScene({
      title,
      subtitle:
        picture.paths.length > 1
          ? `${formatCountWithNoun(picture.paths.length, "path")}, one per branch`
          : capitalize(subtitle),
      description:
        `${title}: ${picture.paths.map((path) => `${describePathEnd(path).words}, ${describePath(path)}`).join("; ")}.`.slice(
          0,
          2000,
        ),
      figures: createCableFigures(picture),
      notes: createProblemNotes(picture, collapsed),
      legend: createCableLegend(picture),
      ...drawLanes(collapsed, coloring),
    }),
    graph: createCableGraph(title, collapsed),
    elements: createCableElements(collapsed),
    omittedNodes: collapsed.omittedDevices,
  };
}

function drawLanes({ lanes }: CollapsedPaths, coloring: Coloring) {
  const body: Item[] = [];
  let [y, width] = [0, 0];
  for (const [index, lane] of lanes.entries()) {
    const drawn = drawLane(lane, lanes.length > 1 ? `Path ${index + 1}` : ONLY_PATH_NAME, coloring);
    body.push({ kind: "group", at: [0, y], items: drawn.items });
    y += drawn.height + LANE_GAP;
    width = Math.max(width, drawn.width);
  }
  return { body, bodyWidth: width, bodyHeight: Math.max(0, y - LANE_GAP) };
}

/** Returns the upper left corner of a stop by its index. Every row begins with space for an incoming cable. */
function computeStopCorner(stopIndex: number): Point {
  const row = Math.floor(stopIndex / DEVICES_PER_ROW);
  return [
    CABLE_WIDTH + (stopIndex % DEVICES_PER_ROW) * (STOP_WIDTH + CABLE_WIDTH),
    LANE_TITLE_HEIGHT + row * (STOP_HEIGHT + ROW_GAP),
  ];
}

function drawLane({ path, stops }: Lane, name: string, coloring: Coloring) {
  const { words, state } = describePathEnd(path);
  const indent = stops.length > DEVICES_PER_ROW ? 0 : -CABLE_WIDTH;
  const corner = (place: number): Point => {
    const [x, y] = computeStopCorner(place);
    return [x + indent, y];
  };
  const links = stops.flatMap(({ link, hops }, place): Item[] =>
    link === undefined || place === 0
      ? []
      : [drawLink(link, formatLinkTitle(link, hops[0]?.device), computeCableLine(corner(place - 1), corner(place)))],
  );
  const boxes = stops.map((stop, place) => drawStop(stop, corner(place), coloring));
  const branches = drawBranches(path.status === "SPLIT" ? path.branches : [], corner(stops.length - 1));
  const rows = Math.ceil(stops.length / DEVICES_PER_ROW);
  const columns = Math.min(DEVICES_PER_ROW, stops.length);
  const text = `${name}: ${words} · ${describePath(path)}`;
  return {
    items: [
      {
        kind: "group" as const,
        // Only the title of a single path can be removed: each of several paths needs its name.
        ...(name === ONLY_PATH_NAME && { part: "heading" as const, height: LANE_TITLE_HEIGHT }),
        items: [
          ...drawMark(state, [7, 10], 14),
          createText([22, 15], text, { size: 12, weight: "bold", fill: "ink", maxWidth: 1100 }),
        ],
      },
      ...links,
      ...boxes,
      ...branches.items,
    ],
    height: Math.max(LANE_TITLE_HEIGHT + rows * (STOP_HEIGHT + ROW_GAP) - ROW_GAP, branches.bottom),
    width: Math.max(computeStopCorner(columns - 1)[0] + indent + STOP_WIDTH + branches.width, 1122),
  };
}

/** Returns the line of a cable between two stops: straight to the right, or around to the beginning of the next row. */
function computeCableLine([x, y]: Point, [nextX, nextY]: Point): readonly Point[] {
  const start: Point = [x + STOP_WIDTH, y + PORT_Y];
  const end: Point = [nextX, nextY + PORT_Y];
  if (y === nextY) return [start, end];
  const between = y + STOP_HEIGHT + ROW_GAP / 2;
  const [right, left] = [x + STOP_WIDTH + 16, nextX - CABLE_WIDTH + 6];
  return [start, [right, start[1]], [right, between], [left, between], [left, end[1]], end];
}

/** Draws arrows to the names of the branches at a split. */
function drawBranches(branches: Lane["path"]["branches"], [x, y]: Point) {
  const shown = branches
    .slice(0, MAX_LISTED_BRANCHES)
    .map(({ to, position }) => `position ${position}: ${formatPort(to)}`);
  const more = branches.length - shown.length;
  const words = more > 0 ? [...shown, `and ${more} more`] : shown;
  const start: Point = [x + STOP_WIDTH, y + PORT_Y];
  const top = y + 8;
  const items = words.flatMap((text, index): Item[] => {
    const at = top + index * BRANCH_HEIGHT;
    return [
      {
        kind: "path",
        points: [start, [start[0] + 18, start[1]], [start[0] + 18, at], [start[0] + 34, at]],
        stroke: "infoText",
        dash: "dashed",
        arrow: true,
      },
      createText([start[0] + 40, at + 4], text, { size: 10.5, fill: "ink", maxWidth: 220 }),
    ];
  });
  return {
    items,
    bottom: words.length === 0 ? 0 : top + words.length * BRANCH_HEIGHT,
    width: words.length === 0 ? 0 : 264,
  };
}

function createCableFigures({ paths }: CablePicture): readonly Figure[] {
  const [only] = paths;
  if (only === undefined) return [];
  if (paths.length > 1) {
    const complete = paths.filter(({ status }) => status === "COMPLETE").length;
    return [
      { label: "paths", value: String(paths.length) },
      { label: "complete", value: String(complete), tone: complete === paths.length ? "ok" : "watch" },
      {
        label: "devices",
        value: String(new Set(paths.flatMap(({ hops }) => hops.map(({ device }) => device.code))).size),
      },
    ];
  }
  const cables = only.segments.filter(({ cable }) => cable !== undefined).length;
  return [
    { label: "state", value: only.status.toLowerCase(), tone: describePathEnd(only).state },
    { label: "devices", value: String(only.hops.length) },
    { label: "cables", value: String(cables) },
    ...(cables > 0
      ? [
          {
            label: "length",
            value: formatPathLength(only),
          },
          {
            label: "every cable connected",
            value: isConnected(only) ? "yes" : "no",
            tone: isConnected(only) ? ("ok" as const) : ("watch" as const),
          },
        ]
      : []),
  ];
}

/** Maximum number of problems, and of ports with alternatives, listed as text. */
const MAX_PROBLEM_NOTES = 6;

function createProblemNotes(
  { paths }: CablePicture,
  { omittedDevices, omittedPaths }: CollapsedPaths,
): readonly Note[] {
  const problems = [...new Set(paths.flatMap((path) => path.problems.map(({ message }) => message)))];
  const left = omittedPaths === 0 ? "" : ` and ${formatCountWithNoun(omittedPaths, "path")} left out`;
  return [
    ...problems.slice(0, MAX_PROBLEM_NOTES).map((text): Note => ({ text, tone: "fault" })),
    ...paths.flatMap(createAlternativeNotes).slice(0, MAX_PROBLEM_NOTES),
    ...listNoteIf(problems.length > MAX_PROBLEM_NOTES, `and ${problems.length - MAX_PROBLEM_NOTES} more problems`),
    ...listNoteIf(
      omittedDevices > 0,
      `Folded: ${formatCountWithNoun(omittedDevices, "device")} told in counts${left}`,
      {
        tone: "info",
      },
    ),
  ];
}

/** Returns notes of branches that the path does not take; empty for a split, which draws them. */
function createAlternativeNotes({ status, branches, segments }: CablePath): readonly Note[] {
  if (status === "SPLIT") return [];
  const used = new Set(segments.flatMap(({ from, to }) => [formatPort(from), formatPort(to)]));
  const others = Map.groupBy(
    branches.filter(({ to }) => !used.has(formatPort(to))),
    ({ from }) => formatPort(from),
  );
  return [...others].map(([from, ways]) => {
    const names = ways.slice(0, MAX_LISTED_BRANCHES).map(({ to }) => formatPort(to));
    const more = ways.length > names.length ? ` and ${ways.length - names.length} more` : "";
    return { text: `Also at ${from}: ${names.join(", ")}${more}`, tone: "info" };
  });
}

function createCableLegend({ paths }: CablePicture): readonly LegendLine[] {
  const cables = paths.flatMap(({ segments }) => segments.flatMap(({ cable }) => (cable === undefined ? [] : [cable])));
  const colors = [...new Set(cables.flatMap(({ color }) => (color === undefined ? [] : [color])))];
  const uncoloredCables = cables.filter(({ color }) => color === undefined);
  const usedFamilies = new Set(
    uncoloredCables.map(({ type = "" }) => CABLE_FAMILIES.find((jacket) => jacket.types.test(type))?.label),
  );
  const hasFeeds = paths.some(({ segments }) =>
    segments.some(({ cable, from, to }) => cable === undefined && from.deviceCode !== to.deviceCode),
  );
  const line = { kind: "line", x1: 0, y1: 7, x2: 26, y2: 7 } as const;
  const jacket = (label: string, paint: Paint, core: Paint): LegendLine => ({
    label,
    sample: [
      { ...line, stroke: "line", strokeWidth: 8 },
      { ...line, stroke: paint, strokeWidth: 6 },
      { ...line, stroke: core, strokeWidth: 1.5 },
    ],
  });
  return [
    ...colors.map((color) => jacket(`${getColorName(color)} cable`, `#${color}`, `on:#${color}`)),
    ...CABLE_FAMILIES.filter(({ label }) => usedFamilies.has(label)).map(({ label, paint }) =>
      jacket(colors.length === 0 ? label : `${label}, no colour recorded`, paint, "ink"),
    ),
    ...(hasFeeds
      ? [createLineEntry("feed without a recorded cable", { stroke: "muted", strokeWidth: 1.5, dash: "dotted" })]
      : []),
  ];
}

/** Returns the cable picture as nodes and edges; a device on several paths is one node. */
function createCableGraph(name: string, { lanes }: CollapsedPaths): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  for (const [lane, { stops }] of lanes.entries()) {
    for (const [index, stop] of stops.entries()) {
      const id = createStopId(stop, lane);
      nodes.set(id, nodes.get(id) ?? createGraphNode(stop, id));
      const before = stops[index - 1];
      if (before === undefined || stop.link === undefined) continue;
      const from = createStopId(before, lane);
      edges.set(`${from} ${id} ${findLinkRef(stop.link)}`, { from, to: id, ...createEdgeLabel(stop, stop.link) });
    }
  }
  return { name, directed: true, rankdir: "LR", nodes: [...nodes.values()], edges: [...edges.values()] };
}

function createEdgeLabel({ hops }: Stop, link: PathSegment): Pick<GraphEdge, "label" | "style"> {
  const { from, to, cable } = link;
  const label = `${from.portName} to ${to.portName}\n${formatLinkTitle(link, hops[0]?.device)}\n${formatLinkDetail(link)}`;
  if (cable === undefined) return { label, style: "dotted" };
  return cable.status === undefined || cable.status === "CONNECTED" ? { label } : { label, style: "dashed" };
}

function createStopId({ hops }: Stop, lane: number): string {
  const [hop] = hops;
  return hops.length === 1 ? `device:${hop?.device.code}` : `folded on path ${lane + 1}`;
}

function createGraphNode({ hops }: Stop, id: string): GraphNode {
  const [hop] = hops;
  if (hop === undefined || hops.length > 1)
    return { id, label: formatCountWithNoun(hops.length, "device"), shape: "note", style: "dashed" };
  const lines = [hop.device.code, formatDeviceKind(hop.device), formatHopLocation(hop), describePanelPorts(hop)];
  return { id, label: lines.filter((line) => line !== "").join("\n"), shape: "box" };
}

/** Returns one element with facts for each device, cable and feed of the picture. */
function createCableElements({ lanes }: CollapsedPaths): readonly Element[] {
  const found = new Map<string, Element>();
  for (const { stops } of lanes) {
    for (const { hops, link, isRepeated } of stops) {
      const [hop] = hops;
      if (link !== undefined) {
        const ref = findLinkRef(link);
        const related = [`device:${link.from.deviceCode}`, `device:${link.to.deviceCode}`];
        found.set(ref, {
          ref,
          kind: link.cable === undefined ? "Feed" : "Cable",
          title: formatLinkTitle(link, hop?.device),
          facts: listLinkFacts(link),
          related,
        });
      }
      if (hop === undefined || hops.length > 1 || isRepeated) continue;
      const ref = `device:${hop.device.code}`;
      found.set(ref, { ref, kind: formatDeviceKind(hop.device), title: hop.device.code, facts: listHopFacts(hop) });
    }
  }
  return [...found.values()];
}

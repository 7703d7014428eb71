import { getColorName } from "#words/color_name.ts";
import { formatMetres, formatPlainNumber } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import type { CablePath, HopDevice, PathHop, PathSegment } from "../../analysis/cabling/supply_trace.ts";
import { type Coloring, DEVICE_KINDS } from "../../model/enum_values.ts";
import { codeKey, formatCableRef, formatPort, formatPortReference } from "../../model/ref.ts";
import { isInService, type Port, type PortRef } from "../../model/resources.ts";
import type { Paint, State } from "../palette.ts";
import { findRoleFill, findStatusFill } from "../parts/marks.ts";
import { createRect, createText, formatTip, type Item, type Point, type Stroke } from "../scene.ts";

export const STOP_WIDTH = 196;
export const STOP_HEIGHT = 112;
/** Pixels between two devices, for the cable and its text. */
export const CABLE_WIDTH = 164;
/** Height at which cables enter and leave, in pixels from the top of a device. */
export const PORT_Y = 92;

/** Draws a device with the ports by which the path enters and leaves, or the count of collapsed devices. */
export function drawStop(stop: Stop, [x, y]: Point, coloring: Coloring): Item {
  const [hop] = stop.hops;
  if (hop === undefined || stop.hops.length > 1) return drawCollapsedStop(stop, [x, y]);
  const { device, inPort, outPort } = hop;
  const fill = findStopFill(stop, coloring);
  const ink: Paint = `on:${fill as "panel"}`;
  const name = device.name === undefined || device.name === device.code ? "" : ` · ${device.name}`;
  const room = STOP_WIDTH - 20;
  const status =
    device.status === undefined || device.status === "ACTIVE"
      ? ""
      : ` · ${formatConstant(device.status).toLowerCase()}`;
  return {
    kind: "group",
    ref: `device:${device.code}`,
    tip: formatTip(device.code, listHopFacts(hop)),
    at: [x, y],
    items: [
      createRect([0, 0], [STOP_WIDTH, STOP_HEIGHT], {
        radius: 6,
        fill: "panel",
        stroke: "line",
        strokeWidth: 1.5,
        ...(stop.isRepeated && { dash: "dashed" }),
      }),
      createRect([1, 1], [STOP_WIDTH - 2, 40], { radius: 5, fill, stroke: "line" }),
      createText([10, 17], device.code, { size: 12, weight: "bold", fill: ink, maxWidth: room }),
      createText([10, 33], `${formatDeviceKind(device)}${name}${status}`, { size: 10.5, fill: ink, maxWidth: room }),
      createText([10, 56], formatHopLocation(hop), { size: 10.5, fill: "muted", maxWidth: room }),
      createText([10, 72], stop.isRepeated ? "parts here" : describePanelPorts(hop), {
        size: 10.5,
        fill: "muted",
        maxWidth: room,
      }),
      ...drawPorts(inPort, outPort),
    ],
  };
}

/** Draws the ports by which a path enters and leaves, at the sides of the device. */
function drawPorts(inPort: string, outPort: string): readonly Item[] {
  const room = STOP_WIDTH - 20;
  const both = inPort !== "" && outPort !== "";
  const port = (text: string, side: "start" | "end"): Item =>
    createText([side === "start" ? 10 : STOP_WIDTH - 10, PORT_Y + 4], text, {
      size: 10.5,
      weight: "bold",
      anchor: side,
      fill: "ink",
      maxWidth: both ? room / 2 - 6 : room,
    });
  const middle = STOP_WIDTH / 2;
  return [
    ...(inPort === "" ? [] : [port(inPort, "start")]),
    ...(both
      ? [{ kind: "line" as const, x1: middle - 5, y1: PORT_Y, x2: middle + 5, y2: PORT_Y, stroke: "muted" as const }]
      : []),
    ...(outPort === "" ? [] : [port(outPort, "end")]),
  ];
}

function findStopFill({ hops: [hop] }: Stop, coloring: Coloring): Paint {
  if (hop === undefined || coloring === "NONE") return "sunken";
  const { role = "", kind, status = "ACTIVE" } = hop.device;
  if (coloring === "STATUS") return findStatusFill(status);
  return findRoleFill({ role, kind: kind === undefined ? 0 : DEVICE_KINDS.indexOf(kind) + 1 });
}

function drawCollapsedStop({ hops }: Stop, [x, y]: Point): Item {
  const codes = hops.map(({ device }) => device.code);
  const middle = STOP_WIDTH / 2;
  return {
    kind: "group",
    tip: [
      `${formatCountWithNoun(hops.length, "device")} on the way`,
      ...codes.slice(0, 20),
      ...(codes.length > 20 ? ["…"] : []),
    ].join("\n"),
    at: [x, y],
    items: [
      createRect([4, -4], [STOP_WIDTH - 4, STOP_HEIGHT], { radius: 6, fill: "sunken", stroke: "line" }),
      createRect([0, 0], [STOP_WIDTH - 4, STOP_HEIGHT], { radius: 6, fill: "panel", stroke: "line", dash: "dashed" }),
      createText([middle, 48], formatCountWithNoun(hops.length, "device"), {
        size: 13,
        weight: "bold",
        anchor: "middle",
        fill: "ink",
      }),
      createText([middle, 66], "folded", { size: 10.5, anchor: "middle", fill: "muted" }),
    ],
  };
}

/** Draws a cable along its points, with text above and below its last segment. */
export function drawLink(link: PathSegment, title: string, points: readonly Point[]): Item {
  const [endX, endY] = points.at(-1) ?? [0, 0];
  const middle = endX - CABLE_WIDTH / 2;
  return {
    kind: "group",
    ref: findLinkRef(link),
    tip: formatTip(title, listLinkFacts(link)),
    items: [
      ...(link.cable === undefined ? [] : drawJacket(points, findJacketColor(link))),
      { kind: "path", points, ...createCoreStroke(link) },
      createText([middle, endY - 9], title, {
        size: 10,
        weight: "bold",
        anchor: "middle",
        fill: "ink",
        maxWidth: CABLE_WIDTH - 10,
      }),
      createText([middle, endY + 17], formatLinkDetail(link), {
        size: 10,
        anchor: "middle",
        fill: "muted",
        maxWidth: CABLE_WIDTH - 10,
      }),
    ],
  };
}

/** Cable families with their default colours. The first family whose pattern matches a cable's type applies. */
export const CABLE_FAMILIES = [
  { label: "copper", paint: "role1", types: /^(?:CAT|COAXIAL|CONSOLE|USB)/ },
  { label: "direct attach, active optical", paint: "role4", types: /^(?:DAC|AOC)/ },
  { label: "fibre", paint: "role6", types: /^(?:MMF|SMF)/ },
  { label: "power", paint: "role5", types: /^POWER/ },
  { label: "other cable", paint: "roleOther", types: /^/ },
] as const;

/** Draws a cable in its colour, with an outline that separates it from the background. */
function drawJacket(points: readonly Point[], paint: Paint): readonly Item[] {
  return [
    { kind: "path", points, stroke: "line", strokeWidth: 8 },
    { kind: "path", points, stroke: paint, strokeWidth: 6 },
  ];
}

/** Returns the recorded colour of a cable, or the default colour of its family. */
function findJacketColor({ cable }: PathSegment): Paint {
  if (cable?.color !== undefined) return `#${cable.color}`;
  return CABLE_FAMILIES.find(({ types }) => types.test(cable?.type ?? ""))?.paint ?? "roleOther";
}

/** Returns the line style of a link: solid if connected, dashed if planned, otherwise dotted. */
function createCoreStroke(link: PathSegment): Stroke {
  const { cable } = link;
  if (cable === undefined) return { stroke: "muted", strokeWidth: 1.5, dash: "dotted" };
  const { status = "CONNECTED", color } = cable;
  const stroke: Paint = color === undefined ? "ink" : `on:#${color}`;
  if (status === "CONNECTED") return { stroke, strokeWidth: 1.5 };
  return { stroke, strokeWidth: 1.5, dash: status === "PLANNED" ? "dashed" : "dotted" };
}

/** The paths traced from one port: a single path, or one path for each branch. */
export interface CablePicture {
  readonly start: PortRef;
  readonly paths: readonly CablePath[];
}

/** A device on the path, or several devices shown as a count; `link` connects it to the previous stop. */
export interface Stop {
  readonly hops: readonly PathHop[];
  /** Whether another lane draws the device too; it is repeated to show where this lane branches off. */
  readonly isRepeated: boolean;
  readonly link?: PathSegment;
}

export interface Lane {
  readonly path: CablePath;
  readonly stops: readonly Stop[];
}

interface CableCollapseOptions {
  readonly maxNodes: number;
  /** References of devices that are collapsed last. */
  readonly highlight: ReadonlySet<string>;
  /** Whether only the ends of every path are shown. */
  readonly isCompact: boolean;
}

export interface CollapsedPaths {
  readonly lanes: readonly Lane[];
  /** Number of paths that are not drawn. */
  readonly omittedPaths: number;
  /** Number of devices that are collapsed into counts or on omitted paths. */
  readonly omittedDevices: number;
}

/** Minimum number of devices drawn per path: both ends and a count. */
const MIN_STOPS_PER_PATH = 3;

/**
 * Collapses the middle of long paths, and omits paths that still exceed the limit. Devices that a path shares with the
 * previous one, from the traced port on, are drawn once. Cost: O(hops).
 */
export function collapsePaths(
  { paths }: CablePicture,
  { maxNodes, highlight, isCompact }: CableCollapseOptions,
): CollapsedPaths {
  const own = paths.map((path, index) => buildLane(path, paths[index - 1]));
  const total = own.reduce((sum, lane) => sum + countNewHops(lane), 0);
  if (total <= maxNodes && !isCompact) return { lanes: own, omittedPaths: 0, omittedDevices: 0 };
  const maxLanes = Math.max(1, Math.floor(maxNodes / MIN_STOPS_PER_PATH));
  const room = Math.max(1, Math.floor(maxNodes / Math.min(maxLanes, own.length)));
  const pinned = new Set([...highlight].map((ref) => ref.toLowerCase()));
  const lanes = own
    .slice(0, maxLanes)
    .map((lane) => shortenLane(lane, isCompact ? Math.min(room, MIN_STOPS_PER_PATH) : room, pinned));
  const shown = lanes.reduce(
    (sum, { stops }) => sum + stops.filter(({ hops, isRepeated }) => hops.length === 1 && !isRepeated).length,
    0,
  );
  return { lanes, omittedPaths: own.length - lanes.length, omittedDevices: total - shown };
}

function countNewHops({ stops }: Lane): number {
  return stops.reduce((sum, { hops, isRepeated }) => sum + (isRepeated ? 0 : hops.length), 0);
}

function buildLane(path: CablePath, before: CablePath | undefined): Lane {
  const shared = before === undefined ? 0 : countSharedHops(before, path);
  const links = path.segments.filter(({ cable, from, to }) => cable !== undefined || from.deviceCode !== to.deviceCode);
  const first = Math.max(0, shared - 1);
  const stops = path.hops.slice(first).map((hop, index): Stop => {
    const link = links[first + index - 1];
    return { hops: [hop], isRepeated: index === 0 && shared > 0, ...(index > 0 && link !== undefined && { link }) };
  });
  return { path, stops };
}

/** Counts the devices that two paths share from their beginning; the last of them is where they branch. */
function countSharedHops(one: CablePath, other: CablePath): number {
  const length = Math.min(one.hops.length, other.hops.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.hops[index], other.hops[index]];
    if (a?.device.code !== b?.device.code || a?.inPort !== b?.inPort) return index;
    if (a?.outPort !== b?.outPort) return index + 1;
  }
  return length;
}

/** Collapses all but both ends and pinned stops into counts: at most `share` stops, not counting the repeated one. */
function shortenLane(lane: Lane, maxStops: number, pinned: ReadonlySet<string>): Lane {
  const repeated = lane.stops.filter((stop) => stop.isRepeated);
  const own = lane.stops.slice(repeated.length);
  if (own.length <= maxStops) return lane;
  const isPinned = ({ hops: [hop] }: Stop) => pinned.has(`device:${codeKey(hop?.device.code ?? "")}`);
  const pinnedCount = own.filter(isPinned).length;
  // Each pinned stop may split the collapsed middle into one more count.
  const ends = Math.max(0, maxStops - 1 - 2 * pinnedCount);
  const [head, tail] = [Math.ceil(ends / 2), Math.floor(ends / 2)];
  const isKept = (stop: Stop, place: number) =>
    place < head || place >= own.length - tail || (2 * pinnedCount + 1 <= maxStops && isPinned(stop));
  const stops: Stop[] = [...repeated];
  let between = false;
  for (const [place, stop] of own.entries()) {
    const last = stops.at(-1);
    const kept = isKept(stop, place);
    if (kept || !between || last === undefined) stops.push(stop);
    else stops[stops.length - 1] = { ...last, hops: [...last.hops, ...stop.hops] };
    between = !kept;
  }
  return { ...lane, stops };
}

type LabelledFact = readonly [string, string];

/** Describes how a path ends, with the state to mark it by. */
export function describePathEnd(path: CablePath): { readonly words: string; readonly state: State } {
  const last = path.hops.at(-1);
  const at = last === undefined ? formatPort(path.origin) : formatLastPort(last);
  switch (path.status) {
    case "COMPLETE":
      return { words: `ends at ${path.destination === undefined ? at : formatPort(path.destination)}`, state: "ok" };
    case "OPEN":
      return { words: `open end: nothing follows ${at}`, state: "watch" };
    case "SPLIT":
      return {
        words: `splits at ${at} into ${formatCountWithNoun(path.branches.length, "branch", "branches")}`,
        state: "info",
      };
    case "LOOP":
      return { words: `loop: the path comes back to itself at ${at}`, state: "fault" };
    case "TRUNCATED":
      return { words: `cut here: more devices follow than were asked for after ${at}`, state: "watch" };
    default:
      return { words: `not connected: ${at} has no cable`, state: "offline" };
  }
}

/** Returns the kind of a device in words. Only a cooling unit has no device kind. */
export function formatDeviceKind({ kind }: HopDevice): string {
  return kind === undefined ? "Cooling unit" : formatConstant(kind);
}

function formatLastPort({ device, inPort, outPort }: PathHop): string {
  const portName = outPort === "" ? inPort : outPort;
  return formatPort({ deviceCode: device.code, portName });
}

/** Describes a path: its devices, cables and length, and the devices that are out of service. */
export function describePath(path: CablePath): string {
  const cables = path.segments.filter(({ cable }) => cable !== undefined).length;
  const parts = [
    formatCountWithNoun(path.hops.length, "device"),
    formatCountWithNoun(cables, "cable"),
    ...(cables > 0
      ? [formatPathLength(path), isConnected(path) ? "every cable connected" : "not every cable connected"]
      : []),
    ...path.hops
      .filter(({ device }) => !isInService(device))
      .map(({ device }) => `${device.code} is ${formatConstant(device.status ?? "ACTIVE").toLowerCase()}`),
  ];
  return parts.join(" · ");
}

/** Formats the length of a path's cables; a lower bound if a length is not recorded. */
export function formatPathLength({ lengthIsPartial, totalLengthM }: CablePath): string {
  return `${lengthIsPartial ? "at least " : ""}${formatMetres(totalLengthM)}`;
}

/** Whether every cable of a path is connected. The state of the devices does not matter. */
export function isConnected({ segments }: CablePath): boolean {
  return segments.every(({ cable }) => (cable?.status ?? "CONNECTED") === "CONNECTED");
}

export function formatHopLocation({ device }: PathHop): string {
  const unit = device.positionU === undefined ? "" : ` U${formatPlainNumber(device.positionU)}`;
  const side = device.face === undefined ? "" : ` ${device.face.toLowerCase()}`;
  if (device.rackCode !== undefined) return `Rack ${device.rackCode}${unit}${side}`;
  const { siteId, floorNumber, room } = device.location ?? {};
  if (siteId === undefined) return "";
  return room === undefined ? `Floor ${floorNumber} of ${siteId}` : `${room}, floor ${floorNumber} of ${siteId}`;
}

/** Describes the connection between a panel's two ports: the position on the rear port, and the number of positions. */
export function describePanelPorts({ device, inPort, outPort }: PathHop): string {
  if (inPort === "" || outPort === "") return "";
  const ports = [inPort, outPort].map((name) => device.ports?.find((port) => port.name === name));
  const front = ports.find((port) => port?.kind === "FRONT");
  const rear = ports.find((port) => port?.kind === "REAR");
  if (front === undefined || rear === undefined) return "";
  return describePortPair(front, rear);
}

function describePortPair(front: Port, rear: Port): string {
  const mapping = front.mappings?.find(({ rearPort }) => rearPort === rear.name);
  const positions = rear.positions ?? 1;
  if (mapping === undefined || positions === 1) return "front to rear";
  return `position ${mapping.rearPosition} of ${positions}`;
}

/**
 * Returns the title of a link on one line: the cable's type and label, or the feed.
 * @param device the device at which the link ends
 */
export function formatLinkTitle({ cable, from, to }: PathSegment, device: HopDevice | undefined): string {
  if (cable !== undefined) {
    const type = cable.type === undefined ? "Cable" : formatConstant(cable.type);
    return cable.label === undefined ? type : `${type} · ${cable.label}`;
  }
  const end = device?.code === from.deviceCode ? from : to;
  const feedId = device?.ports?.find(({ name }) => name === end.portName)?.powerOut?.feedId;
  return feedId === undefined ? "Supply" : `Feed ${feedId}`;
}

/** Describes length, colour and state of a link. */
export function formatLinkDetail({ cable }: PathSegment): string {
  if (cable === undefined) return "no cable recorded";
  const { lengthM, color, status = "CONNECTED" } = cable;
  const parts = [
    lengthM === undefined ? "length unknown" : formatMetres(lengthM),
    ...(color === undefined ? [] : [getColorName(color)]),
    ...(status === "CONNECTED" ? [] : [formatConstant(status).toLowerCase()]),
  ];
  return parts.join(" · ");
}

/** Returns the reference of a link's cable or, for a feed, of the port at which the link begins. */
export function findLinkRef({ cable, from }: PathSegment): string {
  return cable === undefined ? formatPortReference(from) : formatCableRef(cable.a, cable.b);
}

export function listLinkFacts(link: PathSegment): readonly LabelledFact[] {
  const { cable, from, to } = link;
  const facts: LabelledFact[] = [
    ["From", formatPort(from)],
    ["To", formatPort(to)],
    ["Type", cable?.type === undefined ? "" : formatConstant(cable.type)],
    ["Label", cable?.label ?? ""],
    ["Length", cable?.lengthM === undefined ? "" : formatMetres(cable.lengthM)],
    ["Colour", cable?.color === undefined ? "" : `${getColorName(cable.color)} (#${cable.color})`],
    ["Status", cable === undefined ? "" : formatConstant(cable.status ?? "CONNECTED")],
    ["Bundle", cable?.bundle ?? ""],
  ];
  return facts.filter(([, value]) => value !== "");
}

export function listHopFacts(hop: PathHop): readonly LabelledFact[] {
  const { device, inPort, outPort } = hop;
  const facts: LabelledFact[] = [
    ["Name", device.name ?? ""],
    ["Kind", formatDeviceKind(device)],
    ["Role", device.role ?? ""],
    ["Place", formatHopLocation(hop)],
    ["Enters at", inPort],
    ["Leaves at", outPort],
    ["Inside", describePanelPorts(hop)],
    ["Status", formatConstant(device.status ?? "ACTIVE")],
  ];
  return facts.filter(([, value]) => value !== "");
}

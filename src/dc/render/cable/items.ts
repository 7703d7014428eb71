import type { PathSegment } from "#dc/analysis/cabling/cable_path.ts";
import { type Coloring, DEVICE_KINDS } from "#dc/model/enum_values.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import type { Paint } from "../palette.ts";
import { findRoleFill } from "../parts/roles.ts";
import type { Item, Point, Stroke } from "../scene.ts";
import {
  describePanelPorts,
  findLinkRef,
  formatDeviceKind,
  formatHopLocation,
  formatLinkDetail,
  listHopFacts,
  listLinkFacts,
} from "./labels.ts";
import type { Stop } from "./picture.ts";

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
    tip: [device.code, ...listHopFacts(hop).map(([label, value]) => `${label}: ${value}`)].join("\n"),
    at: [x, y],
    items: [
      {
        kind: "rect",
        x: 0,
        y: 0,
        width: STOP_WIDTH,
        height: STOP_HEIGHT,
        radius: 6,
        fill: "panel",
        stroke: "line",
        strokeWidth: 1.5,
        ...(stop.isRepeated && { dash: "dashed" }),
      },
      { kind: "rect", x: 1, y: 1, width: STOP_WIDTH - 2, height: 40, radius: 5, fill, stroke: "line" },
      { kind: "text", x: 10, y: 17, text: device.code, size: 12, weight: "bold", fill: ink, maxWidth: room },
      {
        kind: "text",
        x: 10,
        y: 33,
        text: `${formatDeviceKind(device)}${name}${status}`,
        size: 10.5,
        fill: ink,
        maxWidth: room,
      },
      { kind: "text", x: 10, y: 56, text: formatHopLocation(hop), size: 10.5, fill: "muted", maxWidth: room },
      {
        kind: "text",
        x: 10,
        y: 72,
        text: stop.isRepeated ? "parts here" : describePanelPorts(hop),
        size: 10.5,
        fill: "muted",
        maxWidth: room,
      },
      ...drawPorts(inPort, outPort),
    ],
  };
}

/** Draws the ports by which a path enters and leaves, at the sides of the device. */
function drawPorts(inPort: string, outPort: string): readonly Item[] {
  const room = STOP_WIDTH - 20;
  const both = inPort !== "" && outPort !== "";
  const port = (text: string, side: "start" | "end"): Item => ({
    kind: "text",
    x: side === "start" ? 10 : STOP_WIDTH - 10,
    y: PORT_Y + 4,
    text,
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
  if (coloring === "STATUS") {
    if (status === "ACTIVE") return "okSoft";
    return status === "FAILED" || status === "OFFLINE" ? "faultSoft" : "infoSoft";
  }
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
      {
        kind: "rect",
        x: 4,
        y: -4,
        width: STOP_WIDTH - 4,
        height: STOP_HEIGHT,
        radius: 6,
        fill: "sunken",
        stroke: "line",
      },
      {
        kind: "rect",
        x: 0,
        y: 0,
        width: STOP_WIDTH - 4,
        height: STOP_HEIGHT,
        radius: 6,
        fill: "panel",
        stroke: "line",
        dash: "dashed",
      },
      {
        kind: "text",
        x: middle,
        y: 48,
        text: formatCountWithNoun(hops.length, "device"),
        size: 13,
        weight: "bold",
        anchor: "middle",
        fill: "ink",
      },
      { kind: "text", x: middle, y: 66, text: "folded", size: 10.5, anchor: "middle", fill: "muted" },
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
    tip: [title, ...listLinkFacts(link).map(([label, value]) => `${label}: ${value}`)].join("\n"),
    items: [
      ...(link.cable === undefined ? [] : drawJacket(points, findJacketColor(link))),
      { kind: "path", points, ...createCoreStroke(link) },
      {
        kind: "text",
        x: middle,
        y: endY - 9,
        text: title,
        size: 10,
        weight: "bold",
        anchor: "middle",
        fill: "ink",
        maxWidth: CABLE_WIDTH - 10,
      },
      {
        kind: "text",
        x: middle,
        y: endY + 17,
        text: formatLinkDetail(link),
        size: 10,
        anchor: "middle",
        fill: "muted",
        maxWidth: CABLE_WIDTH - 10,
      },
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

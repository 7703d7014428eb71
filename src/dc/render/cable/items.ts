import type { PathSegment } from "#dc/analysis/cabling/cable_path.ts";
import { type Coloring, DEVICE_KINDS } from "#dc/model/enum_values.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import { formatTip } from "../drawing.ts";
import type { Paint } from "../palette.ts";
import { findRoleFill, findStatusFill } from "../parts/roles.ts";
import { createRect, createText, type Item, type Point, type Stroke } from "../scene.ts";
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

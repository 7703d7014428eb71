import type { CablePath, HopDevice, PathHop, PathSegment } from "#dc/analysis/cabling/cable_path.ts";
import { isInService } from "#dc/model/in_service.ts";
import { formatCableRef, formatPort, formatPortReference } from "#dc/model/ref.ts";
import type { Port } from "#dc/model/resources.ts";
import { getColorName } from "#words/color_name.ts";
import { formatMetres, formatPlainNumber } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun } from "#words/names.ts";
import type { State } from "../palette.ts";

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

import type { FabricLink, Location, PortRef, ResourceByKind, ResourceKind } from "./resources.ts";

/** A parsed end of a cable: device code and port name. */
interface PortEnd {
  readonly deviceCode: Code;
  readonly portName: PortName;
}

/**
 * A parsed reference. A cable's ends are in canonical order. Source: docs/contract/datacenter-model.md#references.
 * `fabric_link` names a fabric link by its ends, for the change log.
 */
export type Ref =
  | { readonly kind: "site"; readonly site: Code }
  | { readonly kind: "floor"; readonly site: Code; readonly floor: number }
  | { readonly kind: "room" | "row" | "zone"; readonly site: Code; readonly floor: number; readonly name: Code }
  | { readonly kind: "rack" | "device" | "crac" | "fabric" | "feed" | "device_type" | "window"; readonly code: Code }
  | { readonly kind: "port"; readonly end: PortEnd }
  | { readonly kind: "cable"; readonly a: PortEnd; readonly b: PortEnd }
  | { readonly kind: "fabric_link"; readonly a: PortRef; readonly b: PortRef };

export type RefKind = Ref["kind"];

/** Grammar of each kind of reference, for messages. */
export const REF_GRAMMAR: Readonly<Record<RefKind, string>> = {
  site: "site:<site_id>",
  floor: "floor:<site_id>/<floor_number>",
  room: "room:<site_id>/<floor_number>/<room>",
  row: "row:<site_id>/<floor_number>/<row>",
  zone: "zone:<site_id>/<floor_number>/<zone_id>",
  rack: "rack:<code>",
  device: "device:<code>",
  crac: "crac:<code>",
  fabric: "fabric:<fabric_id>",
  device_type: "device_type:<code>",
  window: "window:<code>",
  feed: "feed:<feed_id>",
  port: "port:<device>/<port>",
  cable: "cable:<device>/<port>~<device>/<port>",
  fabric_link: "fabric_link:<device>/<port>~<device>/<port>",
};

const FLOOR_PATTERN = /^(?:0|-?[1-9]\d{0,3})$/;

type ParseRefText = (text: string) => Ref | undefined;

const PARSERS: Readonly<Record<RefKind, ParseRefText>> = {
  site: (text) => parseCodeRef(text, (site) => ({ kind: "site", site })),
  floor: parseFloor,
  room: (text) => parseArea("room", text),
  row: (text) => parseArea("row", text),
  zone: (text) => parseArea("zone", text),
  rack: (text) => parseCodeRef(text, (code) => ({ kind: "rack", code })),
  device: (text) => parseCodeRef(text, (code) => ({ kind: "device", code })),
  crac: (text) => parseCodeRef(text, (code) => ({ kind: "crac", code })),
  device_type: (text) => parseCodeRef(text, (code) => ({ kind: "device_type", code })),
  window: (text) => parseCodeRef(text, (code) => ({ kind: "window", code })),
  fabric: (text) => parseCodeRef(text, (code) => ({ kind: "fabric", code })),
  feed: (text) => parseCodeRef(text, (code) => ({ kind: "feed", code })),
  port: (text) => {
    const end = parsePortEnd(text);
    return end === undefined ? undefined : { kind: "port", end };
  },
  cable: parseCable,
  fabric_link: parseFabricLink,
};

/** Parses a reference. Returns undefined if its kind is unknown or its syntax is invalid. */
export function parseRef(text: string): Ref | undefined {
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(0, colon));
  if (!Object.hasOwn(PARSERS, kind)) return undefined;
  return PARSERS[kind as RefKind](text.slice(colon + 1));
}

/** Formats a reference; the inverse of `parseRef`. */
export function formatRef(ref: Ref): string {
  switch (ref.kind) {
    case "site":
      return `site:${ref.site}`;
    case "floor":
      return `floor:${ref.site}/${ref.floor}`;
    case "room":
    case "row":
    case "zone":
      return `${ref.kind}:${ref.site}/${ref.floor}/${ref.name}`;
    case "port":
      return `port:${formatPort(ref.end)}`;
    case "cable":
      return formatCableRef(ref.a, ref.b);
    case "fabric_link":
      return formatFabricLinkRef(ref.a, ref.b);
    default:
      return `${ref.kind}:${ref.code}`;
  }
}

/** Formats a port as `<device>/<port>`, or as the device alone for a fabric link without ports. */
export function formatPort(end: PortRef): string {
  return end.portName === "" ? end.deviceCode : `${end.deviceCode}/${end.portName}`;
}

export function formatPortReference(end: PortRef): string {
  return `port:${formatPort(end)}`;
}

/** Returns the reference of the cable between two ends, given in either order. */
export function formatCableRef(a: PortRef, b: PortRef): string {
  const [first, second] = orderCableEnds(a, b);
  return `cable:${formatPort(first)}~${formatPort(second)}`;
}

/** Returns the reference of the fabric link from the leaf's end `a` to the spine's end `b`. */
export function formatFabricLinkRef(a: PortRef, b: PortRef): string {
  return `fabric_link:${formatPort(a)}~${formatPort(b)}`;
}

/** Compares ends by device without regard to case, then by port name as written. */
export function comparePortRefs(a: PortRef, b: PortRef): number {
  return compareText(codeKey(a.deviceCode), codeKey(b.deviceCode)) || compareText(a.portName, b.portName);
}

/** Returns the two ends in canonical order. */
export function orderCableEnds<End extends PortRef>(a: End, b: End): readonly [End, End] {
  return comparePortRefs(a, b) <= 0 ? [a, b] : [b, a];
}

/** Returns the key of a port, without regard to the case of its device's code. */
export function toPortKey(end: PortRef): string {
  return `${codeKey(end.deviceCode)}/${end.portName}`;
}

export function isSamePort(a: PortRef, b: PortRef): boolean {
  // Compares port names first: they differ for most ports, and searches along the supply compare many.
  if (a.portName !== b.portName) return false;
  return a.deviceCode === b.deviceCode || codeKey(a.deviceCode) === codeKey(b.deviceCode);
}

/** Compares text by UTF-16 code units. `compareByCodePoints` compares in the order of the databases. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

export function formatFloorRef(location: Location): string {
  return `floor:${location.siteId}/${location.floorNumber}`;
}

function parseCodeRef(text: string, build: (code: Code) => Ref): Ref | undefined {
  const code = parseCode(text);
  return code === undefined ? undefined : build(code);
}

function parseFloor(text: string): Ref | undefined {
  const [site, floor, ...rest] = text.split("/");
  if (site === undefined || floor === undefined || rest.length > 0 || !FLOOR_PATTERN.test(floor)) return undefined;
  return parseCodeRef(site, (code) => ({ kind: "floor", site: code, floor: Number(floor) }));
}

function parseArea(kind: "room" | "row" | "zone", text: string): Ref | undefined {
  const [site, floor, name, ...rest] = text.split("/");
  if (site === undefined || floor === undefined || name === undefined || rest.length > 0) return undefined;
  const parsed = parseCode(name);
  if (parsed === undefined || !FLOOR_PATTERN.test(floor)) return undefined;
  return parseCodeRef(site, (code) => ({ kind, site: code, floor: Number(floor), name: parsed }));
}

function parsePortEnd(text: string): PortEnd | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const deviceCode = parseCode(text.slice(0, slash));
  const portName = parsePortName(text.slice(slash + 1));
  return deviceCode === undefined || portName === undefined ? undefined : { deviceCode, portName };
}

function parseCable(text: string): Ref | undefined {
  const [left, right, ...rest] = text.split("~").map(parsePortEnd);
  if (left === undefined || right === undefined || rest.length > 0) return undefined;
  const [a, b] = orderCableEnds(left, right);
  return { kind: "cable", a, b };
}

function parseFabricLink(text: string): Ref | undefined {
  const [left, right, ...rest] = text.split("~").map(parseLinkEnd);
  if (left === undefined || right === undefined || rest.length > 0) return undefined;
  return { kind: "fabric_link", a: left, b: right };
}

function parseLinkEnd(text: string): PortRef | undefined {
  const code = parseCode(text);
  return code === undefined ? parsePortEnd(text) : { deviceCode: code, portName: "" };
}

/** A code, or a site, room, row, zone, feed or fabric identifier, that `parseCode` accepted. */
export type Code = string & { readonly __brand: "Code" };
/** A port name that `parsePortName` accepted; may contain '/'. */
export type PortName = string & { readonly __brand: "PortName" };

const CODE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
// Excludes '~', which separates the ends in a cable reference, and \p{C}: control and unassigned characters.
const PORT_NAME_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}~]{1,64}$/u;
const SLUG_PATTERN = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const CODE_GRAMMAR = "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit";
export const PORT_NAME_GRAMMAR = "1 to 64 printable characters without '~' and without blanks at the ends";
export const SLUG_GRAMMAR = "1 to 64 lower-case letters, digits, '.', '_' or '-', beginning with a letter or digit";

/** Returns a text as a code, or undefined if its syntax is invalid. Source: docs/contract/datacenter-model.md#codes. */
export function parseCode(text: string): Code | undefined {
  return CODE_PATTERN.test(text) ? (text as Code) : undefined;
}

/** Returns a text as a port name, or undefined if its syntax is invalid. */
export function parsePortName(text: string): PortName | undefined {
  return PORT_NAME_PATTERN.test(text) && text.trim() === text ? (text as PortName) : undefined;
}

/** Whether a text is a slug. Roles and tags are slugs. */
export function isSlugText(text: string): boolean {
  return SLUG_PATTERN.test(text);
}

/** Returns a key for comparing codes without regard to case. Codes are ASCII, so lower case suffices. */
export function codeKey(code: string): string {
  return code.toLowerCase();
}

/** Returns the key of an edge from its two ends, in either order. */
export function formatEdgeKey(a: PortRef, b: PortRef): string {
  const [first, second] = orderCableEnds(a, b);
  return `${toPortKey(first)}~${toPortKey(second)}`;
}

/** Returns the keys of the devices at the ends of an edge. @param key that of `formatEdgeKey` */
export function listEdgeDeviceKeys(key: string): readonly string[] {
  return key.split("~").map((end) => end.slice(0, end.indexOf("/")));
}

/** Returns the key of a resource, unique within its kind, without regard to the case of codes. */
export function getResourceKey(resource: ResourceByKind[ResourceKind]): string {
  return "code" in resource ? codeKey(resource.code) : formatEdgeKey(resource.a, resource.b);
}

/** Returns the reference of a resource in findings and in the change log. */
export function getResourceRef<Kind extends ResourceKind>(kind: Kind, resource: ResourceByKind[Kind]): string {
  if ("code" in resource) return `${kind}:${resource.code}`;
  return kind === "cable" ? formatCableRef(resource.a, resource.b) : formatFabricLinkRef(resource.a, resource.b);
}

/** Pattern of references that contain port names, which are case-sensitive. */
const PORT_REF_PATTERN = /^(?:port|cable|fabric_link):/i;

/** Pattern of the references of most ports and cables: their port names are visible ASCII and need no parsing. */
const PLAIN_PORT_PATTERN = /^port:[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}$/;
const PLAIN_CABLE_PATTERN =
  /^cable:[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}$/;

/** Returns the key of a reference, without regard to the case of codes; port names are case-sensitive. */
export function toRefKey(text: string): string {
  if (PLAIN_PORT_PATTERN.test(text)) return formatPlainEndKey(text);
  if (PLAIN_CABLE_PATTERN.test(text)) return formatPlainCableKey(text);
  if (!PORT_REF_PATTERN.test(text)) return text.toLowerCase();
  const ref = parseRef(text);
  if (ref?.kind === "port") return `port:${toPortKey(ref.end)}`;
  if (ref?.kind === "cable" || ref?.kind === "fabric_link") return `${ref.kind}:${formatEdgeKey(ref.a, ref.b)}`;
  return text.toLowerCase();
}

/** Returns the text with its code, before the first "/", in lower case. */
function formatPlainEndKey(text: string): string {
  const slash = text.indexOf("/");
  return text.slice(0, slash).toLowerCase() + text.slice(slash);
}

function formatPlainCableKey(text: string): string {
  const middle = text.indexOf("~");
  const a = formatPlainEndKey(text.slice("cable:".length, middle));
  const b = formatPlainEndKey(text.slice(middle + 1));
  const [codeA, codeB] = [a.slice(0, a.indexOf("/")), b.slice(0, b.indexOf("/"))];
  // If the codes are equal, the remainder of both texts begins with "/".
  const isInOrder = codeA === codeB ? a <= b : codeA < codeB;
  return isInOrder ? `cable:${a}~${b}` : `cable:${b}~${a}`;
}

/** Returns the key of a link's fabric, or "" without one. Fabric ids are codes, compared without regard to case. */
export function getFabricKey({ fabricId = "" }: FabricLink): string {
  return codeKey(fabricId);
}

/** Compares text by code points, which is also the order of UTF-8 bytes and of every supported database. */
export function compareByCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rankCodeUnit(left) - rankCodeUnit(right);
  }
  return a.length - b.length;
}

/** Returns a sort key in which surrogates, which encode the highest code points, follow all other code units. */
function rankCodeUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

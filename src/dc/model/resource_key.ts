import { codeKey } from "./code.ts";
import { orderEnds, parseRef, portKey, toCableRef, toFabricLinkRef } from "./ref.ts";
import type { FabricLink, PortRef, ResourceByKind, ResourceKind } from "./resources.ts";

/** Returns the key of an edge from its two ends, in either order. */
export function toEdgeKey(a: PortRef, b: PortRef): string {
  const [first, second] = orderEnds(a, b);
  return `${portKey(first)}~${portKey(second)}`;
}

/** Returns the key of a resource, unique within its kind, without regard to the case of codes. */
export function getResourceKey(resource: ResourceByKind[ResourceKind]): string {
  return "code" in resource ? codeKey(resource.code) : toEdgeKey(resource.a, resource.b);
}

/** Returns the reference of a resource in findings and in the change log. */
export function getResourceRef<Kind extends ResourceKind>(kind: Kind, resource: ResourceByKind[Kind]): string {
  if ("code" in resource) return `${kind}:${resource.code}`;
  return kind === "cable" ? toCableRef(resource.a, resource.b) : toFabricLinkRef(resource.a, resource.b);
}

/** References that contain port names, which are case-sensitive. */
const WITH_PORTS = /^(?:port|cable|fabric_link):/i;

/** References of most ports and cables: their port names are visible ASCII, so that nothing about them needs to be parsed. */
const PLAIN_PORT = /^port:[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}$/;
const PLAIN_CABLE = /^cable:[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}$/;

/** Returns the key of a reference, without regard to the case of codes; port names are case-sensitive. */
export function toRefKey(text: string): string {
  if (PLAIN_PORT.test(text)) return toPlainEndKey(text);
  if (PLAIN_CABLE.test(text)) return toPlainCableKey(text);
  if (!WITH_PORTS.test(text)) return text.toLowerCase();
  const ref = parseRef(text);
  if (ref?.kind === "port") return `port:${portKey(ref.end)}`;
  if (ref?.kind === "cable" || ref?.kind === "fabric_link") return `${ref.kind}:${toEdgeKey(ref.a, ref.b)}`;
  return text.toLowerCase();
}

/** Returns the text with its code, before the first "/", in lower case. */
function toPlainEndKey(text: string): string {
  const slash = text.indexOf("/");
  return text.slice(0, slash).toLowerCase() + text.slice(slash);
}

function toPlainCableKey(text: string): string {
  const middle = text.indexOf("~");
  const a = toPlainEndKey(text.slice("cable:".length, middle));
  const b = toPlainEndKey(text.slice(middle + 1));
  const [codeA, codeB] = [a.slice(0, a.indexOf("/")), b.slice(0, b.indexOf("/"))];
  // If the codes are equal, the remainder of both texts begins with "/".
  const isInOrder = codeA === codeB ? a <= b : codeA < codeB;
  return isInOrder ? `cable:${a}~${b}` : `cable:${b}~${a}`;
}

/** Returns the key of a link's fabric, or "" without one. Fabric ids are codes, compared without regard to case. */
export function getFabricKey({ fabricId = "" }: FabricLink): string {
  return codeKey(fabricId);
}

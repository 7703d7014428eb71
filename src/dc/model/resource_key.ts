import { codeKey } from "./code.ts";
import { formatCableRef, formatFabricLinkRef, orderCableEnds, parseRef, toPortKey } from "./ref.ts";
import type { FabricLink, PortRef, ResourceByKind, ResourceKind } from "./resources.ts";

/** Returns the key of an edge from its two ends, in either order. */
export function formatEdgeKey(a: PortRef, b: PortRef): string {
  const [first, second] = orderCableEnds(a, b);
  return `${toPortKey(first)}~${toPortKey(second)}`;
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

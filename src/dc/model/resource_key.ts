import { codeKey } from "./code.ts";
import { cableRef, fabricLinkRef, inOrder, parseRef, portKey } from "./ref.ts";
import type { FabricLink, PortRef, ResourceByKind, ResourceKind } from "./resources.ts";

/** Key of an edge: its two ends, in either order. */
export function edgeKey(a: PortRef, b: PortRef): string {
  const [first, second] = inOrder(a, b);
  return `${portKey(first)}~${portKey(second)}`;
}

/** Key of a resource, unique within its kind, without regard to the case of codes. */
export function resourceKey(resource: ResourceByKind[ResourceKind]): string {
  return "code" in resource ? codeKey(resource.code) : edgeKey(resource.a, resource.b);
}

/** The reference of a resource in findings and in the change log. */
export function resourceRef<Kind extends ResourceKind>(kind: Kind, resource: ResourceByKind[Kind]): string {
  if ("code" in resource) return `${kind}:${resource.code}`;
  return kind === "cable" ? cableRef(resource.a, resource.b) : fabricLinkRef(resource.a, resource.b);
}

/** References that contain port names, which are case-sensitive. */
const WITH_PORTS = /^(?:port|cable|fabric_link):/i;

/** References of most ports and cables: their port names are visible ASCII, so that nothing about them needs to be parsed. */
const PLAIN_PORT = /^port:[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}$/;
const PLAIN_CABLE = /^cable:[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[!-}]{1,64}$/;

/** Key of a reference, without regard to the case of codes; port names are case-sensitive. */
export function refKey(text: string): string {
  if (PLAIN_PORT.test(text)) return plainEndKey(text);
  if (PLAIN_CABLE.test(text)) return plainCableKey(text);
  if (!WITH_PORTS.test(text)) return text.toLowerCase();
  const ref = parseRef(text);
  if (ref?.kind === "port") return `port:${portKey(ref.end)}`;
  if (ref?.kind === "cable" || ref?.kind === "fabric_link") return `${ref.kind}:${edgeKey(ref.a, ref.b)}`;
  return text.toLowerCase();
}

/** The text with its code, before the first "/", in lower case. */
function plainEndKey(text: string): string {
  const slash = text.indexOf("/");
  return text.slice(0, slash).toLowerCase() + text.slice(slash);
}

function plainCableKey(text: string): string {
  const middle = text.indexOf("~");
  const a = plainEndKey(text.slice("cable:".length, middle));
  const b = plainEndKey(text.slice(middle + 1));
  const [codeA, codeB] = [a.slice(0, a.indexOf("/")), b.slice(0, b.indexOf("/"))];
  // The rest behind equal codes begins with "/" in both.
  const isInOrder = codeA === codeB ? a <= b : codeA < codeB;
  return isInOrder ? `cable:${a}~${b}` : `cable:${b}~${a}`;
}

/** Key of a link's fabric, or "" if it has none. Fabric ids are codes and are compared without regard to case. */
export function fabricKey({ fabricId = "" }: FabricLink): string {
  return codeKey(fabricId);
}

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

/** Key of a reference, without regard to the case of codes; port names are case-sensitive. */
export function refKey(text: string): string {
  if (!WITH_PORTS.test(text)) return text.toLowerCase();
  const ref = parseRef(text);
  if (ref?.kind === "port") return `port:${portKey(ref.end)}`;
  if (ref?.kind === "cable" || ref?.kind === "fabric_link") return `${ref.kind}:${edgeKey(ref.a, ref.b)}`;
  return text.toLowerCase();
}

/** Key of a link's fabric, or "" if it has none. Fabric ids are codes and are compared without regard to case. */
export function fabricKey({ fabricId = "" }: FabricLink): string {
  return codeKey(fabricId);
}

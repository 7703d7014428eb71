import { codeKey } from "./code.ts";
import { cableRef, fabricLinkRef, inOrder, parseRef, portKey } from "./ref.ts";
import type { FabricLink, PortRef, ResourceByKind, ResourceKind } from "./resources.ts";

/** The identity of an edge: its two ends, in either order. */
export function edgeKey(a: PortRef, b: PortRef): string {
  const [first, second] = inOrder(a, b);
  return `${portKey(first)}~${portKey(second)}`;
}

/** The identity of a resource: one text per resource, unique per kind, without regard to the case of codes. */
export function resourceKey(resource: ResourceByKind[ResourceKind]): string {
  return "code" in resource ? codeKey(resource.code) : edgeKey(resource.a, resource.b);
}

/** The reference under which a resource is named in findings and in the change log. */
export function resourceRef<Kind extends ResourceKind>(kind: Kind, resource: ResourceByKind[Kind]): string {
  if ("code" in resource) return `${kind}:${resource.code}`;
  return kind === "cable" ? cableRef(resource.a, resource.b) : fabricLinkRef(resource.a, resource.b);
}

/** References whose text holds port names, which keep their case. */
const WITH_PORTS = /^(?:port|cable|fabric_link):/i;

/** One text per reference, whatever the case of its codes; port names keep theirs. */
export function refKey(text: string): string {
  if (!WITH_PORTS.test(text)) return text.toLowerCase();
  const ref = parseRef(text);
  if (ref?.kind === "port") return `port:${portKey(ref.end)}`;
  if (ref?.kind === "cable" || ref?.kind === "fabric_link") return `${ref.kind}:${edgeKey(ref.a, ref.b)}`;
  return text.toLowerCase();
}

/** The key of a link's fabric, "" without one. Fabric ids are codes, in which capitals do not count. */
export function fabricKey({ fabricId = "" }: FabricLink): string {
  return codeKey(fabricId);
}

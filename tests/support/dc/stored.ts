import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcWriter, StoredVersion } from "#dc/ports.ts";

export const NOW = "2026-01-02T03:04:05.000Z";

/** A resource with what a store keeps beside it. */
export function stored<Resource>(resource: Resource, updateTime = NOW): StoredVersion<Resource> {
  return { resource, etag: "e1", createTime: NOW, updateTime };
}

export async function putAll<Kind extends ResourceKind>(
  writer: DcWriter,
  kind: Kind,
  resources: readonly ResourceByKind[Kind][],
): Promise<void> {
  for (const resource of resources) await writer.put(kind, stored(resource));
}

import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import type { SourceItem } from "./item.ts";
import { type OwnedParts, ownedParts } from "./merge.ts";

/** Record of an imported object: its resource, and the fields that the import has set. */
export interface OriginRecord {
  readonly kind: ResourceKind;
  /** As far as the identity goes: a code, or two ends. */
  readonly named: ResourceByKind[ResourceKind];
  readonly owned: OwnedParts;
}

/** The space of documents that holds what was imported from a source. */
export function originSpace(origin: string): string {
  return `origin:${origin}`;
}

export function originText({ kind, resource }: SourceItem): string {
  const named = "code" in resource ? { code: resource.code } : { a: resource.a, b: resource.b };
  return JSON.stringify({ kind, named, owned: ownedParts(resource) });
}

/** Reads a record back; undefined for one of another shape. */
export function readOrigin(text: string): OriginRecord | undefined {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value) || !isJsonObject(value["named"]) || !isJsonObject(value["owned"])) return undefined;
  return value as unknown as OriginRecord;
}

import type { DescMessage } from "@bufbuild/protobuf";
import { type Refusal, refuse } from "#dc/model/refusal.ts";

type PlainObject = Record<string, unknown>;

/**
 * Merges a request into the stored resource.
 *
 * An empty mask writes the populated fields: a nested message, list or map replaces the stored one. `*` replaces
 * everything. Other paths write exactly those fields, and clear the ones that the request omits; they may address
 * nested messages (`power.capacity_w`), but not elements of lists and maps. Source: AIP-134; docs/decisions.md#d-13.
 */
export function applyMask<Resource extends object>(
  schema: DescMessage,
  before: Resource,
  patch: Resource,
  paths: readonly string[],
): Resource {
  if (paths.length === 0) return { ...before, ...patch };
  if (paths.includes("*")) return patch;
  const result: PlainObject = structuredClone(before) as PlainObject;
  for (const path of paths) {
    const names = resolveMaskPath(schema, path);
    copyAtPath(result, patch as PlainObject, names);
  }
  return result as Resource;
}

/**
 * Checks the paths of an update mask.
 * @param field path of the mask in the request.
 * @throws Refusal for a path that leads to no field
 */
export function requireValidMask(schema: DescMessage, paths: readonly string[], field: string): void {
  for (const path of paths) if (path !== "*") resolveMaskPath(schema, path, field);
}

function resolveMaskPath(schema: DescMessage, path: string, mask = "update_mask"): readonly string[] {
  const names: string[] = [];
  let at: DescMessage | undefined = schema;
  for (const part of path.split(".")) {
    const field: DescMessage["fields"][number] | undefined = at?.fields.find(
      ({ name, jsonName }) => name === part || jsonName === part,
    );
    if (field === undefined) throw createUnknownPathRefusal(path, mask);
    names.push(field.localName);
    at = field.fieldKind === "message" ? field.message : undefined;
  }
  return names;
}

function createUnknownPathRefusal(path: string, mask: string): Refusal {
  return refuse("UNKNOWN_FIELD", `Cannot find field "${path}" of the update mask`, {
    field: mask,
    value: path,
    expected: "a field of the resource in snake_case",
  });
}

function copyAtPath(target: PlainObject, source: PlainObject, [name = "", ...rest]: readonly string[]): void {
  const value = source[name];
  if (rest.length === 0) {
    if (value === undefined) delete target[name];
    else target[name] = value;
    return;
  }
  const inner = { ...((target[name] as PlainObject | undefined) ?? {}) };
  copyAtPath(inner, (value as PlainObject | undefined) ?? {}, rest);
  if (Object.keys(inner).length === 0) delete target[name];
  else target[name] = inner;
}

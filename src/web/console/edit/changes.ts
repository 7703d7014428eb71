import {
  EDITABLE_KINDS,
  type EditableKind,
  formatIdentity,
  getIdentityFields,
  getMessageName,
  type ResourceValues,
} from "./form_model.ts";
import { isEqualValue, removeUnsetFields } from "./values.ts";

/** One change of a resource, as JSON of the proto message `InventoryChange`. */
export type ResourceChange = ResourceValues;

/** ETag of a change that is valid only if the resource does not exist yet. */
export const NOT_STORED_ETAG = "none";

/** Returns the change that creates a resource or replaces all of it. It fails if the stored ETag is not `etag`. */
export function buildCreateChange(
  kind: EditableKind,
  values: ResourceValues,
  etag: string = NOT_STORED_ETAG,
): ResourceChange {
  // A device type is replaced as a whole and accepts no mask.
  const mask = kind === "device_type" ? {} : { update_mask: "*" };
  return { [kind]: removeUnsetFields(values, getMessageName(kind)), ...mask, etag };
}

/** Returns the change that writes the fields that differ in `after`, and clears those that `after` lacks. */
export function buildUpdateChange(
  kind: EditableKind,
  states: { readonly before: ResourceValues; readonly after: ResourceValues },
  etag: string,
): ResourceChange {
  if (kind === "device_type") return buildCreateChange(kind, states.after, etag);
  const message = getMessageName(kind);
  const [before, after] = [removeUnsetFields(states.before, message), removeUnsetFields(states.after, message)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isEqualValue(before[name], after[name]),
  );
  const identity = Object.fromEntries(getIdentityFields(kind).map((name) => [name, states.before[name]]));
  const kept = names.filter((name) => name in after).map((name) => [name, after[name]]);
  const mask = names.length === 0 ? {} : { update_mask: formatFieldMask(names) };
  return { [kind]: { ...identity, ...Object.fromEntries(kept) }, ...mask, etag };
}

/**
 * Returns the changes that turn a stored resource into another state. A cable with another end is removed and created
 * in one request, because its ends are its identity.
 */
export function listStateChanges(
  kind: EditableKind,
  { values: before, etag }: { readonly values: ResourceValues; readonly etag: string },
  after: ResourceValues,
): readonly ResourceChange[] {
  if (etag === "") return [buildCreateChange(kind, after)];
  if (formatIdentity(kind, before) === formatIdentity(kind, after))
    return [buildUpdateChange(kind, { before, after }, etag)];
  return [buildRemoveChange(kind, before, { etag, cascade: false }), buildCreateChange(kind, after)];
}

/** Returns the change that removes a resource; `cascade` also removes its dependents. */
export function buildRemoveChange(
  kind: EditableKind,
  identity: ResourceValues,
  { etag = "", cascade }: { readonly etag?: string; readonly cascade: boolean },
): ResourceChange {
  const ref = `${kind}:${formatIdentity(kind, identity)}`;
  return { delete_ref: ref, ...(etag !== "" && { etag }), ...(cascade && { cascade }) };
}

/** Returns the reference of the resource that a change concerns. */
export function getChangeRef(change: ResourceChange): string {
  const kind = EDITABLE_KINDS.find((one) => one in change);
  return kind === undefined
    ? String(change["delete_ref"])
    : `${kind}:${formatIdentity(kind, change[kind] as ResourceValues)}`;
}

/** Returns a field mask, whose paths must be in lowerCamelCase. Source: ProtoJSON format. */
export function formatFieldMask(names: readonly string[]): string {
  return names.map((name) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())).join(",");
}

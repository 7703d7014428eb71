import { identityOf, identityText, KINDS, type Kind, messageOf, type Values } from "./form_model.ts";
import { isSame, prunedMessage } from "./values.ts";

/** One change in the form of `InventoryChange`. */
export type Change = Values;

/** The version that a change demands of a resource that must be new. */
export const NOTHING_STORED = "none";

/** Creates a resource, or replaces all of it. @param etag the version that must be stored */
export function createChange(kind: Kind, values: Values, etag: string = NOTHING_STORED): Change {
  // A device type is replaced as a whole and takes no mask.
  const mask = kind === "device_type" ? {} : { update_mask: "*" };
  return { [kind]: prunedMessage(values, messageOf(kind)), ...mask, etag };
}

/** Writes the fields in which `after` differs from `before`, and clears those that `after` leaves out. */
export function updateChange(
  kind: Kind,
  states: { readonly before: Values; readonly after: Values },
  etag: string,
): Change {
  if (kind === "device_type") return createChange(kind, states.after, etag);
  const message = messageOf(kind);
  const [before, after] = [prunedMessage(states.before, message), prunedMessage(states.after, message)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isSame(before[name], after[name]),
  );
  const identity = Object.fromEntries(identityOf(kind).map((name) => [name, states.before[name]]));
  const kept = names.filter((name) => name in after).map((name) => [name, after[name]]);
  const mask = names.length === 0 ? {} : { update_mask: maskOf(names) };
  return { [kind]: { ...identity, ...Object.fromEntries(kept) }, ...mask, etag };
}

/**
 * What takes a stored resource to another state. The ends of a cable are its identity: with another end it is removed and
 * created, in one request.
 */
export function changesTo(
  kind: Kind,
  { values: before, etag }: { readonly values: Values; readonly etag: string },
  after: Values,
): readonly Change[] {
  if (etag === "") return [createChange(kind, after)];
  if (identityText(kind, before) === identityText(kind, after)) return [updateChange(kind, { before, after }, etag)];
  return [removeChange(kind, before, { etag, cascade: false }), createChange(kind, after)];
}

/** Removes a resource; `cascade` takes what depends on it along. */
export function removeChange(
  kind: Kind,
  identity: Values,
  { etag = "", cascade }: { readonly etag?: string; readonly cascade: boolean },
): Change {
  const ref = `${kind}:${identityText(kind, identity)}`;
  return { delete_ref: ref, ...(etag !== "" && { etag }), ...(cascade && { cascade }) };
}

/** The reference of what a change is about. */
export function refOf(change: Change): string {
  const kind = KINDS.find((one) => one in change);
  return kind === undefined ? String(change["delete_ref"]) : `${kind}:${identityText(kind, change[kind] as Values)}`;
}

/** Paths of a field mask are written in lowerCamelCase. Source: ProtoJSON format. */
export function maskOf(names: readonly string[]): string {
  return names.map((name) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())).join(",");
}

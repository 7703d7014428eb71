import { identityOf, type Kind, resourceOf, type Values } from "./form_model.ts";
import { isSame, prunedMessage } from "./values.ts";

/** One call of the service. */
export interface Call {
  readonly service: string;
  readonly rpc: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** What every change carries beside the resource. */
export interface Around {
  readonly etag?: string;
  readonly validateOnly: boolean;
  /** Why, for the change log. */
  readonly message?: string;
  /** UUID: a call repeated with it does nothing more. */
  readonly requestId?: string;
}

function around({ etag = "", validateOnly, message = "", requestId = "" }: Around): Readonly<Record<string, unknown>> {
  return {
    ...(etag !== "" && { etag }),
    ...(validateOnly && { validate_only: true }),
    ...(message !== "" && { change_message: message }),
    ...(requestId !== "" && !validateOnly && { request_id: requestId }),
  };
}

/** Creates a resource, or replaces all of it. */
export function createCall(kind: Kind, values: Values, how: Around): Call {
  const { field, message, service, upsert, masked } = resourceOf(kind);
  const mask = masked ? { update_mask: "*" } : {};
  return { service, rpc: upsert, request: { [field]: prunedMessage(values, message), ...mask, ...around(how) } };
}

/** Writes the fields in which `after` differs from `before`, and clears those that `after` leaves out. */
export function updateCall(kind: Kind, states: { readonly before: Values; readonly after: Values }, how: Around): Call {
  const { field, message, service, upsert, masked } = resourceOf(kind);
  if (!masked) return createCall(kind, states.after, how);
  const [before, after] = [prunedMessage(states.before, message), prunedMessage(states.after, message)];
  const names = changedFields(before, after);
  const kept = Object.fromEntries(names.filter((name) => name in after).map((name) => [name, after[name]]));
  const identity = Object.fromEntries(identityOf(kind).map((name) => [name, states.before[name]]));
  const mask = names.length === 0 ? {} : { update_mask: names.map(camel).join(",") };
  return { service, rpc: upsert, request: { [field]: { ...identity, ...kept }, ...mask, ...around(how) } };
}

function changedFields(before: Values, after: Values): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isSame(before[name], after[name]),
  );
}

/** Removes a resource; `cascade` takes what depends on it along. */
export function removeCall(kind: Kind, values: Values, how: Around & { readonly cascade: boolean }): Call {
  const { service, remove } = resourceOf(kind);
  if (remove === undefined) throw new Error(`The service has no RPC that removes a ${kind}`);
  const names = identityOf(kind);
  const identity = Object.fromEntries(names.map((name) => [name, values[name]]));
  const cascade = how.cascade && names[0] === "code" ? { cascade: true } : {};
  return { service, rpc: remove, request: { ...identity, ...cascade, ...around(how) } };
}

/** The version that a request demands of a resource that must be new. */
export const NOTHING_STORED = "none";

export const PLANNING = "datacenter.v1.PlanningService";

/** Milliseconds without a change after which the server is asked about a draft. */
export const PAUSE_MS = 250;

/** Applies changes of any kinds in their order, all or none. @param changes in the form of `InventoryChange` */
export function applyCall(changes: readonly Values[], how: Omit<Around, "etag">): Call {
  return { service: PLANNING, rpc: "ApplyChanges", request: { changes, ...around(how) } };
}

/**
 * Asks for the resource of this identity as stored, with its version: a change of nothing answers it. Other values of the
 * state are left out, since the answer would have them instead of those that are stored.
 */
export function storedCall(kind: Kind, state: Values): Call {
  const { field, service, upsert } = resourceOf(kind);
  const identity = Object.fromEntries(identityOf(kind).map((name) => [name, state[name]]));
  if (kind === "device_type") return { service, rpc: "GetDeviceType", request: identity };
  return { service, rpc: upsert, request: { [field]: identity, validate_only: true } };
}

/** Paths of a field mask are written in lowerCamelCase. Source: ProtoJSON format. */
export function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { BulkReply, Finding, PreviewChangesResponse } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import { CallError, callRpcByName, callWithSignIn, type ErrorDetail, parseErrorDetails } from "../api/client.ts";
import { simplifyMessage } from "../labels.ts";
import {
  EDITABLE_KINDS,
  type EditableKind,
  formatIdentity,
  getIdentityFields,
  getMessageName,
  type ResourceValues,
} from "./form_model.ts";
import { isEqualValue, removeUnsetFields } from "./values.ts";

const PLANNING_SERVICE = "datacenter.v1.PlanningService";
export const PREVIEW_CHANGES_RPC = `${PLANNING_SERVICE}/PreviewChanges`;
export const APPLY_CHANGES_RPC = `${PLANNING_SERVICE}/ApplyChanges`;

/** A change that the service refused. */
export interface RefusedChange {
  /** Position in the list of changes. */
  readonly index: number;
  /** Reference of the changed resource; "" if it could not be parsed. */
  readonly ref: string;
  readonly error: CallError;
}

/** The service's result for changes that were previewed or written. */
interface ChangesVerdict {
  readonly refused: readonly RefusedChange[];
  readonly warnings: readonly Finding[];
  /** Number of changes that have an effect; `unchanged` counts those whose resource already has that state. */
  readonly changed: number;
  readonly unchanged: number;
  /** References of other resources that are removed or changed too. */
  readonly cascadedRefs: readonly string[];
  /** Versions of the resources after the changes, by reference. */
  readonly etags: ReadonlyMap<string, string>;
}

/** Result of a preview. The figures cover only the changes of the first call. */
export interface ChangesPreview extends ChangesVerdict {
  /** Number of previewed changes. */
  readonly total: number;
  readonly figures: PreviewChangesResponse;
}

const NO_VERDICT: ChangesVerdict = {
  refused: [],
  warnings: [],
  changed: 0,
  unchanged: 0,
  cascadedRefs: [],
  etags: new Map(),
};

/**
 * Previews changes, each independently of the others; writes nothing.
 * @param reportProgress receives the number of changes checked so far
 * @throws CallError if a whole call fails
 */
export async function previewChanges(
  changes: readonly ResourceChange[],
  signal?: AbortSignal,
  reportProgress?: (done: number) => void,
): Promise<ChangesPreview> {
  let verdict = NO_VERDICT;
  let figures: PreviewChangesResponse | undefined;
  let done = 0;
  for (const batch of splitIntoBatches(changes)) {
    const reply = await callEditRpc<PreviewChangesResponse>(PREVIEW_CHANGES_RPC, { changes: batch }, signal);
    figures ??= reply;
    verdict = joinVerdicts(verdict, createVerdict(reply.results, { from: done, isOne: changes.length === 1 }));
    done += batch.length;
    reportProgress?.(done);
  }
  if (figures === undefined) throw new Error("There is nothing to preview");
  return { ...verdict, total: changes.length, figures };
}

interface WriteOptions {
  /** Reason for the change log; "" for none. */
  readonly message: string;
  /** UUID of the request; the service executes a request with the same id only once. */
  readonly requestId: string;
  /** Receives the number of changes written so far. */
  readonly reportProgress: (done: number) => void;
}

/** Result of a write; `refused` lists the changes that stopped it. */
export interface WriteResult extends ChangesVerdict {
  readonly done: number;
  /** Id of the request that an undo can revert; "" if several calls were needed. */
  readonly requestId: string;
}

/** Applies changes in order; each call applies all of its changes or none. @throws CallError if a whole call fails. */
export async function applyChanges(changes: readonly ResourceChange[], options: WriteOptions): Promise<WriteResult> {
  const batches = splitIntoBatches(changes);
  const requestId = batches.length === 1 ? options.requestId : "";
  const requestOptions = {
    ...(options.message !== "" && { change_message: options.message }),
    ...(requestId !== "" && { request_id: requestId }),
  };
  let verdict = NO_VERDICT;
  let done = 0;
  for (const batch of batches) {
    const { results } = await callEditRpc<BulkReply>(APPLY_CHANGES_RPC, { changes: batch, ...requestOptions });
    const made = createVerdict(results, { from: done, isOne: changes.length === 1 });
    if (made.refused.length > 0) return { ...verdict, refused: made.refused, done, requestId };
    verdict = joinVerdicts(verdict, made);
    done += batch.length;
    options.reportProgress(done);
  }
  return { ...verdict, done, requestId };
}

/** Splits changes into calls; a cable stays in the call of the preceding device. */
export function splitIntoBatches(changes: readonly ResourceChange[]): readonly (readonly ResourceChange[])[] {
  if (changes.length <= MAX_BATCH_ITEMS) return changes.length === 0 ? [] : [changes];
  const batches: ResourceChange[][] = [];
  for (let at = 0; at < changes.length; ) {
    let end = at + 1;
    while (end < changes.length && end - at < MAX_BATCH_ITEMS && changes[end]?.["cable"] !== undefined) end += 1;
    const last = batches.at(-1);
    const group = changes.slice(at, end);
    if (last === undefined || last.length + group.length > MAX_BATCH_ITEMS) batches.push(group);
    else last.push(...group);
    at = end;
  }
  return batches;
}

function joinVerdicts(one: ChangesVerdict, other: ChangesVerdict): ChangesVerdict {
  return {
    refused: [...one.refused, ...other.refused],
    warnings: [...one.warnings, ...other.warnings],
    changed: one.changed + other.changed,
    unchanged: one.unchanged + other.unchanged,
    cascadedRefs: [...one.cascadedRefs, ...other.cascadedRefs],
    etags: new Map([...one.etags, ...other.etags]),
  };
}

function createVerdict(
  results: BulkReply["results"],
  { from, isOne }: { readonly from: number; readonly isOne: boolean },
): ChangesVerdict {
  // An aborted change is left out, because its error only names the refused change.
  const refused = results.flatMap(({ index, code, outcome, error }) =>
    error === undefined || outcome === "OUTCOME_ABORTED"
      ? []
      : [{ index: from + index, ref: code, error: createRefusalError(isOne ? "" : code, error) }],
  );
  const unchanged = results.filter(({ outcome }) => outcome === "OUTCOME_UNCHANGED").length;
  const failed = results.filter(({ error }) => error !== undefined).length;
  return {
    refused,
    warnings: results.flatMap(({ warnings }) => warnings),
    changed: results.length - failed - unchanged,
    unchanged,
    cascadedRefs: results.flatMap(({ cascaded_refs }) => cascaded_refs),
    etags: new Map(results.map(({ code, etag }) => [code, etag])),
  };
}

function createRefusalError(ref: string, error: NonNullable<BulkReply["results"][number]["error"]>): CallError {
  const { message } = error;
  return new CallError(
    "failed_precondition",
    simplifyMessage(message.includes(getRefName(ref)) ? message : `${ref}: ${message}`),
    parseErrorDetails(error.details as readonly ErrorDetail[]),
  );
}

/** Calls an RPC of an edit; if the token has expired, asks the person for a new one. @throws CallError. */
export function callEditRpc<Reply>(rpc: string, request: object, signal?: AbortSignal): Promise<Reply> {
  return callWithSignIn(() => callRpcByName<Reply>(rpc, request, signal));
}

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

import { useEffect, useRef, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { BulkReply, Finding, PreviewChangesResponse } from "#gen/datacenter/v1/json.ts";
import { getRefName } from "#words/names.ts";
import {
  CallError,
  callRpcByName,
  callWithSignIn,
  convertToCallError,
  type ErrorDetail,
  inventoryWriteListeners,
  parseErrorDetails,
} from "../api/client.ts";
import { formatQuantity, simplifyMessage } from "../labels.ts";
import { addChangeListener } from "../live/changes.ts";
import {
  EDITABLE_KINDS,
  type EditableKind,
  editStore,
  formatIdentity,
  getIdentityFields,
  getMessageName,
  type ResourceValues,
} from "./form_model.ts";
import { isEqualValue, removeUnsetFields } from "./values.ts";

/** Delay in milliseconds between the last edit of a proposal and its preview. */
const PREVIEW_DELAY_MS = 250;
/** Delay in milliseconds before a request to an unreachable server is repeated. */
const RETRY_DELAY_MS = 1000;

/** Refusal reasons that mean that the stored state differs from the state that the proposal expects. */
const STALE_STATE_REASONS: ReadonlySet<string> = new Set(["ETAG_MISMATCH", "ALREADY_STORED", "NOT_FOUND"]);

export interface ProposalOptions {
  /** Changes to write; undefined while there are none. */
  readonly changes: readonly ResourceChange[] | undefined;
  /** Whether the accepted changes are written even if others are refused. */
  readonly isPartial?: boolean;
  /** Loads the stored state again if it differs from the one that the changes expect. @throws CallError. */
  readonly reread?: (() => Promise<void>) | undefined;
  /** Returns the text of the notice about a successful write. */
  readonly formatNotice: (written: WriteResult) => string;
}

/** Changes that a person prepares, with their preview and the function that writes them. */
export interface ChangeProposal {
  /**
   * "none" if there is nothing to check; "away" if the server is unreachable; "refused" if it would reject the write.
   */
  readonly state: "none" | "checking" | "away" | "allowed" | "refused";
  /** Effects of the changes; while they are being checked, the effects of earlier ones. */
  readonly preview: ChangesPreview | undefined;
  /** Number of changes checked so far. */
  readonly checked: number;
  /** Errors for which the service would reject the write. */
  readonly errors: readonly CallError[];
  /** Number of changes written so far; undefined if nothing is being written. */
  readonly progress: number | undefined;
  /** Error of the last write; undefined if it succeeded. */
  readonly problem: CallError | undefined;
  readonly canWrite: boolean;
  /**
   * Writes the changes, closes the dialog with a notice that offers an undo, and reloads the page's data.
   * @returns whether the write succeeded
   */
  readonly write: (message: string) => Promise<boolean>;
}

interface PreviewState {
  readonly key: string;
  readonly preview?: ChangesPreview;
  readonly error?: CallError;
}

/** Manages changes from their preview to the write, its notice and its undo. Nothing is written before `write`. */
export function useProposal({ changes, isPartial = false, reread, formatNotice }: ProposalOptions): ChangeProposal {
  const [problem, setProblem] = useState<CallError>();
  const [round, setRound] = useState(0);
  const changesJson = changes === undefined || changes.length === 0 ? "" : JSON.stringify(changes);
  // The error of an earlier draft does not apply to this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the changes
  useEffect(() => setProblem(undefined), [changesJson]);
  const showError = (error: unknown) => setProblem(convertToCallError(error));
  /** Loads the stored state again if one of the given refusals requires it. */
  const rereadIfStale = (refused: readonly RefusedChange[]): boolean => {
    if (reread === undefined || !refused.some(({ error }) => STALE_STATE_REASONS.has(error.reason))) return false;
    reread().catch(showError);
    return true;
  };
  const key = changesJson === "" ? "" : `${round} ${changesJson}`;
  const { found, checked } = useChangesPreview(changes ?? [], key, rereadIfStale);
  const { progress, writeChanges } = useChangesWrite();
  // A change by another person starts a new check at once, before this draft is saved.
  const isWriting = progress !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the changes
  useEffect(() => {
    if (changesJson === "" || isWriting) return undefined;
    const refs = new Set(changes?.map(getChangeRef));
    return addChangeListener((ref) => refs.has(ref) && setRound((one) => one + 1));
  }, [changesJson, isWriting]);
  // Repeated requests for the same changes keep the last result, so that no button is disabled during a click.
  const isAnswered = found.key.slice(found.key.indexOf(" ") + 1) === changesJson;
  const state = key === "" ? "none" : isAnswered ? computeProposalState(found, isPartial) : "checking";
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failed request starts a new timer
  useEffect(() => {
    const timer = state === "away" ? setTimeout(() => setRound((one) => one + 1), RETRY_DELAY_MS) : undefined;
    return () => clearTimeout(timer);
  }, [state, found]);
  const canWrite = state === "allowed" && progress === undefined;

  const write = async (message: string): Promise<boolean> => {
    if (!canWrite || changes === undefined) return false;
    setProblem(undefined);
    try {
      const refusedIndexes = new Set(found.preview?.refused.map(({ index }) => index));
      const result = await writeChanges(
        changes.filter((_, index) => !refusedIndexes.has(index)),
        message,
      );
      if (result.refused.length === 0) {
        editStore.close({ text: formatNotice(result), requestId: result.requestId, etags: result.etags });
        return true;
      }
      if (!rereadIfStale(result.refused)) {
        showError(createWriteError(result));
        setRound((one) => one + 1);
      }
    } catch (error) {
      showError(error);
    }
    return false;
  };
  return {
    state,
    preview: key === "" ? undefined : found.preview,
    checked,
    errors: state === "checking" || state === "away" ? [] : listProposalErrors(found),
    progress,
    problem,
    canWrite,
    write,
  };
}

function listProposalErrors({ preview, error }: PreviewState): readonly CallError[] {
  return error === undefined ? (preview?.refused ?? []).map((one) => one.error) : [error];
}

function computeProposalState(found: PreviewState, isPartial: boolean): "away" | "allowed" | "refused" {
  if (found.error?.code === "offline") return "away";
  const isRefused =
    isPartial && found.preview !== undefined ? found.preview.changed === 0 : listProposalErrors(found).length > 0;
  return isRefused ? "refused" : "allowed";
}

/**
 * Previews the changes after a short time without an edit; requests nothing if the key is "".
 * @param onRefused called with the refused changes
 */
function useChangesPreview(
  changes: readonly ResourceChange[],
  key: string,
  onRefused: (refused: readonly RefusedChange[]) => void,
) {
  const [found, setFound] = useState<PreviewState>({ key: "" });
  const [progress, setProgress] = useState({ key: "", checked: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the changes
  useEffect(() => {
    if (key === "") {
      setFound({ key: "" });
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      const count = (checked: number) => signal.aborted || setProgress({ key, checked });
      previewChanges(changes, signal, count).then(
        (preview) => {
          if (signal.aborted) return;
          setFound({ key, preview });
          onRefused(preview.refused);
        },
        (error: unknown) => signal.aborted || setFound({ key, error: convertToCallError(error) }),
      );
    }, PREVIEW_DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return { found, checked: progress.key === key ? progress.checked : 0 };
}

/** Writes changes; reloads the page's data if any was written. A write's attempts share one request id. */
function useChangesWrite() {
  const [progress, setProgress] = useState<number>();
  // The id prevents a second write if the reply to the first one was lost.
  const request = useRef({ key: "", id: "" });
  const writeChanges = async (changes: readonly ResourceChange[], message: string): Promise<WriteResult> => {
    const key = JSON.stringify([changes, message]);
    if (request.current.key !== key) request.current = { key, id: crypto.randomUUID() };
    setProgress(0);
    try {
      const { id } = request.current;
      const result = await applyChanges(changes, { message, requestId: id, reportProgress: setProgress });
      if (result.done > 0) inventoryWriteListeners.notify();
      // The service caches its reply by id, so that another attempt after a refusal needs a new id.
      request.current = { key: "", id: "" };
      return result;
    } finally {
      setProgress(undefined);
    }
  };
  return { progress, writeChanges };
}

function createWriteError({ refused: [first], done }: WriteResult): CallError {
  const error = first?.error ?? convertToCallError(undefined);
  if (done === 0) return error;
  return new CallError(
    error.code,
    `${formatQuantity(done, "change")} were written, then this was refused: ${error.message}`,
  );
}

const PLANNING_SERVICE = "datacenter.v1.PlanningService";
export const PREVIEW_CHANGES_RPC = `${PLANNING_SERVICE}/PreviewChanges`;
export const APPLY_CHANGES_RPC = `${PLANNING_SERVICE}/ApplyChanges`;

/** A change that the service refused. */
interface RefusedChange {
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
interface ChangesPreview extends ChangesVerdict {
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
async function previewChanges(
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
interface WriteResult extends ChangesVerdict {
  readonly done: number;
  /** Id of the request that an undo can revert; "" if several calls were needed. */
  readonly requestId: string;
}

/** Applies changes in order; each call applies all of its changes or none. @throws CallError if a whole call fails. */
async function applyChanges(changes: readonly ResourceChange[], options: WriteOptions): Promise<WriteResult> {
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
function getChangeRef(change: ResourceChange): string {
  const kind = EDITABLE_KINDS.find((one) => one in change);
  return kind === undefined
    ? String(change["delete_ref"])
    : `${kind}:${formatIdentity(kind, change[kind] as ResourceValues)}`;
}

/** Returns a field mask, whose paths must be in lowerCamelCase. Source: ProtoJSON format. */
export function formatFieldMask(names: readonly string[]): string {
  return names.map((name) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())).join(",");
}

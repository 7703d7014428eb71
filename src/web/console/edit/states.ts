import { useCallback, useEffect, useState } from "preact/hooks";
import { getKindNoun } from "#words/names.ts";
import { CallError, callWithSignIn, convertToCallError, readJsonRoute } from "../api/client.ts";
import type { AuditEntry } from "../api/replies.ts";
import { splitAtFirst } from "../router.ts";
import {
  EDITABLE_KINDS,
  type EditableKind,
  type EtagsByRef,
  type FormField,
  formatIdentity,
  getElementKeyField,
  getFieldLabel,
  getIdentityFields,
  getMessageName,
  listMessageFields,
  parseIdentity,
  type ResourceValues,
} from "./form_model.ts";
import { buildCreateChange, buildRemoveChange, buildUpdateChange, type ResourceChange } from "./proposal.ts";
import {
  formatPath,
  formatValue,
  isEqualValue,
  removeUnsetFields,
  removeUnsetParts,
  setValueAtPath,
  type ValuePath,
} from "./values.ts";

/** A stored resource and its version. The version is empty if the resource is not stored yet. */
export interface StoredResource {
  readonly values: ResourceValues;
  readonly etag: string;
}

/** Kind and reference of a resource. */
interface ResourceName {
  readonly kind: EditableKind;
  readonly ref: string;
}

interface ResourcesReply {
  readonly resources: readonly { readonly ref: string; readonly resource?: ResourceValues }[];
}

/** Maximum number of references that one request may read. */
const MAX_REFS_PER_REQUEST = 50;

/** Reads resources by their references; missing ones are absent from the result. @throws CallError. */
export async function loadStoredResources(
  names: readonly ResourceName[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, StoredResource>> {
  const found = new Map<string, StoredResource>();
  for (let start = 0; start < names.length; start += MAX_REFS_PER_REQUEST) {
    const batch = names.slice(start, start + MAX_REFS_PER_REQUEST);
    const ref = batch.map((one) => one.ref);
    const { resources } = await callWithSignIn(() => readJsonRoute<ResourcesReply>("/resources", { ref }, signal));
    for (const [index, { resource }] of resources.entries()) {
      const one = batch[index];
      if (resource === undefined || one === undefined) continue;
      const values = removeUnsetFields(resource, getMessageName(one.kind));
      found.set(one.ref, { values, etag: String(resource["etag"]) });
    }
  }
  return found;
}

/** Reads one stored resource. @throws CallError, with `not_found` if it is not stored. */
export async function loadStoredResource(
  kind: EditableKind,
  identity: ResourceValues,
  signal?: AbortSignal,
): Promise<StoredResource> {
  const name = formatIdentity(kind, identity);
  const ref = `${kind}:${name}`;
  const base = (await loadStoredResources([{ kind, ref }], signal)).get(ref);
  if (base === undefined) throw new CallError("not_found", `There is no ${getKindNoun(kind)} ${name}`);
  return base;
}

/** State of a resource that is not loaded yet. */
export type PendingResource = { readonly state: "waiting" } | { readonly state: "failed"; readonly error: CallError };
type ResourceLoadState = PendingResource | { readonly state: "done"; readonly base: StoredResource };

export const EMPTY_RESOURCE: StoredResource = { values: {}, etag: "" };

/** Loads a resource, and loads it again when `again` is called; without an identity, loads nothing. */
export function useStoredResource(
  kind: EditableKind,
  identity: ResourceValues | undefined,
): [ResourceLoadState, again: () => Promise<void>] {
  const [loaded, setLoaded] = useState<ResourceLoadState>(
    identity === undefined ? { state: "done", base: EMPTY_RESOURCE } : { state: "waiting" },
  );
  const loadResource = async (signal?: AbortSignal): Promise<void> => {
    if (identity === undefined) return;
    const next = await loadStoredResource(kind, identity, signal).then(
      (base): ResourceLoadState => ({ state: "done", base }),
      (error: unknown): ResourceLoadState => ({ state: "failed", error: convertToCallError(error) }),
    );
    if (signal?.aborted !== true) setLoaded(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open dialog never changes its resource
  useEffect(() => {
    const controller = new AbortController();
    void loadResource(controller.signal);
    return () => controller.abort();
  }, []);
  return [loaded, loadResource];
}

type OpenApiSchemas = Readonly<
  Record<string, { readonly properties?: Readonly<Record<string, { description?: string }>> }>
>;

/** Returns the comment of a message's field in the proto files; "" until the comments are loaded. */
export type GetFieldComment = (message: string, field: string) => string;

let schemasRequest: Promise<OpenApiSchemas> | undefined;

/** Loads the comments of all fields from `/openapi.json` once, when the first form opens. */
export function useFieldComments(): GetFieldComment {
  const [schemas, setSchemas] = useState<OpenApiSchemas>({});
  useEffect(() => {
    schemasRequest ??= callWithSignIn(() =>
      readJsonRoute<{ readonly components: { readonly schemas: OpenApiSchemas } }>("/openapi.json", {}),
    ).then(
      ({ components }) => components.schemas,
      // If the request fails, the form works without comments.
      () => {
        schemasRequest = undefined;
        return {};
      },
    );
    void schemasRequest.then(setSchemas);
  }, []);
  return useCallback(
    (message, field) => schemas[`datacenter.v1.${message}`]?.properties?.[field]?.description ?? "",
    [schemas],
  );
}

/** A value that differs between two states of a resource. */
export interface ValueDifference {
  /** Path that identifies the value in both states. */
  readonly key: string;
  readonly path: ValuePath;
  /** Label of the field, such as `Port psu2, source`. */
  readonly label: string;
  readonly after: unknown;
  /** The two values as text; "" for an unset one. */
  readonly beforeText: string;
  readonly afterText: string;
}

/** Compares two states of a resource field by field, ports by their names, labels by their keys. */
export function listDifferences(
  before: ResourceValues,
  after: ResourceValues,
  message: string,
): readonly ValueDifference[] {
  return compareMessages({ before, after, message, path: [], label: "" });
}

interface ValuePair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: ValuePath;
  readonly label: string;
}

function compareMessages({
  before,
  after,
  message,
  path,
  label,
}: ValuePair & { readonly message: string }): ValueDifference[] {
  return listMessageFields(message).flatMap((field) => {
    const pair = {
      before: removeUnsetParts((before as ResourceValues | undefined)?.[field.name], field),
      after: removeUnsetParts((after as ResourceValues | undefined)?.[field.name], field),
      path: [...path, field.name],
      label: joinFieldLabels(label, getFieldLabel(field)),
    };
    return isEqualValue(pair.before, pair.after) ? [] : compareField(pair, field);
  });
}

function compareField(pair: ValuePair, field: FormField): ValueDifference[] {
  if (field.shape === "map") return compareMaps(pair, field);
  if (field.type !== "group" || field.of === "PortRef") return [createDifference(pair, field)];
  if (field.shape === "list") return compareLists(pair, field);
  if (pair.before === undefined || pair.after === undefined) return [createDifference(pair, field)];
  return compareMessages({ ...pair, message: field.of ?? "" });
}

function compareMaps(pair: ValuePair, field: FormField): ValueDifference[] {
  const [before, after] = [(pair.before ?? {}) as ResourceValues, (pair.after ?? {}) as ResourceValues];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => {
      const one = { ...pair, before: before[key], after: after[key], path: [...pair.path, key] };
      return createDifference({ ...one, label: `${pair.label} ${key}` }, { ...field, shape: "one" });
    });
}

/** Compares elements with names by name, and others by position if none is added or removed. */
function compareLists(pair: ValuePair, field: FormField): ValueDifference[] {
  const [before, after] = [
    (pair.before ?? []) as readonly ResourceValues[],
    (pair.after ?? []) as readonly ResourceValues[],
  ];
  const message = field.of ?? "";
  const noun = getFieldLabel(field).replace(/s$/, "");
  const key = getElementKeyField(message);
  if (key === undefined) {
    if (before.length !== after.length) return [createDifference(pair, field)];
    return before.flatMap((element, index) => {
      const inner = {
        before: element,
        after: after[index],
        path: [...pair.path, index],
        label: `${noun} ${index + 1}`,
      };
      return compareMessages({ ...inner, message });
    });
  }
  const names = [...new Set([...before, ...after].map((element) => String(element[key] ?? "")))];
  const rows = names.flatMap((name) => {
    const find = (list: readonly ResourceValues[]) => list.find((element) => String(element[key] ?? "") === name);
    const one = {
      before: find(before),
      after: find(after),
      path: [...pair.path, { named: name }],
      label: `${noun} ${name}`,
    };
    if (isEqualValue(one.before, one.after)) return [];
    if (one.before !== undefined && one.after !== undefined) return compareMessages({ ...one, message });
    return [createDifference(one, { ...field, shape: "one" })];
  });
  // A different order of the same elements is a change too.
  return rows.length === 0 ? [createDifference(pair, field)] : rows;
}

function createDifference({ before, after, path, label }: ValuePair, field: FormField): ValueDifference {
  return {
    key: formatPath(path),
    path,
    label,
    after,
    beforeText: formatValue(before, field),
    afterText: formatValue(after, field),
  };
}

function joinFieldLabels(outer: string, inner: string): string {
  return outer === "" ? inner : `${outer}, ${inner.charAt(0).toLowerCase()}${inner.slice(1)}`;
}

/** Returns the state with the new values of differences. */
export function applyDifferences(state: ResourceValues, rows: readonly ValueDifference[]): ResourceValues {
  return rows.reduce((result, { path, after }) => setValueAtPath(result, path, after), state);
}

/** A field that two people changed in different ways. */
interface FieldClash {
  readonly mine: ValueDifference;
  readonly theirs: ValueDifference;
}

export interface ThreeWayMerge {
  readonly clashes: readonly FieldClash[];
  /** Fields that only the other person changed. */
  readonly theirs: readonly ValueDifference[];
  /** Fields that only this person changed, or that both changed in the same way. */
  readonly mine: readonly ValueDifference[];
}

/** Compares two people's changes of one state. */
export function mergeChanges(
  states: { base: ResourceValues; mine: ResourceValues; theirs: ResourceValues },
  message: string,
): ThreeWayMerge {
  const mine = listDifferences(states.base, states.mine, message);
  const theirs = listDifferences(states.base, states.theirs, message);
  const clashes: FieldClash[] = [];
  for (const own of mine) {
    const other = theirs.find(({ key }) => isOverlappingPath(key, own.key));
    if (other !== undefined && !(other.key === own.key && isEqualValue(other.after, own.after))) {
      clashes.push({ mine: own, theirs: other });
    }
  }
  const clashing = new Set(clashes.flatMap((clash) => [clash.mine.key, clash.theirs.key]));
  const free = ({ key }: ValueDifference) => !clashing.has(key);
  return { clashes, mine: mine.filter(free), theirs: theirs.filter(free) };
}

/** Whether two paths are equal or one contains the other. */
function isOverlappingPath(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/** Returns the other person's state with this person's changes and, for each clash, the chosen value. */
export function resolveConflict(
  theirs: ResourceValues,
  merge: ThreeWayMerge,
  isMine: (clash: FieldClash) => boolean,
): ResourceValues {
  const chosen = merge.clashes.filter(isMine).map(({ mine }) => mine);
  return applyDifferences(theirs, [...merge.mine, ...chosen]);
}

/** A resource that an undo returns to its earlier state. */
interface UndoStep {
  readonly kind: EditableKind;
  readonly ref: string;
  readonly identity: ResourceValues;
  /** State before the changes; undefined if the resource did not exist. */
  readonly before: ResourceValues | undefined;
  /** State after the changes; undefined if they removed it. */
  readonly after: ResourceValues | undefined;
}

/**
 * Returns the steps that undo entries of the change log, one step per resource. Steps for removed resources come first,
 * then those for changed and then those for created ones, so that every resource exists while another depends on it.
 * Created cables and links come before all others, because they occupy ports and nothing depends on them.
 */
export function planUndoSteps(entries: readonly AuditEntry[]): readonly UndoStep[] {
  const steps = new Map<string, UndoStep>();
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    const [kind = "", id = ""] = splitAtFirst(entry.entity, ":");
    if (!isEditableKind(kind)) continue;
    const known = steps.get(entry.entity);
    const before = known === undefined ? parseStoredValues(entry.before) : known.before;
    const step = {
      kind,
      ref: entry.entity,
      identity: parseIdentity(kind, id),
      before,
      after: parseStoredValues(entry.after),
    };
    steps.set(entry.entity, step);
  }
  const all = [...steps.values()]
    .filter(({ before, after }) => before !== undefined || after !== undefined)
    .toReversed();
  const getKindOrder = ({ kind }: UndoStep) => EDITABLE_KINDS.indexOf(kind);
  const restored = all.filter(({ after }) => after === undefined).toSorted((a, b) => getKindOrder(a) - getKindOrder(b));
  const changed = all.filter(({ before, after }) => before !== undefined && after !== undefined);
  const created = all
    .filter(({ before }) => before === undefined)
    .toSorted((a, b) => getKindOrder(b) - getKindOrder(a));
  const [joined, others] = [created.filter(isConnectionStep), created.filter((step) => !isConnectionStep(step))];
  return [...joined, ...restored, ...changed, ...others];
}

function isConnectionStep({ kind }: UndoStep): boolean {
  return getIdentityFields(kind)[0] === "a";
}

function isEditableKind(word: string): word is EditableKind {
  return (EDITABLE_KINDS as readonly string[]).includes(word);
}

function parseStoredValues(state: unknown): ResourceValues | undefined {
  return typeof state === "object" && state !== null ? (state as ResourceValues) : undefined;
}

/** An undo step with the state that is stored now. */
export interface UndoStepWithState extends UndoStep {
  readonly current: StoredResource | undefined;
}

/**
 * Returns the steps with the states that are stored if nothing was changed after the request; undefined if a version is
 * unknown.
 * @param etags versions after the changes, by reference
 */
export function addExpectedStates(
  steps: readonly UndoStep[],
  etags: EtagsByRef,
): readonly UndoStepWithState[] | undefined {
  const stepsWithState = steps.flatMap((step): readonly UndoStepWithState[] => {
    if (step.after === undefined) return [{ ...step, current: undefined }];
    const etag = etags.get(step.ref) ?? "";
    const values = removeUnsetFields(step.after, getMessageName(step.kind));
    return etag === "" ? [] : [{ ...step, current: { values, etag } }];
  });
  return stepsWithState.length === steps.length ? stepsWithState : undefined;
}

/** Returns the state that the step writes: the current state, but with the changed fields as they were before. */
function computeUndoTarget({ kind, before, after, current }: UndoStepWithState): ResourceValues | undefined {
  if (before === undefined || after === undefined || current === undefined) return before;
  const message = getMessageName(kind);
  const names = new Set(listDifferences(after, before, message).map(({ path }) => String(path[0])));
  const kept = Object.fromEntries(Object.entries(current.values).filter(([name]) => !names.has(name)));
  return {
    ...kept,
    ...Object.fromEntries([...names].filter((name) => name in before).map((name) => [name, before[name]])),
  };
}

/** Returns the fields of the current state that the step would change. */
export function listStepChanges(step: UndoStepWithState): readonly ValueDifference[] {
  return listDifferences(step.current?.values ?? {}, computeUndoTarget(step) ?? {}, getMessageName(step.kind));
}

/** Returns the fields that were changed again after the request; an undo overwrites these later changes. */
export function listLaterChanges({ kind, after, before, current }: UndoStepWithState): readonly ValueDifference[] {
  if (after === undefined || current === undefined) return [];
  const message = getMessageName(kind);
  const since = listDifferences(after, current.values, message);
  // A step that removes the resource overwrites all of its fields.
  if (before === undefined) return since;
  const undone = new Set(listDifferences(after, before, message).map(({ path }) => String(path[0])));
  return since.filter(({ path }) => undone.has(String(path[0])));
}

/** Returns the step as an `InventoryChange`; undefined if there is nothing left to undo. */
export function createStepChange(step: UndoStepWithState): ResourceChange | undefined {
  const { kind, identity, before, current } = step;
  if (before === undefined)
    return current === undefined
      ? undefined
      : buildRemoveChange(kind, identity, { etag: current.etag, cascade: false });
  if (current === undefined) return buildCreateChange(kind, before);
  if (listStepChanges(step).length === 0) return undefined;
  return buildUpdateChange(kind, { before: current.values, after: computeUndoTarget(step) ?? {} }, current.etag);
}

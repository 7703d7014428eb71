import type { AuditEntry } from "../api/replies.ts";
import { splitAtFirst } from "../split_text.ts";
import { buildCreateChange, buildRemoveChange, buildUpdateChange, type ResourceChange } from "./changes.ts";
import { listDifferences, type ValueDifference } from "./differences.ts";
import type { EtagsByRef } from "./editing.ts";
import {
  EDITABLE_KINDS,
  type EditableKind,
  getIdentityFields,
  getMessageName,
  parseIdentity,
  type ResourceValues,
} from "./form_model.ts";
import type { StoredResource } from "./stored.ts";
import { removeUnsetFields } from "./values.ts";

/** A resource that an undo returns to its earlier state. */
export interface UndoStep {
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
export function computeUndoTarget({ kind, before, after, current }: UndoStepWithState): ResourceValues | undefined {
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

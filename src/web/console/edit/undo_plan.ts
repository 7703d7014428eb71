import type { AuditEntry } from "../api/replies.ts";
import { type Change, createChange, removeChange, updateChange } from "./changes.ts";
import { type Difference, differences } from "./differences.ts";
import type { Etags } from "./editing.ts";
import { identityOf, identityValues, KINDS, type Kind, messageOf, type Values } from "./form_model.ts";
import type { Base } from "./stored.ts";
import { prunedMessage } from "./values.ts";

/** One resource that an undo takes back to an earlier state. */
export interface UndoStep {
  readonly kind: Kind;
  readonly ref: string;
  readonly identity: Values;
  /** State before the changes; undefined where the resource did not exist. */
  readonly before: Values | undefined;
  /** State after the changes; undefined where they removed it. */
  readonly after: Values | undefined;
}

/**
 * The steps that take entries of the change log back, the last change first: one per resource, what was removed first,
 * then what was changed, then what was created, so that nothing is missing that something else needs. Cables and links
 * that were created go before all others: nothing needs them, and they hold ports.
 */
export function undoSteps(entries: readonly AuditEntry[]): readonly UndoStep[] {
  const steps = new Map<string, UndoStep>();
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    const [kind = "", id = ""] = splitRef(entry.entity);
    if (!isKind(kind)) continue;
    const known = steps.get(entry.entity);
    const before = known === undefined ? stateOf(entry.before) : known.before;
    const step = { kind, ref: entry.entity, identity: identityValues(kind, id), before, after: stateOf(entry.after) };
    steps.set(entry.entity, step);
  }
  const all = [...steps.values()]
    .filter(({ before, after }) => before !== undefined || after !== undefined)
    .toReversed();
  const order = ({ kind }: UndoStep) => KINDS.indexOf(kind);
  const restored = all.filter(({ after }) => after === undefined).toSorted((a, b) => order(a) - order(b));
  const changed = all.filter(({ before, after }) => before !== undefined && after !== undefined);
  const created = all.filter(({ before }) => before === undefined).toSorted((a, b) => order(b) - order(a));
  const [joined, others] = [created.filter(isEdge), created.filter((step) => !isEdge(step))];
  return [...joined, ...restored, ...changed, ...others];
}

function splitRef(ref: string): readonly [string, string] {
  const at = ref.indexOf(":");
  return [ref.slice(0, at), ref.slice(at + 1)];
}

function isEdge({ kind }: UndoStep): boolean {
  return identityOf(kind)[0] === "a";
}

function isKind(word: string): word is Kind {
  return (KINDS as readonly string[]).includes(word);
}

function stateOf(state: unknown): Values | undefined {
  return typeof state === "object" && state !== null ? (state as Values) : undefined;
}

/** A step with the state that it meets now. */
export interface MetStep extends UndoStep {
  readonly current: Base | undefined;
}

/**
 * The steps with what they meet if nothing has changed since; undefined if a version is unknown.
 * @param etags versions after the changes, by reference
 */
export function expectedSteps(steps: readonly UndoStep[], etags: Etags): readonly MetStep[] | undefined {
  const met = steps.flatMap((step): readonly MetStep[] => {
    if (step.after === undefined) return [{ ...step, current: undefined }];
    const etag = etags.get(step.ref) ?? "";
    const values = prunedMessage(step.after, messageOf(step.kind));
    return etag === "" ? [] : [{ ...step, current: { values, etag } }];
  });
  return met.length === steps.length ? met : undefined;
}

/** What the step writes: the current state with the changed fields as they were before. */
export function targetOf({ kind, before, after, current }: MetStep): Values | undefined {
  if (before === undefined || after === undefined || current === undefined) return before;
  const message = messageOf(kind);
  const names = new Set(differences(after, before, message).map(({ path }) => String(path[0])));
  const kept = Object.fromEntries(Object.entries(current.values).filter(([name]) => !names.has(name)));
  return {
    ...kept,
    ...Object.fromEntries([...names].filter((name) => name in before).map((name) => [name, before[name]])),
  };
}

/** Returns the fields of the current state that the step would change. */
export function stepChanges(step: MetStep): readonly Difference[] {
  return differences(step.current?.values ?? {}, targetOf(step) ?? {}, messageOf(step.kind));
}

/** Fields that were changed again since: an undo overwrites these changes. */
export function changedSince({ kind, after, before, current }: MetStep): readonly Difference[] {
  if (after === undefined || current === undefined) return [];
  const message = messageOf(kind);
  const since = differences(after, current.values, message);
  // A removal takes all fields away.
  if (before === undefined) return since;
  const undone = new Set(differences(after, before, message).map(({ path }) => String(path[0])));
  return since.filter(({ path }) => undone.has(String(path[0])));
}

/** What the step changes, in the form of `InventoryChange`; undefined if there is nothing left to take back. */
export function stepChange(step: MetStep): Change | undefined {
  const { kind, identity, before, current } = step;
  if (before === undefined)
    return current === undefined ? undefined : removeChange(kind, identity, { etag: current.etag, cascade: false });
  if (current === undefined) return createChange(kind, before);
  if (stepChanges(step).length === 0) return undefined;
  return updateChange(kind, { before: current.values, after: targetOf(step) ?? {} }, current.etag);
}

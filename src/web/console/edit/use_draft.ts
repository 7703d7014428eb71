import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Finding } from "#gen/datacenter/v1/json.ts";
import { kindNoun } from "#words/names.ts";
import { CallError } from "../api/client.ts";
import { ask, callError } from "./ask.ts";
import { type Merge, mergeOf } from "./conflict.ts";
import { type Difference, differences } from "./differences.ts";
import { identityOf, identityText, type Kind, resourceOf, type Values } from "./form_model.ts";
import { limitProblems, type Problems, withRefusals } from "./problems.ts";
import { type Around, createCall, NOTHING_STORED, PAUSE_MS, storedCall, updateCall } from "./requests.ts";
import { prunedMessage } from "./values.ts";

/** A resource as stored, and its version. The version is empty if the resource is not stored yet. */
export interface Base {
  readonly values: Values;
  readonly etag: string;
}

/** What the server says about a draft that it has not written. */
export type Verdict =
  | { readonly state: "none" }
  | { readonly state: "checking" }
  | { readonly state: "allowed"; readonly warnings: readonly Finding[]; readonly after: Values }
  | { readonly state: "refused"; readonly error: CallError };

interface UpsertReply {
  readonly outcome: string;
  readonly warnings?: readonly Finding[];
}

/** Asks for a resource with its version. @throws CallError, `not_found` where it is not stored */
export async function loadStored(kind: Kind, identity: Values, signal?: AbortSignal): Promise<Base> {
  const { field, message } = resourceOf(kind);
  const reply = await ask<Readonly<Record<string, Values>> & { readonly outcome?: string }>(
    storedCall(kind, identity),
    signal,
  ).catch((error: unknown) => {
    // A change of nothing lacks what a new resource needs.
    const { code } = callError(error);
    if (code !== "invalid_argument" && code !== "failed_precondition") throw error;
    return { outcome: "OUTCOME_CREATED" } as never;
  });
  if (reply.outcome === "OUTCOME_CREATED") {
    throw new CallError("not_found", `There is no ${kindNoun(kind)} ${identityText(kind, identity)}`);
  }
  const stored = reply[field] ?? {};
  return { values: prunedMessage(stored, message), etag: String(stored["etag"] ?? "") };
}

/** The call that writes a draft: all of a new resource, of a stored one what differs. */
function writeCall(kind: Kind, base: Base, draft: Values, how: Around) {
  return base.etag === ""
    ? createCall(kind, draft, { ...how, etag: NOTHING_STORED })
    : updateCall(kind, { before: base.values, after: draft }, { ...how, etag: base.etag });
}

/**
 * Checks a draft with the server whenever it has rested: what would be stored, what is worth telling, what is refused.
 * Nothing is written.
 */
export function useVerdict(kind: Kind, base: Base, draft: Values, isReady: boolean): Verdict {
  const [verdict, setVerdict] = useState<Verdict>({ state: "none" });
  const key = isReady ? JSON.stringify([base.etag, draft]) : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all about the question
  useEffect(() => {
    if (key === "") {
      setVerdict({ state: "none" });
      return undefined;
    }
    setVerdict({ state: "checking" });
    const controller = new AbortController();
    const timer = setTimeout(() => {
      judge(kind, base, draft, controller.signal).then(
        (found) => controller.signal.aborted || setVerdict(found),
        (error: unknown) => controller.signal.aborted || setVerdict({ state: "refused", error: callError(error) }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [kind, key]);
  return verdict;
}

async function judge(kind: Kind, base: Base, draft: Values, signal: AbortSignal): Promise<Verdict> {
  const { field, message } = resourceOf(kind);
  const reply = await ask<UpsertReply>(writeCall(kind, base, draft, { validateOnly: true }), signal);
  const after = (reply as unknown as Readonly<Record<string, Values>>)[field] ?? {};
  return { state: "allowed", warnings: reply.warnings ?? [], after: prunedMessage(after, message) };
}

/** A draft, what it changes, and how it is saved. */
export interface Draft {
  readonly values: Values;
  readonly change: (values: Values) => void;
  readonly changes: readonly Difference[];
  readonly verdict: Verdict;
  /** What another person changed meanwhile; undefined without a change. */
  readonly merge: (Merge & { readonly stored: Values }) | undefined;
  readonly problems: Problems;
  readonly settle: (values: Values) => void;
  readonly isSaving: boolean;
  /** Why saving failed; a refusal of a field is part of the verdict as well. */
  readonly problem: CallError | undefined;
  readonly save: (message: string) => Promise<Saved | undefined>;
  /** The draft in the form of `InventoryChange`; undefined while there is nothing that can be written. */
  readonly asChanges: readonly Values[] | undefined;
}

export interface Saved {
  readonly values: Values;
  readonly requestId: string;
}

/** Follows one draft of a resource from its stored state to the write. */
export function useDraft(kind: Kind, stored: Base, first: Values): Draft {
  const { message } = resourceOf(kind);
  const [base, setBase] = useState(stored);
  const [values, setValues] = useState(first);
  const [theirs, setTheirs] = useState<Base>();
  const [problem, setProblem] = useState<CallError>();
  const [isSaving, setSaving] = useState(false);
  // The same id for every try of one write: an answer that got lost does not write twice.
  const request = useRef({ key: "", id: "" });
  const isNew = base.etag === "";
  const changes = useMemo(() => differences(isNew ? {} : base.values, values, message), [base, values, isNew, message]);
  const isNamed = identityOf(kind).every((name) => values[name] !== undefined);
  const limits = useMemo(() => limitProblems(values, message), [values, message]);
  const isReady = changes.length > 0 && isNamed && theirs === undefined && limits.size === 0;
  const verdict = useVerdict(kind, base, values, isReady);
  const stale = verdict.state === "refused" && verdict.error.reason === "ETAG_MISMATCH";
  useEffect(() => {
    if (stale) loadStored(kind, base.values).then(setTheirs, (error: unknown) => setProblem(callError(error)));
  }, [stale, kind, base]);
  const merge = useMemo(
    () =>
      theirs === undefined
        ? undefined
        : { ...mergeOf({ base: base.values, mine: values, theirs: theirs.values }, message), stored: theirs.values },
    [theirs, base, values, message],
  );
  const refused = verdict.state === "refused" ? verdict.error : undefined;
  const problems = useMemo(() => withRefusals(limits, kind, [refused, problem]), [limits, kind, refused, problem]);
  const save = async (why: string): Promise<Saved | undefined> => {
    setSaving(true);
    setProblem(undefined);
    const key = JSON.stringify([base.etag, values, why]);
    if (request.current.key !== key) request.current = { key, id: crypto.randomUUID() };
    const { id } = request.current;
    try {
      await ask(writeCall(kind, base, values, { validateOnly: false, message: why, requestId: id }));
      return { values, requestId: id };
    } catch (error) {
      const failed = callError(error);
      if (failed.reason === "ETAG_MISMATCH") setTheirs(await loadStored(kind, base.values));
      else setProblem(failed);
      return undefined;
    } finally {
      setSaving(false);
    }
  };
  return {
    values,
    change: (next) => {
      setProblem(undefined);
      setValues(next);
    },
    changes,
    verdict,
    merge,
    problems,
    settle: (next) => {
      if (theirs !== undefined) setBase(theirs);
      setTheirs(undefined);
      setValues(next);
    },
    isSaving,
    problem,
    save,
    asChanges: isReady ? [writeCall(kind, base, values, { validateOnly: false }).request] : undefined,
  };
}

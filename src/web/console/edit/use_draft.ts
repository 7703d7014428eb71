import { useMemo, useState } from "preact/hooks";
import { listStateChanges } from "./changes.ts";
import { mergeChanges, type ThreeWayMerge } from "./conflict.ts";
import { listDifferences, type ValueDifference } from "./differences.ts";
import { useIsReader } from "./edit_buttons.tsx";
import {
  type EditableKind,
  formatIdentity,
  getIdentityFields,
  getMessageName,
  type ResourceValues,
} from "./form_model.ts";
import { addRefusalProblems, listLimitProblems, type ProblemsByPath } from "./problems.ts";
import { loadStoredResource, type StoredResource } from "./stored.ts";
import { type ChangeProposal, useProposal } from "./use_proposal.ts";

/** A draft of a resource, with its changes and the proposal that writes them. */
export interface ResourceDraft {
  readonly values: ResourceValues;
  readonly change: (values: ResourceValues) => void;
  readonly changes: readonly ValueDifference[];
  readonly proposal: ChangeProposal;
  /** Changes that another person made meanwhile; undefined if there are none. */
  readonly merge: (ThreeWayMerge & { readonly stored: ResourceValues }) | undefined;
  readonly problems: ProblemsByPath;
  readonly settleConflict: (values: ResourceValues) => void;
}

/** Manages a draft until it is written. A new resource is written whole, a stored one by the fields that differ. */
export function useDraft(kind: EditableKind, stored: StoredResource, first: ResourceValues): ResourceDraft {
  const message = getMessageName(kind);
  const [base, setBase] = useState(stored);
  const [values, setValues] = useState(first);
  const [theirs, setTheirs] = useState<StoredResource>();
  const isNew = base.etag === "";
  const changes = useMemo(
    () => listDifferences(isNew ? {} : base.values, values, message),
    [base, values, isNew, message],
  );
  const hasIdentity = getIdentityFields(kind).every((name) => values[name] !== undefined);
  const limits = useMemo(() => listLimitProblems(values, message), [values, message]);
  const isReader = useIsReader();
  const isReady = !isReader && changes.length > 0 && hasIdentity && theirs === undefined && limits.size === 0;
  const stateChanges = useMemo(() => listStateChanges(kind, base, values), [kind, base, values]);
  const proposal = useProposal({
    changes: isReady ? stateChanges : undefined,
    reread: isNew
      ? undefined
      : async () => {
          const next = await loadStoredResource(kind, base.values);
          // The server also refuses a save for other reasons, such as an end that already has a cable.
          if (next.etag !== base.etag) setTheirs(next);
        },
    formatNotice: () => `Saved ${formatIdentity(kind, values)}`,
  });
  const merge = useMemo(
    () =>
      theirs === undefined
        ? undefined
        : {
            ...mergeChanges({ base: base.values, mine: values, theirs: theirs.values }, message),
            stored: theirs.values,
          },
    [theirs, base, values, message],
  );
  const { errors, problem } = proposal;
  const problems = addRefusalProblems(limits, kind, [...errors, ...(problem === undefined ? [] : [problem])]);
  return {
    values,
    change: setValues,
    changes,
    proposal,
    merge,
    problems,
    settleConflict: (next) => {
      if (theirs !== undefined) setBase(theirs);
      setTheirs(undefined);
      setValues(next);
    },
  };
}

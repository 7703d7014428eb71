import { useMemo, useState } from "preact/hooks";
import { changesTo } from "./changes.ts";
import { type Merge, mergeOf } from "./conflict.ts";
import { type Difference, differences } from "./differences.ts";
import { useIsReader } from "./edit_buttons.tsx";
import { identityOf, identityText, type Kind, messageOf, type Values } from "./form_model.ts";
import { limitProblems, type Problems, withRefusals } from "./problems.ts";
import { type Base, loadStored } from "./stored.ts";
import { type Proposal, useProposal } from "./use_proposal.ts";

/** A draft, what it changes, and how it is saved. */
export interface Draft {
  readonly values: Values;
  readonly change: (values: Values) => void;
  readonly changes: readonly Difference[];
  readonly proposal: Proposal;
  /** What another person changed meanwhile; undefined without a change. */
  readonly merge: (Merge & { readonly stored: Values }) | undefined;
  readonly problems: Problems;
  readonly settle: (values: Values) => void;
}

/** Follows one draft of a resource from its stored state to the write: all of a new one, of a stored one what differs. */
export function useDraft(kind: Kind, stored: Base, first: Values): Draft {
  const message = messageOf(kind);
  const [base, setBase] = useState(stored);
  const [values, setValues] = useState(first);
  const [theirs, setTheirs] = useState<Base>();
  const isNew = base.etag === "";
  const changes = useMemo(() => differences(isNew ? {} : base.values, values, message), [base, values, isNew, message]);
  const isNamed = identityOf(kind).every((name) => values[name] !== undefined);
  const limits = useMemo(() => limitProblems(values, message), [values, message]);
  const isReader = useIsReader();
  const isReady = !isReader && changes.length > 0 && isNamed && theirs === undefined && limits.size === 0;
  const made = useMemo(() => changesTo(kind, base, values), [kind, base, values]);
  const proposal = useProposal({
    changes: isReady ? made : undefined,
    reread: isNew
      ? undefined
      : async () => {
          const next = await loadStored(kind, base.values);
          // Something else may be in the way, such as a cable between the chosen ends.
          if (next.etag !== base.etag) setTheirs(next);
        },
    done: () => `Saved ${identityText(kind, values)}`,
  });
  const merge = useMemo(
    () =>
      theirs === undefined
        ? undefined
        : { ...mergeOf({ base: base.values, mine: values, theirs: theirs.values }, message), stored: theirs.values },
    [theirs, base, values, message],
  );
  const { errors, problem } = proposal;
  const problems = withRefusals(limits, kind, [...errors, ...(problem === undefined ? [] : [problem])]);
  return {
    values,
    change: setValues,
    changes,
    proposal,
    merge,
    problems,
    settle: (next) => {
      if (theirs !== undefined) setBase(theirs);
      setTheirs(undefined);
      setValues(next);
    },
  };
}

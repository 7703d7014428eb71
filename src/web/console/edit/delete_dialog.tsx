import { useState } from "preact/hooks";
import { nameKind, stripRefKinds } from "#words/names.ts";
import { countOf } from "../labels.ts";
import { Switch } from "../ui/fields.tsx";
import { removeChange } from "./changes.ts";
import { FindingLine, Problem, Refused } from "./changes_panel.tsx";
import { DialogButtons, EditDialog, WhyField } from "./dialog.tsx";
import { type Edit, editing } from "./editing.ts";
import { Effects } from "./effects.tsx";
import { identityOf, identityText, type Kind } from "./form_model.ts";
import { useStored } from "./stored.ts";
import { useProposal } from "./use_proposal.ts";

/** Other resources named before the rest is counted. */
const NAMED = 12;

/** Removes one resource, after saying what goes with it and what loses power. */
export function DeleteDialog({ edit }: { readonly edit: Extract<Edit, { readonly mode: "delete" }> }) {
  const { kind, identity } = edit;
  const [cascade, setCascade] = useState(false);
  const [why, setWhy] = useState("");
  const [stored, reread] = useStored(kind, identity);
  const name = identityText(kind, identity);
  const removal = (how: { readonly cascade: boolean }) =>
    stored.state === "done" ? [removeChange(kind, identity, { ...how, etag: stored.base.etag })] : undefined;
  const [isChanged, setChanged] = useState(false);
  const meet = () => {
    setChanged(true);
    return reread();
  };
  const proposal = useProposal({ changes: removal({ cascade }), reread: meet, done: () => `Deleted ${name}` });
  // What others keep from happening is shown with what depends on it as well.
  const isKept = proposal.state === "refused" && !cascade && canCascade(kind);
  const withRest = useProposal({ changes: isKept ? removal({ cascade: true }) : undefined, done: () => "" });
  const leave = () => editing.close();
  const submit = () => void proposal.write(why);
  const also = proposal.state === "allowed" ? (proposal.preview?.also ?? []) : [];
  return (
    <EditDialog
      title={`Delete ${name}`}
      about={nameKind(kind)}
      leave={leave}
      submit={submit}
      footer={
        <DialogButtons
          leave={leave}
          submit={submit}
          disabled={!proposal.canWrite}
          label={also.length === 0 ? `Delete ${nameKind(kind)}` : `Delete, and change ${countOf(also.length, "other")}`}
        />
      }
    >
      <div class="edit-body">
        <ul class="edit-findings" aria-live="polite">
          {isChanged ? <FindingLine state="watch" title="Someone else changed this meanwhile" /> : null}
          {stored.state === "failed" ? <Refused error={stored.error} /> : null}
          {proposal.errors.map((error) => (
            <Refused key={error.message} error={error} />
          ))}
          {proposal.state === "allowed" ? <Also refs={also} /> : null}
        </ul>
        <Problem proposal={proposal} />
        {isKept ? (
          <Effects proposal={withRest} title="After this change, with what depends on it removed" />
        ) : (
          <Effects proposal={proposal} />
        )}
        {canCascade(kind) ? (
          <Switch label="Remove what depends on it as well" on={cascade} change={setCascade} />
        ) : null}
        <WhyField value={why} set={setWhy} />
      </div>
    </EditDialog>
  );
}

function canCascade(kind: Kind): boolean {
  return identityOf(kind)[0] === "code" && kind !== "device_type";
}

function Also({ refs }: { readonly refs: readonly string[] }) {
  if (refs.length === 0) return <FindingLine state="ok" title="Nothing else is removed or changed" />;
  return (
    <FindingLine state="watch" title={`${countOf(refs.length, "other resource")} removed or changed with it`}>
      {stripRefKinds(refs.slice(0, NAMED).join(", "))}
      {refs.length > NAMED ? `, and ${refs.length - NAMED} more` : ""}
    </FindingLine>
  );
}

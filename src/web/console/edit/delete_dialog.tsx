import { useState } from "preact/hooks";
import { getKindNoun, stripRefKinds } from "#words/names.ts";
import { formatQuantity } from "../labels.ts";
import { SwitchField } from "../ui/fields.tsx";
import { buildRemoveChange } from "./changes.ts";
import { FindingLine, RefusalLine, WriteProblem } from "./changes_panel.tsx";
import { EditDialog, ReasonField } from "./dialog.tsx";
import type { EditRequest } from "./editing.ts";
import { ProposalEffects } from "./effects.tsx";
import { type EditableKind, formatIdentity, getIdentityFields } from "./form_model.ts";
import { useStoredResource } from "./stored.ts";
import { useProposal } from "./use_proposal.ts";

/** Maximum number of affected resources that the dialog lists by name. */
const MAX_NAMED_RESOURCES = 12;

/** Dialog that removes a resource, after showing which other resources are removed and which devices lose power. */
export function DeleteDialog({ edit }: { readonly edit: Extract<EditRequest, { readonly mode: "delete" }> }) {
  const { kind, identity } = edit;
  const [cascade, setCascade] = useState(false);
  const [why, setWhy] = useState("");
  const [stored, reread] = useStoredResource(kind, identity);
  const name = formatIdentity(kind, identity);
  const buildRemoval = (how: { readonly cascade: boolean }) =>
    stored.state === "done" ? [buildRemoveChange(kind, identity, { ...how, etag: stored.base.etag })] : undefined;
  const [isChanged, setChanged] = useState(false);
  const rereadAfterConflict = () => {
    setChanged(true);
    return reread();
  };
  const proposal = useProposal({
    changes: buildRemoval({ cascade }),
    reread: rereadAfterConflict,
    formatNotice: () => `Deleted ${name}`,
  });
  // If dependents prevent the removal, the dialog shows the effects of removing them too.
  const isBlockedByDependents = proposal.state === "refused" && !cascade && canRemoveDependents(kind);
  const cascadeProposal = useProposal({
    changes: isBlockedByDependents ? buildRemoval({ cascade: true }) : undefined,
    formatNotice: () => "",
  });
  const also = proposal.state === "allowed" ? (proposal.preview?.cascadedRefs ?? []) : [];
  return (
    <EditDialog
      title={`Delete ${name}`}
      about={getKindNoun(kind)}
      submit={() => void proposal.write(why)}
      button={{
        disabled: !proposal.canWrite,
        label:
          also.length === 0
            ? `Delete ${getKindNoun(kind)}`
            : `Delete, and change ${formatQuantity(also.length, "other")}`,
      }}
    >
      <div class="edit-body">
        <ul class="edit-findings" aria-live="polite">
          {isChanged ? <FindingLine state="watch" title="Someone else changed this meanwhile" /> : null}
          {stored.state === "failed" ? <RefusalLine error={stored.error} /> : null}
          {proposal.errors.map((error) => (
            <RefusalLine key={error.message} error={error} />
          ))}
          {proposal.state === "allowed" ? <FurtherRemovals refs={also} /> : null}
        </ul>
        <WriteProblem proposal={proposal} />
        {isBlockedByDependents ? (
          <ProposalEffects proposal={cascadeProposal} title="After this change, with what depends on it removed" />
        ) : (
          <ProposalEffects proposal={proposal} />
        )}
        {canRemoveDependents(kind) ? (
          <SwitchField label="Remove what depends on it as well" on={cascade} change={setCascade} />
        ) : null}
        <ReasonField value={why} set={setWhy} />
      </div>
    </EditDialog>
  );
}

function canRemoveDependents(kind: EditableKind): boolean {
  return getIdentityFields(kind)[0] === "code" && kind !== "device_type";
}

function FurtherRemovals({ refs }: { readonly refs: readonly string[] }) {
  if (refs.length === 0) return <FindingLine state="ok" title="Nothing else is removed or changed" />;
  return (
    <FindingLine state="watch" title={`${formatQuantity(refs.length, "other resource")} removed or changed with it`}>
      {stripRefKinds(refs.slice(0, MAX_NAMED_RESOURCES).join(", "))}
      {refs.length > MAX_NAMED_RESOURCES ? `, and ${refs.length - MAX_NAMED_RESOURCES} more` : ""}
    </FindingLine>
  );
}

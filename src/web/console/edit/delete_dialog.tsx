import { useEffect, useState } from "preact/hooks";
import { kindNoun } from "#words/names.ts";
import type { CallError } from "../api/client.ts";
import { written } from "../api/written.ts";
import { counted } from "../labels.ts";
import { Switch } from "../ui/fields.tsx";
import { After } from "./after.tsx";
import { apply } from "./apply.ts";
import { ask, callError } from "./ask.ts";
import { FindingLine, Refused } from "./changes_panel.tsx";
import { DialogButtons, EditDialog, WhyField } from "./dialog.tsx";
import { type Edit, editing } from "./editing.ts";
import { identityOf, identityText, type Kind, resourceOf, type Values } from "./form_model.ts";
import { type Around, removeCall } from "./requests.ts";
import { useStored } from "./use_stored.ts";

interface RemoveReply {
  readonly cascaded_refs?: readonly string[];
}

type Check =
  | { readonly state: "checking" }
  | { readonly state: "allowed"; readonly also: readonly string[] }
  | { readonly state: "refused"; readonly error: CallError };

/** Other resources named before the rest is counted. */
const NAMED = 12;

/** Removes one resource, after saying what goes with it and what loses power. */
export function DeleteDialog({ edit }: { readonly edit: Extract<Edit, { readonly mode: "delete" }> }) {
  const { kind, identity } = edit;
  const [cascade, setCascade] = useState(false);
  const [why, setWhy] = useState("");
  const [problem, setProblem] = useState<CallError>();
  const [requestId] = useState(() => crypto.randomUUID());
  const stored = useStored(kind, identity);
  const base = stored.state === "done" ? stored.base : undefined;
  const check = useCheck(edit, base?.etag, cascade);
  const name = identityText(kind, identity);
  const leave = () => editing.close();
  const submit = async () => {
    if (check.state !== "allowed" || base === undefined) return;
    try {
      const how = { etag: base.etag, cascade, validateOnly: false, message: why, requestId };
      await remove(kind, identity, how);
      editing.close({ text: `Deleted ${name}`, requestId });
      written.announce();
    } catch (error) {
      setProblem(callError(error));
    }
  };
  const total = check.state === "allowed" ? check.also.length : 0;
  return (
    <EditDialog
      title={`Delete ${name}`}
      about={kindNoun(kind)}
      leave={leave}
      submit={() => void submit()}
      footer={
        <DialogButtons
          leave={leave}
          submit={() => void submit()}
          disabled={check.state !== "allowed"}
          label={total === 0 ? `Delete ${kindNoun(kind)}` : `Delete, and change ${counted(total, "other")}`}
        />
      }
    >
      <div class="edit-body">
        <ul class="edit-findings" aria-live="polite">
          {stored.state === "failed" ? <Refused error={stored.error} /> : null}
          {check.state === "refused" ? <Refused error={check.error} /> : null}
          {problem === undefined ? null : <Refused error={problem} />}
          {check.state === "allowed" ? <Also refs={check.also} /> : null}
        </ul>
        <After {...afterDelete(edit, { etag: base?.etag, cascade, isRefused: check.state === "refused" })} />
        {canCascade(kind) ? (
          <Switch label="Remove what depends on it as well" on={cascade} change={setCascade} />
        ) : null}
        <WhyField value={why} set={setWhy} />
      </div>
    </EditDialog>
  );
}

function canCascade(kind: Kind): boolean {
  return identityOf(kind)[0] === "code" && resourceOf(kind).remove !== undefined;
}

/** What to ask about a removal. One that others keep from happening is asked about with what depends on it. */
function afterDelete(
  { kind, identity }: Extract<Edit, { readonly mode: "delete" }>,
  {
    etag,
    cascade,
    isRefused,
  }: { readonly etag: string | undefined; readonly cascade: boolean; readonly isRefused: boolean },
) {
  const withRest = canCascade(kind) && (cascade || isRefused);
  const ref = `${kind}:${identityText(kind, identity)}`;
  return {
    changes: etag === undefined ? undefined : [{ delete_ref: ref, ...(withRest && { cascade: true }) }],
    ...(withRest && !cascade && { title: "After this change, with what depends on it removed" }),
  };
}

/** Removes a resource, or asks what that would do. A kind without an RPC for it is removed by a call of one change. */
async function remove(
  kind: Kind,
  identity: Values,
  how: Around & { readonly cascade: boolean },
  signal?: AbortSignal,
): Promise<RemoveReply> {
  if (resourceOf(kind).remove !== undefined) return ask<RemoveReply>(removeCall(kind, identity, how), signal);
  const { etag = "", ...rest } = how;
  const { refusals } = await apply([{ delete_ref: `${kind}:${identityText(kind, identity)}`, etag }], rest, signal);
  const [refused] = refusals;
  if (refused !== undefined) throw refused;
  return {};
}

/** Asks the server what a delete would do; nothing is written. */
function useCheck(
  { kind, identity }: Extract<Edit, { readonly mode: "delete" }>,
  etag: string | undefined,
  cascade: boolean,
): Check {
  const [check, setCheck] = useState<Check>({ state: "checking" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a dialog is about one resource for as long as it is open
  useEffect(() => {
    if (etag === undefined) return undefined;
    setCheck({ state: "checking" });
    const controller = new AbortController();
    remove(kind, identity, { etag, cascade, validateOnly: true }, controller.signal).then(
      ({ cascaded_refs = [] }) => controller.signal.aborted || setCheck({ state: "allowed", also: cascaded_refs }),
      (error: unknown) => controller.signal.aborted || setCheck({ state: "refused", error: callError(error) }),
    );
    return () => controller.abort();
  }, [etag, cascade]);
  return check;
}

function Also({ refs }: { readonly refs: readonly string[] }) {
  if (refs.length === 0) return <FindingLine state="ok" title="Nothing else is removed or changed" />;
  return (
    <FindingLine state="watch" title={`${counted(refs.length, "other resource")} removed or changed with it`}>
      {refs.slice(0, NAMED).join(", ")}
      {refs.length > NAMED ? `, and ${refs.length - NAMED} more` : ""}
    </FindingLine>
  );
}

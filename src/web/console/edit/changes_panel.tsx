import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";
import type { Finding } from "#gen/datacenter/v1/json.ts";
import { formatConstant } from "#words/names.ts";
import { Icon, StateMark } from "../../shared/marks.tsx";
import type { State } from "../../shared/state_of_share.ts";
import { type CallError, canWrite, useSession } from "../api/client.ts";
import { getKeyLabel, isShortcutKey } from "../keys.ts";
import { formatQuantity, simplifyMessage } from "../labels.ts";
import { type EditableKind, type EditRequest, editStore, type ResourceValues } from "./form_model.ts";
import { describePreview, listPreviewRows, type PreviewRow } from "./preview_words.ts";
import type { ChangeProposal } from "./proposal.ts";
import type { ValueDifference } from "./states.ts";

/** Table with a row per value, which shows the value now and after a change. */
function BeforeAfterTable({ head, children }: { readonly head: string; readonly children: ComponentChildren }) {
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col">Now</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** Table of changed fields with their old and new values; removed values are struck out, new ones are bold. */
export function ChangesTable({ changes }: { readonly changes: readonly ValueDifference[] }) {
  if (changes.length === 0) return <p class="empty">Nothing is changed yet.</p>;
  return (
    <BeforeAfterTable head="Field">
      {changes.map(({ key, label, beforeText, afterText }) => (
        <tr key={key}>
          <th scope="row">{label}</th>
          <td>{beforeText === "" ? <span class="muted">not set</span> : <s>{beforeText}</s>}</td>
          <td>{afterText === "" ? <span class="muted">not set</span> : <strong>{afterText}</strong>}</td>
        </tr>
      ))}
    </BeforeAfterTable>
  );
}

export function FindingLine(props: {
  readonly state: State;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  const { state, title, children } = props;
  return (
    <li>
      <StateMark state={state} />
      <div>
        <strong>{title}</strong>
        {children === undefined ? null : <p>{children}</p>}
      </div>
    </li>
  );
}

/** Effects and refusals that the service reports for a proposal before it is written. */
export function ProposalFindings({ proposal: { state, preview, errors } }: { readonly proposal: ChangeProposal }) {
  return (
    <ul class="edit-findings" aria-live="polite">
      {state === "allowed" ? <WarningList warnings={preview?.warnings ?? []} /> : null}
      {errors.map((error) => (
        <RefusalLine key={error.message} error={error} />
      ))}
      {state === "away" ? (
        <FindingLine state="unknown" title="Not checked yet">
          The server does not answer. It is asked again every second; what is typed stays.
        </FindingLine>
      ) : null}
      {state === "checking" ? <FindingLine state="unknown" title="Checking with the server" /> : null}
      {state === "none" ? <FindingLine state="info" title="Nothing to check yet" /> : null}
    </ul>
  );
}

export function WarningList({ warnings }: { readonly warnings: readonly Finding[] }) {
  if (warnings.length === 0) return <FindingLine state="ok" title="No rule is broken" />;
  return (
    <>
      {warnings.map(({ code, message, ref }) => (
        <FindingLine key={`${code} ${message} ${ref}`} state="watch" title={formatConstant(code)}>
          {simplifyMessage(message)}
        </FindingLine>
      ))}
    </>
  );
}

/** Maximum number of listed reasons of one refusal. */
const MAX_LISTED_REASONS = 5;

export function RefusalLine({ error: { violations, message, reason } }: { readonly error: CallError }) {
  const all = violations.length === 0 ? [message] : violations.map(({ description }) => description);
  const texts = [...new Set(all)];
  return (
    <>
      {texts.slice(0, MAX_LISTED_REASONS).map((text) => (
        <FindingLine key={text} state="fault" title={reason === "" ? "Refused" : formatConstant(reason)}>
          {text}
        </FindingLine>
      ))}
      {texts.length > MAX_LISTED_REASONS ? <li>And {texts.length - MAX_LISTED_REASONS} more of these.</li> : null}
    </>
  );
}

/** Error of a failed write, unless the findings already contain it. */
export function WriteProblem({ proposal: { problem, errors } }: { readonly proposal: ChangeProposal }) {
  if (problem === undefined || errors.some(({ message }) => message === problem.message)) return null;
  return (
    <ul class="edit-findings" role="alert">
      <RefusalLine error={problem} />
    </ul>
  );
}

/** Maximum numbers of findings and of figures. Further findings are only counted; further figures are collapsed. */
const [MAX_LINES, MAX_ROWS] = [6, 8];

/** Effects of a proposal on supplies, racks and cooling, losses first; hidden without effects. */
export function ProposalEffects(props: {
  readonly proposal: ChangeProposal;
  readonly title?: string;
  /** Number of all changes, if the preview covers only the first ones. */
  readonly total?: number;
}) {
  const {
    proposal: { state, preview },
    title = "After this change",
    total = preview?.total ?? 0,
  } = props;
  const heading = useId();
  const lines = preview === undefined ? [] : describePreview(preview.figures);
  const rows = preview === undefined ? [] : listPreviewRows(preview.figures);
  const isPartial = preview !== undefined && preview.figures.results.length < total;
  return (
    <section
      class="after"
      aria-labelledby={heading}
      aria-busy={state === "checking"}
      hidden={lines.length + rows.length === 0}
    >
      <h3 id={heading}>{title}</h3>
      {isPartial ? (
        <p class="muted">Figures of the first {formatQuantity(preview.figures.results.length, "change")}.</p>
      ) : null}
      <ul class="edit-findings" aria-live="polite" hidden={lines.length === 0}>
        {lines.slice(0, MAX_LINES).map(({ state, title: said, text }) => (
          <FindingLine key={`${state} ${said}`} state={state} title={said}>
            {text}
          </FindingLine>
        ))}
        {lines.length > MAX_LINES ? <li>And {formatQuantity(lines.length - MAX_LINES, "other finding")}.</li> : null}
      </ul>
      <EffectFigures rows={rows.slice(0, MAX_ROWS)} />
      {rows.length > MAX_ROWS ? (
        <details>
          <summary>{formatQuantity(rows.length - MAX_ROWS, "more figure")}</summary>
          <EffectFigures rows={rows.slice(MAX_ROWS)} />
        </details>
      ) : null}
    </section>
  );
}

function EffectFigures({ rows }: { readonly rows: readonly PreviewRow[] }) {
  if (rows.length === 0) return null;
  return (
    <BeforeAfterTable head="Figure">
      {rows.map(({ label, before, after, state }) => (
        <tr key={label}>
          <th scope="row">
            {state === "ok" ? null : <StateMark state={state} label={state} />} {label}
          </th>
          <td>{before === "" ? <span class="muted">none</span> : before}</td>
          <td>{after === "" ? <span class="muted">none</span> : <strong>{after}</strong>}</td>
        </tr>
      ))}
    </BeforeAfterTable>
  );
}

/** Whether the person may write; without that right, buttons that would fail are hidden. */
export function useCanWrite(): boolean {
  return canWrite(useSession().reply);
}

/** Whether the person is known to have no right to write; with an expired token that is unknown. */
export function useIsReader(): boolean {
  const { reply } = useSession();
  return reply !== undefined && !canWrite(reply);
}

export function EditButton({ edit, children }: { readonly edit: EditRequest; readonly children: ComponentChildren }) {
  return (
    <button type="button" onClick={() => editStore.open(edit)}>
      {children}
    </button>
  );
}

interface EditedResource {
  readonly kind: EditableKind;
  readonly identity: ResourceValues;
}

/** Button that edits a resource, with the shortcut `E`; hidden from readers. */
export function EditResourceButton({ kind, identity }: EditedResource) {
  const isWriter = useCanWrite();
  const key = JSON.stringify(identity);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the identity
  useEffect(() => {
    if (!isWriter) return undefined;
    const openOnShortcut = (event: KeyboardEvent) => {
      const inField = (event.target as Element).matches?.("input, textarea, select, dialog *");
      if (inField || !isShortcutKey(event, "edit")) return;
      event.preventDefault();
      editStore.open({ mode: "edit", kind, identity });
    };
    addEventListener("keydown", openOnShortcut);
    return () => removeEventListener("keydown", openOnShortcut);
  }, [isWriter, kind, key]);
  if (!isWriter) return null;
  return (
    <EditButton edit={{ mode: "edit", kind, identity }}>
      <Icon name="edit" />
      Edit <kbd>{getKeyLabel("edit")}</kbd>
    </EditButton>
  );
}

/** Buttons that duplicate and delete a resource; hidden from readers. */
export function DuplicateDeleteButtons({ kind, identity }: EditedResource) {
  if (!useCanWrite()) return null;
  return (
    <>
      {kind === "cable" || kind === "fabric_link" ? null : (
        <EditButton edit={{ mode: "duplicate", kind, identity }}>Duplicate</EditButton>
      )}
      <EditButton edit={{ mode: "delete", kind, identity }}>Delete</EditButton>
    </>
  );
}

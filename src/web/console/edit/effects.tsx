import { useId } from "preact/hooks";
import { StateMark } from "../../shared/state.tsx";
import { formatQuantity } from "../labels.ts";
import { BeforeAfterTable, FindingLine } from "./changes_panel.tsx";
import { describePreview, listPreviewRows, type PreviewRow } from "./preview_words.ts";
import type { ChangeProposal } from "./use_proposal.ts";

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

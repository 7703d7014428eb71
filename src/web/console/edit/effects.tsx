import { useId } from "preact/hooks";
import { StateMark } from "../../shared/state.tsx";
import { countOf } from "../labels.ts";
import { FindingLine } from "./changes_panel.tsx";
import { type PreviewRow, previewLines, previewRows } from "./preview_words.ts";
import type { Proposal } from "./use_proposal.ts";

/** Sentences and figures that are shown before the rest is folded. */
const [LINES, ROWS] = [6, 8];

/** What a proposal does to supplies, racks and cooling, warnings first; hidden if it does nothing to them. */
export function Effects({
  proposal: { state, preview },
  title = "After this change",
  total = preview?.total ?? 0,
}: {
  readonly proposal: Proposal;
  readonly title?: string;
  /** Changes in all, if the proposal has the first of them only. */
  readonly total?: number;
}) {
  const heading = useId();
  const lines = preview === undefined ? [] : previewLines(preview.figures);
  const rows = preview === undefined ? [] : previewRows(preview.figures);
  const isCut = preview !== undefined && preview.figures.results.length < total;
  return (
    <section
      class="after"
      aria-labelledby={heading}
      aria-busy={state === "checking"}
      hidden={lines.length + rows.length === 0}
    >
      <h3 id={heading}>{title}</h3>
      {isCut ? <p class="muted">Figures of the first {countOf(preview.figures.results.length, "change")}.</p> : null}
      <ul class="edit-findings" aria-live="polite" hidden={lines.length === 0}>
        {lines.slice(0, LINES).map(({ state, title: said, text }) => (
          <FindingLine key={`${state} ${said}`} state={state} title={said}>
            {text}
          </FindingLine>
        ))}
        {lines.length > LINES ? <li>And {countOf(lines.length - LINES, "other finding")}.</li> : null}
      </ul>
      <Figures rows={rows.slice(0, ROWS)} />
      {rows.length > ROWS ? (
        <details>
          <summary>{countOf(rows.length - ROWS, "more figure")}</summary>
          <Figures rows={rows.slice(ROWS)} />
        </details>
      ) : null}
    </section>
  );
}

function Figures({ rows }: { readonly rows: readonly PreviewRow[] }) {
  if (rows.length === 0) return null;
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col">Now</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, before, after, state }) => (
          <tr key={label}>
            <th scope="row">
              {state === "ok" ? null : <StateMark state={state} label={state} />} {label}
            </th>
            <td>{before === "" ? <span class="muted">none</span> : before}</td>
            <td>{after === "" ? <span class="muted">none</span> : <strong>{after}</strong>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import { useId } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { counted } from "../labels.ts";
import { StateMark } from "../ui/state.tsx";
import { FindingLine } from "./changes_panel.tsx";
import type { Values } from "./form_model.ts";
import { usePreview } from "./preview.ts";
import { type PreviewRow, previewLines, previewRows } from "./preview_words.ts";

/** Sentences and figures that are shown before the rest is folded. */
const [LINES, ROWS] = [6, 8];

/**
 * What a draft does to supplies, racks and cooling, warnings first; nothing where nothing changes.
 *
 * @param changes in the form of `InventoryChange`; undefined while there is nothing to ask about
 */
export function After({
  changes,
  title = "After this change",
}: {
  readonly changes: readonly Values[] | undefined;
  readonly title?: string;
}) {
  const { answer, isBusy } = usePreview(changes);
  const heading = useId();
  const lines = answer === undefined ? [] : previewLines(answer);
  const rows = answer === undefined ? [] : previewRows(answer);
  const left = (changes?.length ?? 0) - MAX_BATCH_ITEMS;
  return (
    <section class="after" aria-labelledby={heading} aria-busy={isBusy} hidden={lines.length + rows.length === 0}>
      <h3 id={heading}>{title}</h3>
      {left > 0 ? <p class="muted">Figures of the first {counted(MAX_BATCH_ITEMS, "change")}.</p> : null}
      <ul class="edit-findings" aria-live="polite" hidden={lines.length === 0}>
        {lines.slice(0, LINES).map(({ state, title: said, text }) => (
          <FindingLine key={`${state} ${said}`} state={state} title={said}>
            {text}
          </FindingLine>
        ))}
        {lines.length > LINES ? <li>And {counted(lines.length - LINES, "other finding")}.</li> : null}
      </ul>
      <Figures rows={rows.slice(0, ROWS)} />
      {rows.length > ROWS ? (
        <details>
          <summary>{counted(rows.length - ROWS, "more figure")}</summary>
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

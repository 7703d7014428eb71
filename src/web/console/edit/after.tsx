import { useEffect, useId, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { PreviewChangesResponse } from "#gen/datacenter/v1/json.ts";
import { StateMark } from "../../shared/state.tsx";
import { counted } from "../labels.ts";
import { ask } from "./ask.ts";
import { FindingLine } from "./changes_panel.tsx";
import type { Values } from "./form_model.ts";
import { type PreviewRow, previewLines, previewRows } from "./preview_words.ts";
import { PAUSE_MS, PLANNING } from "./requests.ts";

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

interface Previewed {
  readonly answer: PreviewChangesResponse | undefined;
  /** Whether a newer draft is being asked about: the answer is that of an earlier one. */
  readonly isBusy: boolean;
}

/**
 * Asks what changes would do once they have rested; nothing is written.
 *
 * @param changes in the form of `InventoryChange`, of which the first thousand are asked about; undefined asks nothing
 */
function usePreview(changes: readonly Values[] | undefined): Previewed {
  const [found, setFound] = useState<{ readonly key: string; readonly answer: PreviewChangesResponse | undefined }>(
    NOTHING,
  );
  const key = changes === undefined || changes.length === 0 ? "" : JSON.stringify(changes.slice(0, MAX_BATCH_ITEMS));
  useEffect(() => {
    if (key === "") {
      setFound(NOTHING);
      return undefined;
    }
    const controller = new AbortController();
    const show = (answer: PreviewChangesResponse | undefined) => controller.signal.aborted || setFound({ key, answer });
    const timer = setTimeout(() => {
      const call = { service: PLANNING, rpc: "PreviewChanges", request: { changes: JSON.parse(key) } };
      // The check of the draft reports errors of the whole request.
      ask<PreviewChangesResponse>(call, controller.signal).then(show, () => show(undefined));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return key === "" ? NOT_ASKED : { answer: found.answer, isBusy: found.key !== key };
}

const NOTHING = { key: "", answer: undefined };
const NOT_ASKED: Previewed = { answer: undefined, isBusy: false };

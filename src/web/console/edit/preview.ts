import { useEffect, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { ask } from "./ask.ts";
import type { Values } from "./form_model.ts";
import type { PreviewAnswer } from "./preview_answer.ts";
import { PAUSE_MS, PLANNING } from "./requests.ts";

export interface Previewed {
  readonly answer: PreviewAnswer | undefined;
  /** Whether a newer draft is being asked about: the answer is that of an earlier one. */
  readonly isBusy: boolean;
}

/**
 * Asks what changes would do once they have rested; nothing is written.
 *
 * @param changes in the form of `InventoryChange`, of which the first thousand are asked about; undefined asks nothing
 */
export function usePreview(changes: readonly Values[] | undefined): Previewed {
  const [found, setFound] = useState<{ readonly key: string; readonly answer: PreviewAnswer | undefined }>(NOTHING);
  const key = changes === undefined || changes.length === 0 ? "" : JSON.stringify(changes.slice(0, MAX_BATCH_ITEMS));
  useEffect(() => {
    if (key === "") {
      setFound(NOTHING);
      return undefined;
    }
    const controller = new AbortController();
    const show = (answer: PreviewAnswer | undefined) => controller.signal.aborted || setFound({ key, answer });
    const timer = setTimeout(() => {
      const call = { service: PLANNING, rpc: "PreviewChanges", request: { changes: JSON.parse(key) } };
      // The check of the draft reports errors of the whole request.
      ask<PreviewAnswer>(call, controller.signal).then(show, () => show(undefined));
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

import { useCall } from "../api/use_call.ts";
import { RefusalLine } from "../edit/changes_panel.tsx";
import type { ResourceValues } from "../edit/form_model.ts";
import { useDelayedValue } from "../ui/use_delayed.ts";
import { WindowJudgement } from "./judgement.tsx";
import { CHECK_WINDOW_RPC } from "./window_words.tsx";

const CHECK_DELAY_MS = 250;

/** Verdict of an edited window, checked again after each change. `code` is the window's code if it is stored. */
export function WindowCheck(props: {
  readonly values: ResourceValues;
  readonly code: string;
  readonly change: (values: ResourceValues) => void;
  /** Whether another part of the dialog already shows the refusal. */
  readonly isRefused: boolean;
}) {
  const { values, code, change, isRefused } = props;
  const { element_refs = [], accepted_refs = [], starts_at, ends_at, state } = values;
  const elements = element_refs as readonly string[];
  const accepted = accepted_refs as readonly string[];
  const isOver = state === "WINDOW_STATE_DONE" || state === "WINDOW_STATE_CANCELLED";
  const times = [starts_at, ends_at].map(String);
  const [start = 0, end = 0] = times.map((at) => Date.parse(at));
  const isComplete = elements.length > 0 && times.every((at) => at.endsWith("Z")) && start < end;
  const asked = JSON.stringify({ element_refs, accepted_refs, starts_at, ends_at, except_code: code, max_items: 50 });
  const question = useDelayedValue(isComplete && !isOver ? asked : "", CHECK_DELAY_MS);
  const { reply, error, loading } = useCall(CHECK_WINDOW_RPC, question === "" ? undefined : JSON.parse(question));
  if (isOver) return <p>Its elements do not count as out any more.</p>;
  if (!isComplete) return <p>Name what is out of service, and from when until when.</p>;
  if (error !== undefined)
    return isRefused ? null : (
      <ul class="edit-findings">
        <RefusalLine error={error} />
      </ul>
    );
  if (reply === undefined) return <p role="status">Checking…</p>;
  const accept = (ref: string) => change({ ...values, accepted_refs: [...accepted, ref] });
  return (
    <div class={loading || question !== asked ? "outdated" : undefined} aria-busy={loading}>
      <WindowJudgement judged={reply} accept={accept} />
    </div>
  );
}

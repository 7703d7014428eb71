import { Icon } from "../../shared/icon.tsx";
import { type EditRequest, editStore } from "../edit/editing.ts";
import type { ResourceValues } from "../edit/form_model.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Returns the edit of a new window for some elements: two hours, from the next full hour. */
export function createWindowEdit(refs: readonly string[]): EditRequest {
  const now = new Date();
  const start = new Date(now).setMinutes(0, 0, 0) + HOUR_MS;
  const stamp = now.toISOString().replaceAll(/\D/g, "");
  return {
    mode: "create",
    kind: "window",
    values: {
      code: `MW-${stamp.slice(0, 8)}-${stamp.slice(8, 12)}`,
      element_refs: refs,
      starts_at: new Date(start).toISOString(),
      ends_at: new Date(start + 2 * HOUR_MS).toISOString(),
    },
  };
}

/** Moves the end of a window when its start changes, so that the window keeps its length. */
export function keepWindowLength(before: ResourceValues, after: ResourceValues): ResourceValues {
  if (before["starts_at"] === after["starts_at"] || before["ends_at"] !== after["ends_at"]) return after;
  const [was, is, end] = [before["starts_at"], after["starts_at"], before["ends_at"]].map((at) =>
    Date.parse(String(at)),
  );
  const moved = new Date((end ?? 0) + (is ?? 0) - (was ?? 0));
  return Number.isNaN(moved.getTime()) ? after : { ...after, ends_at: moved.toISOString() };
}

/** Button that plans a window for an element. Everyone can check the window; writers can also store it. */
export function TakeOutOfServiceButton({ target }: { readonly target: string }) {
  return (
    <button type="button" onClick={() => editStore.open(createWindowEdit([target]))}>
      <Icon name="window" />
      Take out of service…
    </button>
  );
}

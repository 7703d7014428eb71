import { Icon } from "../../shared/icon.tsx";
import { editStore, type ResourceEditing } from "../edit/editing.ts";
import type { ResourceValues } from "../edit/form_model.ts";

const HOUR_MS = 60 * 60 * 1000;

/** A new window about some elements: two hours from the next full hour on. */
export function newWindow(refs: readonly string[]): ResourceEditing {
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

/** The values with the end moved along when the start moves: a window keeps its length. */
export function withLength(before: ResourceValues, after: ResourceValues): ResourceValues {
  if (before["starts_at"] === after["starts_at"] || before["ends_at"] !== after["ends_at"]) return after;
  const [was, is, end] = [before["starts_at"], after["starts_at"], before["ends_at"]].map((at) =>
    Date.parse(String(at)),
  );
  const moved = new Date((end ?? 0) + (is ?? 0) - (was ?? 0));
  return Number.isNaN(moved.getTime()) ? after : { ...after, ends_at: moved.toISOString() };
}

/** Asks whether this may be taken out of service. Everybody may ask; what a writer asks can be stored. */
export function TakeOut({ target }: { readonly target: string }) {
  return (
    <button type="button" onClick={() => editStore.open(newWindow([target]))}>
      <Icon name="window" />
      Take out of service…
    </button>
  );
}

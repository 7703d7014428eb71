import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { FindingLine } from "./changes_panel.tsx";
import { resolveConflict, type ThreeWayMerge } from "./conflict.ts";
import type { ResourceValues } from "./form_model.ts";

/** Shows two people's changes side by side, with a choice for each field that both changed. */
export function ConflictPanel(props: {
  readonly merge: ThreeWayMerge;
  readonly theirs: ResourceValues;
  readonly settle: (values: ResourceValues) => void;
}) {
  const { merge, theirs, settle } = props;
  const panel = useRef<HTMLElement>(null);
  // In a narrow window the panel is below the form.
  useLayoutEffect(() => panel.current?.scrollIntoView({ block: "nearest" }), []);
  const [mine, setMine] = useState<ReadonlySet<string>>(new Set());
  const chooseSide = (key: string, isMine: boolean) => {
    const next = new Set(mine);
    if (isMine) next.add(key);
    else next.delete(key);
    setMine(next);
  };
  return (
    <section ref={panel} class="conflict" role="alert" aria-label="Changed by someone else">
      <ul class="edit-findings">
        <FindingLine state="watch" title="Someone else changed this meanwhile">
          {merge.clashes.length === 0
            ? "You changed different fields: both changes can be kept."
            : "Choose for each field that both of you changed."}
        </FindingLine>
      </ul>
      {merge.clashes.map(({ mine: own, theirs: other }) => (
        <fieldset key={own.key}>
          <legend>{own.label}</legend>
          <ClashChoice
            name={own.key}
            label="Theirs"
            text={other.afterText}
            checked={!mine.has(own.key)}
            choose={() => chooseSide(own.key, false)}
          />
          <ClashChoice
            name={own.key}
            label="Yours"
            text={own.afterText}
            checked={mine.has(own.key)}
            choose={() => chooseSide(own.key, true)}
          />
        </fieldset>
      ))}
      {merge.theirs.length === 0 ? null : (
        <p>
          Only they changed:{" "}
          {merge.theirs.map(({ label, afterText }) => `${label} (${afterText || "not set"})`).join(", ")}.
        </p>
      )}
      <button
        type="button"
        class="primary"
        onClick={({ currentTarget }) => {
          // The focused button disappears, so the focus moves to the dialog.
          currentTarget.closest<HTMLElement>(".edit-side")?.focus();
          settle(resolveConflict(theirs, merge, (clash) => mine.has(clash.mine.key)));
        }}
      >
        Go on with this
      </button>
    </section>
  );
}

function ClashChoice(props: {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly checked: boolean;
  readonly choose: () => void;
}) {
  const { name, label, text, checked, choose } = props;
  return (
    <label class={checked ? "choice chosen" : "choice"}>
      <input type="radio" name={name} checked={checked} onChange={choose} />
      <span>
        {label}: <strong>{text === "" ? "not set" : text}</strong>
      </span>
    </label>
  );
}

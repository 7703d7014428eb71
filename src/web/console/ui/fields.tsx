import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Combobox } from "./combobox.tsx";
import type { Option } from "./use_hits.ts";

let pressed = false;

addEventListener("pointerdown", () => (pressed = true), { capture: true });
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (pressed = false), { capture: true });

/**
 * Runs `act` now, or when the pointer's button that is down comes up. A field is left as the button goes down: what
 * that changes would be drawn before the button comes up, and what stood below the pointer would miss its click.
 */
function afterPress(act: () => void): void {
  if (!pressed) {
    act();
    return;
  }
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    act();
  };
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, end, { signal: ended.signal });
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** A text that takes effect when it is left or Enter is pressed; `placeholder` shows the form expected. */
export function TextField({
  label,
  value,
  change,
  placeholder = "",
  offered,
}: FieldProps & {
  readonly placeholder?: string;
  /** What may be chosen instead of typed, which takes effect at once. */
  readonly offered?: {
    readonly options: readonly Option[];
    readonly typed: (text: string) => void;
    readonly choose: (value: string) => void;
  };
}) {
  const id = useId();
  const [text, setText] = useState(value);
  // With the drawing itself: leaving the field a moment later would put the old text back.
  useLayoutEffect(() => setText(value), [value]);
  // A browser takes the focus away from a field that goes with its page: what stood in it must not lead back there.
  const gone = useRef(false);
  useLayoutEffect(
    () => () => {
      gone.current = true;
    },
    [],
  );
  const settle = () => {
    if (!gone.current && text.trim() !== value) change(text.trim());
  };
  const common = {
    id,
    value: text,
    placeholder,
    onBlur: () => afterPress(settle),
    onKeyDown: ({ key }: KeyboardEvent) => key === "Enter" && settle(),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {offered === undefined ? (
        <input
          {...common}
          type="text"
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      ) : (
        <Combobox
          {...common}
          options={offered.options}
          typed={(next) => {
            setText(next);
            offered.typed(next);
          }}
          choose={(option) => {
            setText(option.name);
            offered.choose(option.value);
          }}
        />
      )}
    </div>
  );
}

/** A day as `YYYY-MM-DD`. */
export function DateField({ label, value, change }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="date" value={value} onChange={({ currentTarget }) => change(currentTarget.value)} />
    </label>
  );
}

export function ChoiceField({
  label,
  value,
  change,
  choices,
}: FieldProps & {
  readonly choices: readonly (readonly [value: string, word: string])[];
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {choices.map(([key, word]) => (
          <option key={key} value={key}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Switch({
  label,
  on,
  change,
}: {
  readonly label: string;
  readonly on: boolean;
  readonly change: (on: boolean) => void;
}) {
  return (
    <label class="switch">
      <input type="checkbox" checked={on} onChange={({ currentTarget }) => change(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

export function Filters({ children }: { readonly children: ComponentChildren }) {
  return <div class="filters">{children}</div>;
}

/** A choice of a few, of which one is always taken; arrow keys change it. */
export function Segments({
  label,
  value,
  choices,
  change,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly change: (value: string) => void;
}) {
  return (
    <fieldset class="segments">
      <legend class="sr-only">{label}</legend>
      {choices.map(([one, name]) => (
        <label key={one}>
          <input type="radio" name={label} class="sr-only" checked={one === value} onChange={() => change(one)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

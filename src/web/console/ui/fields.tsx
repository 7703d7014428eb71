import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

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
  placeholder,
  list,
  typed,
}: FieldProps & {
  readonly placeholder?: string;
  /** The id of the list of what is offered. */
  readonly list?: string;
  /** Hears of each letter. */
  readonly typed?: (text: string) => void;
}) {
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
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={text}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder ?? ""}
        list={list}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          typed?.(currentTarget.value);
        }}
        onBlur={() => afterPress(settle)}
        onKeyDown={({ key }) => key === "Enter" && settle()}
      />
    </label>
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

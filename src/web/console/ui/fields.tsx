import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { afterPress } from "./press.ts";

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
}: FieldProps & {
  readonly placeholder?: string;
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
        onInput={({ currentTarget }) => setText(currentTarget.value)}
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

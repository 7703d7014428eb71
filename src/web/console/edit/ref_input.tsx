import { useId } from "preact/hooks";
import { useFound } from "./use_found.ts";

/** A field that names a rack, a device or a source; it offers what is there while one types. */
export function RefInput({
  common,
  name,
  value,
  set,
}: {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly name: string;
  readonly value: string;
  readonly set: (text: string) => void;
}) {
  const list = useId();
  const found = useFound(name, value);
  return (
    <>
      <input
        {...common}
        type="text"
        autocomplete="off"
        spellcheck={false}
        list={list}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      <datalist id={list}>
        {found.map(({ value: option, note }) => (
          <option key={option} value={option}>
            {note}
          </option>
        ))}
      </datalist>
    </>
  );
}

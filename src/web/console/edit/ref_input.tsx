import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { findRefsByName } from "../named_refs.ts";
import { Combobox } from "../ui/combobox.tsx";
import { createFieldOptions, formatShownRef, parseTypedRef, useSearchHits } from "../ui/use_hits.ts";

/** Kinds of elements that a field can name. The source field stores references; the others store codes. */
const KINDS_BY_FIELD: Readonly<Record<string, readonly string[]>> = {
  rack_code: ["RACK"],
  source_ref: ["SUPPLY", "DEVICE", "PORT"],
};

/** Field that names a rack, a device or a source by its code. It offers matching elements while the person types. */
export function RefInput(props: {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly name: string;
  readonly value: string;
  readonly set: (text: string) => void;
}) {
  const { common, name, value, set } = props;
  // The stored reference stays while its code is unchanged, because a code may name several elements.
  const [stored] = useState(value);
  const [typed, setTyped] = useState("");
  const hits = useSearchHits(getRefName(value), KINDS_BY_FIELD[name] ?? ["DEVICE"]);
  const isRef = name === "source_ref";
  const setTypedText = (text: string) => {
    setTyped(text);
    const found =
      isRef && text !== ""
        ? findRefsByName(
            hits.map(({ ref }) => ref),
            text,
          )
        : [];
    set(text === getRefName(stored) ? stored : found.length === 1 ? (found[0] ?? "") : parseTypedRef(text));
  };
  return (
    <Combobox
      {...common}
      value={typed === value ? typed : formatShownRef(value, hits)}
      options={createFieldOptions(hits)}
      onType={setTypedText}
      choose={(option) => set(isRef ? option.value : getRefName(option.value))}
    />
  );
}

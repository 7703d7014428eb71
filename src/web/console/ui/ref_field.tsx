import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { TextField } from "./fields.tsx";
import { createFieldOptions, formatShownRef, parseTypedRef, useSearchHits } from "./use_hits.ts";

interface RefFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
  /** Kinds of elements that the field accepts, such as RACK. */
  readonly kinds: readonly string[];
}

/**
 * A field for references, separated by spaces, that offers matches while the person types. It shows codes, with their
 * kind if a code names several elements; `change` receives references, and codes that were typed but not chosen.
 */
export function RefField({ kinds, value, change, ...field }: RefFieldProps) {
  const [text, setText] = useState<string>();
  const refs = value.split(" ");
  const words = (text ?? refs.map(getRefName).join(" ")).split(/ +/);
  const hits = useSearchHits(words.at(-1) ?? "", kinds);
  const shown = refs.map((ref) => formatShownRef(ref, hits));
  const findRef = (word: string) => refs[shown.indexOf(word)] ?? parseTypedRef(word);
  const before = words.slice(0, -1);
  return (
    <TextField
      {...field}
      value={shown.join(" ")}
      change={(typed) => change(typed.split(/ +/).map(findRef).join(" "))}
      offered={{
        options: createFieldOptions(hits).map((option) => ({ ...option, name: [...before, option.name].join(" ") })),
        typed: setText,
        choose: (ref) => {
          setText(undefined);
          change([...before.map(findRef), ref].join(" "));
        },
      }}
    />
  );
}

import { useState } from "preact/hooks";
import { getRefName } from "#words/names.ts";
import { TextField } from "./fields.tsx";
import { optionsOf, shownRef, typedRef, useHits } from "./use_hits.ts";

interface RefFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
  /** Kinds of the inventory that the field may name, such as RACK. */
  readonly kinds: readonly string[];
}

/**
 * A field that names things of the inventory, several parted by blanks; it offers what is there while one types. It shows
 * codes, with their kind where a code names several things; `change` is given references, and codes that were only typed.
 */
export function RefField({ kinds, value, change, ...field }: RefFieldProps) {
  const [text, setText] = useState<string>();
  const refs = value.split(" ");
  const words = (text ?? refs.map(getRefName).join(" ")).split(/ +/);
  const hits = useHits(words.at(-1) ?? "", kinds);
  const shown = refs.map((ref) => shownRef(ref, hits));
  const refOf = (word: string) => refs[shown.indexOf(word)] ?? typedRef(word);
  const before = words.slice(0, -1);
  return (
    <TextField
      {...field}
      value={shown.join(" ")}
      change={(typed) => change(typed.split(/ +/).map(refOf).join(" "))}
      offered={{
        options: optionsOf(hits).map((option) => ({ ...option, name: [...before, option.name].join(" ") })),
        typed: setText,
        choose: (ref) => {
          setText(undefined);
          change([...before.map(refOf), ref].join(" "));
        },
      }}
    />
  );
}

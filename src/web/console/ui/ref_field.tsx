import { useId, useState } from "preact/hooks";
import { refName } from "#words/names.ts";
import { TextField } from "./fields.tsx";
import { useHits } from "./use_hits.ts";

interface RefFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
  /** Kinds of the inventory that the field may name, such as RACK. */
  readonly kinds: readonly string[];
}

/** A field that names things of the inventory by code, several parted by blanks; it offers what is there while one types. */
export function RefField({ kinds, value, ...field }: RefFieldProps) {
  const list = useId();
  const [text, setText] = useState("");
  const [, before = "", last = ""] = /^(.*\s|)(\S*)$/.exec(text) ?? [];
  const options = useHits(last, kinds);
  return (
    <>
      <TextField {...field} value={value.split(" ").map(refName).join(" ")} list={list} typed={setText} />
      <datalist id={list}>
        {options.map(({ ref, detail }) => (
          <option key={ref} value={before + optionOf(ref, options)}>
            {detail}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** The code alone, unless it names several of the things that are offered. */
export function optionOf(ref: string, options: readonly { readonly ref: string }[]): string {
  const isShared = options.some((other) => other.ref !== ref && refName(other.ref) === refName(ref));
  return isShared ? ref : refName(ref);
}

import { useId, useState } from "preact/hooks";
import { TextField } from "./fields.tsx";
import { useHits } from "./use_hits.ts";

interface RefFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
  /** Kinds of the inventory that the field may name, such as RACK. */
  readonly kinds: readonly string[];
  /** How it names them: by reference if absent, else by code. Several are parted by blanks. */
  readonly by?: "ref" | "code";
}

/** A field that names things of the inventory, and offers what is there while one types. */
export function RefField({ kinds, by = "ref", value, ...field }: RefFieldProps) {
  const list = useId();
  const [text, setText] = useState("");
  const [, before = "", last = ""] = /^(.*\s|)(\S*)$/.exec(text) ?? [];
  const options = useHits(last, kinds);
  return (
    <>
      <TextField {...field} value={value} list={list} typed={setText} />
      <datalist id={list}>
        {options.map(({ ref, name, detail }) => (
          <option key={ref} value={before + (by === "code" ? name : ref)}>
            {detail}
          </option>
        ))}
      </datalist>
    </>
  );
}

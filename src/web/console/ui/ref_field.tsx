import { useId, useMemo, useState } from "preact/hooks";
import { useCall } from "../api/use_call.ts";
import { TextField } from "./fields.tsx";
import { useDelayed } from "./use_delayed.ts";

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

interface Hits {
  readonly kinds: readonly {
    readonly hits: readonly { readonly ref: string; readonly name: string; readonly detail: string }[];
  }[];
}

const REST_MS = 150;
const HITS = 12;

/** A field that names things of the inventory, and offers what is there while one types. */
export function RefField({ kinds, by = "ref", value, ...field }: RefFieldProps) {
  const list = useId();
  const [text, setText] = useState("");
  const [, before = "", last = ""] = /^(.*\s|)(\S*)$/.exec(useDelayed(text, REST_MS)) ?? [];
  const query = last.replace(/^[a-z]+:/, "").replaceAll("/", " ");
  const request = { query, kinds: kinds.map((kind) => `INVENTORY_KIND_${kind}`), page_size: HITS };
  const { reply } = useCall<Hits>("datacenter.v1.PlanningService/SearchInventory", query === "" ? undefined : request);
  const options = useMemo(() => (reply?.kinds ?? []).flatMap(({ hits }) => hits), [reply]);
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

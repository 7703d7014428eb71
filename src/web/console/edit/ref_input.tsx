import { useId, useMemo, useState } from "preact/hooks";
import type { Device } from "#gen/datacenter/v1/json.ts";
import { enumWord, refName } from "#words/names.ts";
import { useCall } from "../api/use_call.ts";
import { useDelayed } from "../ui/use_delayed.ts";

/** A field that names a rack, a device or a source by its code; it offers what is there while one types. */
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
  // What is stored stays so while its code is left alone: a code may name several things.
  const [stored] = useState(value);
  const [typed, setTyped] = useState("");
  const found = useFound(name, value);
  return (
    <>
      <input
        {...common}
        type="text"
        autocomplete="off"
        spellcheck={false}
        list={list}
        value={typed === value ? typed : refName(value)}
        onInput={({ currentTarget: { value: text } }) => {
          setTyped(text);
          set(text === refName(stored) ? stored : text);
        }}
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

/** Something that a field may refer to. */
interface Option {
  readonly value: string;
  readonly note: string;
}

const MOST = 20;

/** Kinds that supply others. The search for a source covers these. */
const SOURCES = [
  "RACK_PDU",
  "FLOOR_PDU",
  "RPP",
  "BUSWAY",
  "UPS",
  "TRANSFER_SWITCH",
  "SWITCHGEAR",
  "UTILITY",
  "GENERATOR",
];

/** What a field of this name may refer to, by the text typed so far. */
function useFound(name: string, typed: string): readonly Option[] {
  const text = useDelayed(refName(typed).split("/")[0] ?? "", 150);
  const filter = {
    ...(text !== "" && { query: text }),
    ...(name === "source_ref" && { kinds: SOURCES.map((kind) => `DEVICE_KIND_${kind}`) }),
    ...(name === "parent_device_code" && { kinds: ["DEVICE_KIND_CHASSIS"] }),
  };
  const { reply } = useCall("SearchDevices", text === "" ? undefined : { filter, page_size: MOST });
  return useMemo(
    () => (reply?.devices ?? []).flatMap((device) => optionsOf(name, device)).filter(first),
    [reply, name],
  );
}

function optionsOf(name: string, device: Device): readonly Option[] {
  const note = [enumWord(device.kind, "DEVICE_KIND"), device.rack_code].filter((one) => one !== "").join(", ");
  if (name === "rack_code") return device.rack_code === "" ? [] : [{ value: device.rack_code, note: "" }];
  return [{ value: device.code, note }];
}

function first({ value }: Option, index: number, all: readonly Option[]): boolean {
  return all.findIndex((one) => one.value === value) === index;
}

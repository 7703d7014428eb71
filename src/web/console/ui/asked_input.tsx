import { type AskedField, wordsOf } from "../pages/asked_field.ts";
import { changeSettings } from "../router.ts";
import { ChoiceField, Switch, TextField } from "./fields.tsx";
import { RefField } from "./ref_field.tsx";

/** Inputs of fields, by their types. What is usual is not in the address. @param also settings that a change sets as well */
export function askedInputs(
  rows: readonly AskedField[],
  settings: URLSearchParams,
  also: Readonly<Record<string, string>> = {},
) {
  return rows.map((row) =>
    askedInput(row, settings.get(row.setting) ?? "", (text) => changeSettings({ [row.setting]: text, ...also })),
  );
}

function askedInput(row: AskedField, value: string, change: (text: string) => void) {
  const { setting, label, empty, kinds, asked, isOn = false } = row;
  const props = { key: setting, label, value, change };
  if (kinds !== undefined) return <RefField kinds={kinds} placeholder={empty} {...props} />;
  const words = wordsOf(row);
  if (words === undefined) return <TextField placeholder={empty} {...props} />;
  if (asked.type === "choice") return <ChoiceField choices={[["", empty], ...Object.entries(words)]} {...props} />;
  const set = (on: boolean) => change(on === isOn ? "" : on ? "1" : "0");
  return <Switch key={setting} label={label} on={value === "" ? isOn : value === "1"} change={set} />;
}

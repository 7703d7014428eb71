import { getFieldWords, type RequestField } from "../pages/asked_field.ts";
import { changeSettings } from "../router.ts";
import { ChoiceField, SwitchField, TextField } from "./fields.tsx";
import { RefField } from "./ref_field.tsx";

/**
 * Renders inputs of fields by their types. Default values are not stored in the URL.
 * @param also further settings that each change sets
 */
export function renderFieldInputs(
  rows: readonly RequestField[],
  settings: URLSearchParams,
  also: Readonly<Record<string, string>> = {},
) {
  return rows.map((row) =>
    renderFieldInput(row, settings.get(row.setting) ?? "", (text) => changeSettings({ [row.setting]: text, ...also })),
  );
}

function renderFieldInput(row: RequestField, value: string, change: (text: string) => void) {
  const { setting, label, placeholder, kinds, asked, isOnByDefault = false } = row;
  const props = { key: setting, label, value, change };
  if (kinds !== undefined) return <RefField kinds={kinds} placeholder={placeholder} {...props} />;
  const words = getFieldWords(row);
  if (words === undefined) return <TextField placeholder={placeholder} {...props} />;
  if (asked.type === "choice")
    return <ChoiceField choices={[["", placeholder], ...Object.entries(words)]} {...props} />;
  const set = (on: boolean) => change(on === isOnByDefault ? "" : on ? "1" : "0");
  return <SwitchField key={setting} label={label} on={value === "" ? isOnByDefault : value === "1"} change={set} />;
}

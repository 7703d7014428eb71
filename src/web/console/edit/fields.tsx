import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Port } from "#gen/datacenter/v1/json.ts";
import { formatEnum, formatPortType, getRefName } from "#words/names.ts";
import { useCall } from "../api/client.ts";
import { DAY_MS, formatMoment } from "../labels.ts";
import { Combobox, renderOptions, SegmentedChoice } from "../ui/fields.tsx";
import { useDelayedValue } from "../ui/use_hits.ts";
import { listElementFields } from "./form_layout.ts";
import {
  describeFieldLimits,
  type FormField,
  getElementKeyField,
  getFieldLabel,
  getFieldUnit,
  listEnumChoices,
  listMessageFields,
  type ResourceValues,
} from "./form_model.ts";
import {
  FieldFrame,
  FieldHints,
  type FieldProps,
  getAriaAttributes,
  getControlId,
  RefInput,
  RefsField,
  useFormContext,
} from "./ref_fields.tsx";
import {
  formatPath,
  formatValue,
  isEqualValue,
  isUnsetValue,
  parseTypedNumber,
  parseTypedValues,
  REFERENCE_FIELDS,
} from "./values.ts";

/** Field for a time in the reader's zone, stored in UTC. If the clocks show the time twice, asks which is meant. */
function TimeInput(props: {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly label: string;
  readonly value: string;
  readonly set: (value: unknown) => void;
}) {
  const { common, label, value, set } = props;
  const local = formatLocalInput(value);
  const utcTimes = findUtcTimes(local);
  return (
    <>
      <input
        {...common}
        type="datetime-local"
        step={local.endsWith(":00") ? 60 : 1}
        value={local}
        onInput={({ currentTarget: { value: typed } }) => set(findUtcTimes(typed)[0] ?? (typed || undefined))}
      />
      {utcTimes.length < 2 ? null : (
        <SegmentedChoice
          label={`${label}: the clocks show this time twice`}
          value={value}
          choices={utcTimes.map((one) => [one, formatMoment(one)])}
          change={set}
        />
      )}
    </>
  );
}

/** Formats a UTC time for the browser's date control; other text ("", or a time that clocks skip) stays as typed. */
function formatLocalInput(text: string): string {
  const date = new Date(text);
  if (!text.endsWith("Z") || Number.isNaN(date.getTime())) return text;
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Returns the UTC times at which the reader's clocks show a local time: none if skipped, two if shown twice. */
function findUtcTimes(local: string): readonly string[] {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return [];
  const offsets = new Set([-DAY_MS, 0, DAY_MS].map((around) => new Date(wanted + around).getTimezoneOffset()));
  return [...offsets]
    .map((minutes) => new Date(wanted + minutes * 60_000).toISOString())
    .filter((iso) => formatLocalInput(iso).startsWith(local))
    .sort();
}

/** Fields for one end of a cable or link: a device and one of its ports. Offers the free ports. */
function PortEndFields({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const { device_code = "", port_name = "" } = (value ?? {}) as { device_code?: string; port_name?: string };
  const [deviceId, portId] = [
    getControlId(formatPath([...path, "device_code"])),
    getControlId(formatPath([...path, "port_name"])),
  ];
  const { type: cable = "" } = form.values;
  const free = useFreePorts(device_code).filter(({ kind }) => canPlugCable(kind, String(cable)));
  const matching = free.filter(({ name }) => name.toLowerCase().includes(port_name.toLowerCase()));
  const problem = ["device_code", "port_name", ""]
    .map((name) => form.getProblem(formatPath(name === "" ? path : [...path, name])))
    .find((one) => one !== "");
  const setEnd = (device: string, port: string) => form.setValue(path, { device_code: device, port_name: port });
  const getInputAttributes = (id: string) => ({
    id,
    ...(problem !== undefined && { "aria-invalid": true }),
  });
  return (
    <fieldset class="group end">
      <legend>{getFieldLabel(field)}</legend>
      <div class="form-field">
        <label for={deviceId}>Device</label>
        <RefInput
          common={getInputAttributes(deviceId)}
          name="device_code"
          value={device_code}
          set={(text) => setEnd(text, port_name)}
        />
      </div>
      <div class="form-field">
        <label for={portId}>Port</label>
        <Combobox
          {...getInputAttributes(portId)}
          value={port_name}
          options={(matching.length > 0 ? matching : free).map(({ name, kind, type }) => ({
            value: name,
            name,
            note: [formatEnum(kind, "PORT_KIND"), formatPortType(type)].filter((one) => one !== "").join(", "),
          }))}
          onType={(port) => setEnd(device_code, port)}
          choose={({ name }) => setEnd(device_code, name)}
        />
      </div>
      {problem === undefined ? null : <p class="form-problem">{problem}</p>}
    </fieldset>
  );
}

/** Whether a cable of a type fits a port of a kind. A link, and a cable without a type, fit any port. */
function canPlugCable(kind: string, cable: string): boolean {
  if (cable === "" || cable === "CABLE_TYPE_UNSPECIFIED") return true;
  return kind.startsWith("PORT_KIND_POWER") === (cable === "CABLE_TYPE_POWER");
}

/** Loads the ports of a device that have no cable. */
function useFreePorts(code: string): readonly Port[] {
  const settled = useDelayedValue(code, 200);
  const { reply } = useCall("GetDevice", settled === "" ? undefined : { code: settled });
  if (reply === undefined) return [];
  const taken = new Set(
    reply.cables.flatMap(({ a, b }) => [a, b]).map((end) => `${end.device_code}/${end.port_name}`.toLowerCase()),
  );
  return reply.device.ports.filter(({ name }) => !taken.has(`${reply.device.code}/${name}`.toLowerCase()));
}

/** Field for a list of words or numbers, separated by commas. */
function TextListField({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const values = (value ?? []) as readonly unknown[];
  // The stored references stay while their codes are unchanged, because a code may name several elements.
  const [stored] = useState(values);
  const formatted = REFERENCE_FIELDS.has(field.name)
    ? values.map((one) => getRefName(String(one))).join(", ")
    : values.join(", ");
  const [text, setText] = useState(formatted);
  const parse = (typed: string) => parseTypedValues(typed, field, stored);
  const at = formatPath(path);
  const id = getControlId(at);
  // A change from outside, such as a choice between two versions, replaces the typed text.
  const shown = isEqualValue(parse(text), values) ? text : formatted;
  return (
    <FieldFrame field={field} path={at} label={`${getFieldLabel(field)}, with commas between them`}>
      <input
        id={id}
        {...getAriaAttributes(id, form.getProblem(at))}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={shown}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          const next = parse(currentTarget.value);
          form.setValue(path, next.length === 0 ? undefined : next);
        }}
      />
    </FieldFrame>
  );
}

/** Field for pairs of a key and a value. */
function MapField({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const stored = Object.entries((value ?? {}) as ResourceValues).map(([key, inner]) => [key, String(inner)] as const);
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>(stored);
  const at = formatPath(path);
  const label = getFieldLabel(field);
  const writeRows = (next: readonly (readonly [string, string])[]) => {
    setRows(next);
    const entries = next.filter(([key]) => key !== "");
    form.setValue(path, entries.length === 0 ? undefined : Object.fromEntries(entries));
  };
  const replaceRow = (index: number, pair: readonly [string, string]) => writeRows(rows.with(index, pair));
  return (
    <fieldset class={form.isChanged(at) ? "group changed" : "group"}>
      <legend>{label}</legend>
      {rows.map(([key, text], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
        <div class="pair" key={index}>
          <input
            type="text"
            aria-label={`Key ${index + 1} of ${label}`}
            value={key}
            onInput={({ currentTarget }) => replaceRow(index, [currentTarget.value, text])}
          />
          <input
            type="text"
            aria-label={`Value ${index + 1} of ${label}`}
            value={text}
            onInput={({ currentTarget }) => replaceRow(index, [key, currentTarget.value])}
          />
          <button
            type="button"
            aria-label={`Remove ${key}`}
            onClick={() => writeRows(rows.filter((_, one) => one !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => setRows([...rows, ["", ""]])}>
        Add a pair
      </button>
      <FieldHints field={field} path={at} id={getControlId(at)} />
    </fieldset>
  );
}

/** Maximum number of elements that are shown at first: a switch may have hundreds of ports. */
const MAX_INITIAL_ELEMENTS = 60;

/** A list of messages such as ports. Each element can be opened to show its fields, which are drawn only then. */
function GroupList({ field, path, value }: FieldProps) {
  const form = useFormContext();
  const elements = (value ?? []) as readonly ResourceValues[];
  const [opened, setOpened] = useState<number>();
  const [isComplete, setComplete] = useState(false);
  const noun = getFieldLabel(field).replace(/s$/, "").toLowerCase();
  const shown = isComplete ? elements : elements.slice(0, MAX_INITIAL_ELEMENTS);
  const addElement = () => {
    form.setValue(path, [...elements, {}]);
    setComplete(true);
    setOpened(elements.length);
  };
  return (
    <div class="group-list">
      {shown.map((element, index) => (
        <div
          class={form.isChanged(getElementPath(path, element, field.of)) ? "element changed" : "element"}
          // biome-ignore lint/suspicious/noArrayIndexKey: an element may have no name
          key={index}
        >
          <div class="element-head">
            <button
              type="button"
              class="quiet"
              aria-expanded={opened === index}
              onClick={() => setOpened(opened === index ? undefined : index)}
            >
              <strong>{getElementTitle(element, noun, index)}</strong>{" "}
              <span>{summarizeElement(element, field.of ?? "")}</span>
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${getElementTitle(element, noun, index)}`}
              onClick={() => {
                const rest = elements.filter((_, one) => one !== index);
                form.setValue(path, rest.length === 0 ? undefined : rest);
                setOpened(undefined);
              }}
            >
              ×
            </button>
          </div>
          <ElementProblem path={formatPath([...path, index])} isOpen={opened === index} />
          {opened === index ? (
            <div class="form-grid">
              {listElementFields(field.of ?? "", element).map((inner) => (
                <form.Field
                  key={inner.name}
                  field={inner}
                  path={[...path, index, inner.name]}
                  value={element[inner.name]}
                />
              ))}
            </div>
          ) : null}
        </div>
      ))}
      {shown.length < elements.length ? (
        <button type="button" onClick={() => setComplete(true)}>
          Show all {elements.length}
        </button>
      ) : null}
      <button type="button" onClick={addElement}>
        Add {/^[aeiou]/.test(noun) ? "an" : "a"} {noun}
      </button>
    </div>
  );
}

/** Error of an open element, or the first error inside a closed element. */
function ElementProblem({ path, isOpen }: { readonly path: string; readonly isOpen: boolean }) {
  const { getProblem } = useFormContext();
  const problem = isOpen ? getProblem(path) : getProblem(`${path}.*`);
  return problem === "" ? null : <p class="form-problem">{problem}</p>;
}

/** Returns the path that differences use for an element: by its name, or the path of the list if it has no name. */
function getElementPath(path: readonly (string | number)[], element: ResourceValues, message = ""): string {
  const key = getElementKeyField(message);
  return key === undefined ? formatPath(path) : `${formatPath(path)}.{${element[key] ?? ""}}`;
}

function getElementTitle(element: ResourceValues, noun: string, index: number): string {
  const name = element["name"];
  return isUnsetValue(name) ? `${noun} ${index + 1}` : String(name);
}

/** Summarises an element by its first three values, and a power port also by its power source or feed. */
function summarizeElement(element: ResourceValues, message: string): string {
  const named = listMessageFields(message).filter(({ name, type }) => name !== "name" && type !== "group");
  const words = named
    .filter(({ name }) => !isUnsetValue(element[name]))
    .slice(0, 3)
    .map((field) => formatValue(element[field.name], field));
  const { source_ref = "" } = (element["power_in"] ?? {}) as { source_ref?: string };
  const { feed_id = "" } = (element["power_out"] ?? {}) as { feed_id?: string };
  return [...words, source_ref === "" ? "" : `from ${getRefName(source_ref)}`, feed_id === "" ? "" : `feed ${feed_id}`]
    .filter((word) => word !== "")
    .join(", ");
}

/** The control for a field, by the field's type. */
export function FormFieldControl(props: FieldProps) {
  const { field, path, value } = props;
  if (field.shape === "map") return <MapField {...props} />;
  if (field.name.endsWith("_refs")) return <RefsField {...props} />;
  if (field.type !== "group")
    return field.shape === "list" ? <TextListField {...props} /> : <SingleValueField {...props} />;
  if (field.of === "PortRef") return <PortEndFields {...props} />;
  if (field.shape === "list") return <GroupList {...props} />;
  return (
    <fieldset class="group">
      <legend>{getFieldLabel(field)}</legend>
      <div class="form-grid">
        {listMessageFields(field.of ?? "").map((inner) => (
          <FormFieldControl
            key={inner.name}
            field={inner}
            path={[...path, inner.name]}
            value={(value as ResourceValues)?.[inner.name]}
          />
        ))}
      </div>
    </fieldset>
  );
}

function SingleValueField(props: FieldProps) {
  const { field, path } = props;
  const text = formatPath(path);
  const label = (
    <>
      {getFieldLabel(field)}
      {field.required === true ? <span class="required"> required</span> : null}
    </>
  );
  return (
    <FieldFrame field={field} path={text} label={label}>
      <ValueControl {...props} id={getControlId(text)} />
    </FieldFrame>
  );
}

const REFERENCE_FIELD_NAMES: ReadonlySet<string> = new Set(["rack_code", "parent_device_code", "source_ref"]);

function ValueControl({ field, path, value, id }: FieldProps & { readonly id: string }) {
  const form = useFormContext();
  const problem = form.getProblem(formatPath(path));
  const common = { id, ...getAriaAttributes(id, problem) };
  const set = (next: unknown) => form.setValue(path, next);
  switch (field.type) {
    case "choice":
      return (
        <select
          {...common}
          value={String(value ?? "")}
          onChange={({ currentTarget }) => set(currentTarget.value || undefined)}
        >
          <option value="">Not set</option>
          {renderOptions(listEnumChoices(field.of ?? ""))}
        </select>
      );
    case "flag":
      return (
        <select
          {...common}
          value={value === undefined ? "" : String(value)}
          onChange={({ currentTarget }) => set(currentTarget.value === "" ? undefined : currentTarget.value === "true")}
        >
          <option value="">Not set</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      );
    case "time":
      return <TimeInput common={common} label={getFieldLabel(field)} value={String(value ?? "")} set={set} />;
    case "int":
    case "number":
      return <NumberInput attributes={common} field={field} value={value} set={set} />;
    default:
      return <TextInput attributes={common} field={field} path={path} value={String(value ?? "")} set={set} />;
  }
}

interface InputProps {
  readonly attributes: Readonly<Record<string, string | boolean>>;
  readonly field: FormField;
  readonly set: (value: unknown) => void;
}

function NumberInput({ attributes, field, value, set }: InputProps & { readonly value: unknown }) {
  const unit = getFieldUnit(field);
  return (
    <span class="with-unit">
      <input
        {...attributes}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        placeholder={describeFieldLimits(field)}
        value={value === undefined ? "" : String(value)}
        onInput={({ currentTarget }) => set(parseTypedNumber(currentTarget.value))}
      />
      {unit === "" ? null : <span aria-hidden="true">{unit}</span>}
    </span>
  );
}

function TextInput({
  attributes,
  field,
  path,
  value,
  set,
}: InputProps & { readonly path: readonly (string | number)[]; readonly value: string }): ComponentChildren {
  const { isNew } = useFormContext();
  const setText = (text: string) => set(text === "" ? undefined : text);
  if (field.name === "comments" || field.name === "notes") {
    return (
      <textarea {...attributes} rows={3} value={value} onInput={({ currentTarget }) => setText(currentTarget.value)} />
    );
  }
  if (REFERENCE_FIELD_NAMES.has(field.name))
    return <RefInput common={attributes} name={field.name} value={value} set={setText} />;
  const isFixed = field.name === "code" && path.length === 1 && !isNew;
  return (
    <input
      {...attributes}
      type="text"
      autocomplete="off"
      spellcheck={false}
      readOnly={isFixed}
      value={value}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

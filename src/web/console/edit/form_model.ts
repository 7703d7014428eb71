import { FORM_ENUMS, FORMS, type FormField, RESOURCES } from "#gen/datacenter/v1/forms.ts";
import { formatEnum } from "#words/names.ts";
import { splitAtFirst } from "../split_text.ts";

export type { FormField } from "#gen/datacenter/v1/forms.ts";

/** A resource or a nested message as proto JSON with snake_case names. */
export type ResourceValues = Readonly<Record<string, unknown>>;

/** Kinds of resources that can be edited, by their names in requests. */
export const EDITABLE_KINDS = ["rack", "device", "crac", "cable", "fabric_link", "device_type", "window"] as const;
export type EditableKind = (typeof EDITABLE_KINDS)[number];

/** Returns the name of a kind's proto message. */
export function getMessageName(kind: EditableKind): string {
  const found = RESOURCES[kind];
  if (found === undefined) throw new Error(`The contract has no resource "${kind}"`);
  return found;
}

/** Returns the fields of a message that a person may set. */
export function listMessageFields(message: string): readonly FormField[] {
  return (FORMS[message] ?? []).filter(({ output }) => output !== true);
}

export function listKindFields(kind: EditableKind): readonly FormField[] {
  return listMessageFields(getMessageName(kind));
}

/** Returns the values of an enumeration with their labels. */
export function listEnumChoices(name: string): readonly (readonly [value: string, word: string])[] {
  const { prefix, values } = FORM_ENUMS[name] ?? { prefix: "", values: [] };
  return values.map((value) => [`${prefix}_${value}`, formatEnum(value, "")] as const);
}

/** Returns the label of an enumeration's value; "" if it is unset. */
export function getChoiceLabel(name: string, value: string): string {
  return formatEnum(value, FORM_ENUMS[name]?.prefix ?? "");
}

/** Returns the name of the field that identifies elements in a list of messages; undefined if only their order does. */
export function getElementKeyField(message: string): string | undefined {
  return message === "Port" ? "name" : undefined;
}

/** Returns the names of the fields that identify a resource; they never change. */
export function getIdentityFields(kind: EditableKind): readonly string[] {
  return kind === "cable" || kind === "fabric_link" ? ["a", "b"] : ["code"];
}

/** Returns the name of a resource for sentences: its code, or its two ends joined by `~`. */
export function formatIdentity(kind: EditableKind, values: ResourceValues): string {
  if (getIdentityFields(kind)[0] === "code") return String(values["code"] ?? "");
  return `${formatCableEnd(values["a"])}~${formatCableEnd(values["b"])}`;
}

export function formatCableEnd(end: unknown): string {
  const { device_code = "", port_name = "" } = (end ?? {}) as { device_code?: string; port_name?: string };
  return port_name === "" ? device_code : `${device_code}/${port_name}`;
}

/** Parses `<device>/<port>`; a port's name may contain a slash. */
export function parseCableEnd(text: string): { readonly device_code: string; readonly port_name: string } {
  const [device_code, port_name] = splitAtFirst(text, "/");
  return { device_code, port_name };
}

/** Parses the identity in a reference such as `cable:A/1~B/2`. */
export function parseIdentity(kind: EditableKind, id: string): ResourceValues {
  if (getIdentityFields(kind)[0] === "code") return { code: id };
  const [a, b] = splitAtFirst(id, "~");
  return { a: parseCableEnd(a), b: parseCableEnd(b) };
}

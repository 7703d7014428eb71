import { FORM_ENUMS, FORMS, type FormField, RESOURCES } from "#gen/datacenter/v1/forms.ts";
import { formatEnum } from "#words/names.ts";

export type { FormField } from "#gen/datacenter/v1/forms.ts";

/** A resource, or a message inside one, as proto JSON with snake_case names. */
export type Values = Readonly<Record<string, unknown>>;

/** What can be edited, by the name that requests use. */
export const KINDS = ["rack", "device", "crac", "cable", "fabric_link", "device_type", "window"] as const;
export type Kind = (typeof KINDS)[number];

/** The message of a kind. */
export function messageOf(kind: Kind): string {
  const found = RESOURCES[kind];
  if (found === undefined) throw new Error(`The contract has no resource "${kind}"`);
  return found;
}

/** The fields of a message that a person may set. */
export function fieldsOf(message: string): readonly FormField[] {
  return (FORMS[message] ?? []).filter(({ output }) => output !== true);
}

export function fieldsOfKind(kind: Kind): readonly FormField[] {
  return fieldsOf(messageOf(kind));
}

/** Values of an enumeration with their words. */
export function choicesOf(name: string): readonly (readonly [value: string, word: string])[] {
  const { prefix, values } = FORM_ENUMS[name] ?? { prefix: "", values: [] };
  return values.map((value) => [`${prefix}_${value}`, formatEnum(value, "")] as const);
}

/** The word for a value of an enumeration; "" when unset. */
export function choiceWord(name: string, value: string): string {
  return formatEnum(value, FORM_ENUMS[name]?.prefix ?? "");
}

/** What identifies the elements of a list of messages; undefined where only their order does. */
export function keyOfList(message: string): string | undefined {
  return message === "Port" ? "name" : undefined;
}

/** Fields that identify a resource and never change. */
export function identityOf(kind: Kind): readonly string[] {
  return kind === "cable" || kind === "fabric_link" ? ["a", "b"] : ["code"];
}

/** How a resource is named in sentences. */
export function identityText(kind: Kind, values: Values): string {
  if (identityOf(kind)[0] === "code") return String(values["code"] ?? "");
  return `${endText(values["a"])}~${endText(values["b"])}`;
}

export function endText(end: unknown): string {
  const { device_code = "", port_name = "" } = (end ?? {}) as { device_code?: string; port_name?: string };
  return port_name === "" ? device_code : `${device_code}/${port_name}`;
}

/** Reads `<device>/<port>`; a port's name may hold a slash. */
export function endOf(text: string): { readonly device_code: string; readonly port_name: string } {
  const at = text.indexOf("/");
  return at === -1
    ? { device_code: text, port_name: "" }
    : { device_code: text.slice(0, at), port_name: text.slice(at + 1) };
}

/** The identity that a reference such as `cable:A/1~B/2` names. */
export function identityValues(kind: Kind, id: string): Values {
  if (identityOf(kind)[0] === "code") return { code: id };
  const at = id.indexOf("~");
  return { a: endOf(id.slice(0, at)), b: endOf(id.slice(at + 1)) };
}

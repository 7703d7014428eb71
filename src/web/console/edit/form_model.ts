import { FORM_ENUMS, FORMS, type FormField, RESOURCES } from "#gen/datacenter/v1/forms.ts";
import { capitalize, formatEnum, getUnitOfField } from "#words/names.ts";
import { Listeners } from "../../shared/browser.ts";
import type { AuditEntry } from "../api/replies.ts";
import { splitAtFirst } from "../router.ts";

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

function formatCableEnd(end: unknown): string {
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

/** An edit that a dialog performs. */
export type EditRequest =
  | { readonly mode: "create"; readonly kind: EditableKind; readonly values: ResourceValues }
  | {
      readonly mode: "edit";
      readonly kind: EditableKind;
      readonly identity: ResourceValues;
      /** Field values that are set when the dialog opens; a function computes them from the stored state. */
      readonly change?: ResourceValues | ((stored: ResourceValues) => ResourceValues);
      /** Path of the field that is focused first. */
      readonly focus?: string;
      /** Button label for `change`; if set, the dialog shows no other fields. */
      readonly verb?: string;
    }
  | {
      readonly mode: "duplicate";
      readonly kind: EditableKind;
      readonly identity: ResourceValues;
      readonly change?: ResourceValues;
    }
  | { readonly mode: "delete"; readonly kind: EditableKind; readonly identity: ResourceValues }
  | { readonly mode: "many"; readonly kind: EditableKind; readonly codes: readonly string[] }
  | { readonly mode: "delete-many"; readonly kind: EditableKind; readonly codes: readonly string[] }
  | { readonly mode: "undo"; readonly entries: readonly AuditEntry[]; readonly etags: EtagsByRef };

/** ETags of stored resources, by reference. */
export type EtagsByRef = ReadonlyMap<string, string>;

/** Notice about a completed change, with the data to undo it. */
export interface EditNotice {
  readonly text: string;
  /** Id of the request that an undo reverts; "" if there is nothing to undo. */
  readonly requestId: string;
  /** ETags of the resources after the change. */
  readonly etags: EtagsByRef;
}

interface EditState {
  readonly edit: EditRequest | undefined;
  readonly notice: EditNotice | undefined;
  /** Number of the edit. It is the key of the dialog, so that each edit opens a dialog without old state. */
  readonly round: number;
}

let editState: EditState = { edit: undefined, notice: undefined, round: 0 };
const listeners = new Listeners();

function setEditState(next: Partial<EditState>): void {
  editState = { ...editState, ...next };
  listeners.notify();
}

/** Store of the one open edit. Pages open an edit; `EditHost` shows it. */
export const editStore = {
  editState: (): EditState => editState,
  open: (edit: EditRequest): void => setEditState({ edit, notice: undefined, round: editState.round + 1 }),
  close: (notice?: EditNotice): void => setEditState({ edit: undefined, notice }),
  dismiss: (): void => setEditState({ notice: undefined }),
  subscribe: listeners.subscribe,
};

/** Labels of fields whose names do not give a readable label. */
const SPECIAL_LABELS: Readonly<Record<string, string>> = {
  u_height: "Height",
  position_u: "Unit",
  allocated_draw_w: "Planned draw",
  max_draw_w: "Greatest draw",
  rail_width_in: "Rail width",
  mac_address: "MAC address",
  site_id: "Site",
  zone_id: "Cooling zone",
  floor_number: "Floor",
  rack_code: "Rack",
  parent_device_code: "Inside device",
  device_code: "Device",
  port_name: "Port",
  facility_id: "Building's name for it",
  source_ref: "Source",
  power_path: "Supply side",
  feed_id: "Declares feed",
  fabric_id: "Fabric",
  power_in: "Inlet",
  power_out: "Outlet",
  lag: "LAG",
  ecmp_group: "ECMP group",
  rx_mbps: "Received",
  tx_mbps: "Sent",
  a: "End A",
  b: "End B",
  color: "Colour",
  a_to_b_mbps: "Traffic towards the spine",
  b_to_a_mbps: "Traffic towards the leaf",
  mgmt_only: "Management only",
  desc_units: "Units count from the top",
  starts_at: "From",
  ends_at: "Until",
  element_refs: "Out of service",
  accepted_refs: "May be lost",
  calendar_uid: "UID in the calendar",
  calendar_sequence: "Sequence in the calendar",
  x_mm: "From the west",
  y_mm: "From the north",
};

/** Returns the unit of a field's values; "" for none. */
export function getFieldUnit({ name, type }: Pick<FormField, "name" | "type">): string {
  return type === "int" || type === "number" ? getUnitOfField(name) : "";
}

/** Returns the label of a field: its name in words, without its unit. */
export function getFieldLabel(field: Pick<FormField, "name" | "type">): string {
  const spelled = SPECIAL_LABELS[field.name];
  if (spelled !== undefined) return spelled;
  const bare = getFieldUnit(field) === "" ? field.name : field.name.slice(0, field.name.lastIndexOf("_"));
  return capitalize(bare.replaceAll("_", " "));
}

const FIELD_NAME_PATTERN = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;
const CONSTANT_PATTERN = /\b[A-Z]{2,}(?:_[A-Z0-9]+)*\b/g;
const ABBREVIATIONS: ReadonlySet<string> = new Set(["LAG", "CDU", "UPS", "AC", "DC", "RRGGBB"]);

/** Converts a proto comment to help text: field names become labels, constants become words. */
export function formatHelpText(comment: string): string {
  return comment
    .replace(/^Required(?: unless[^.:;]*)?[.:;,]\s*|^Required, |^Free text[.,]\s*/, (text) =>
      text.startsWith("Required unless") ? text : "",
    )
    .replaceAll(FIELD_NAME_PATTERN, (name) => getFieldLabel({ name, type: "int" }).toLowerCase())
    .replaceAll(CONSTANT_PATTERN, (word) => (ABBREVIATIONS.has(word) ? word : word.toLowerCase().replaceAll("_", " ")))
    .replace(/^./, capitalize);
}

/** Describes the accepted values of a field, for an error message; "" if any value is accepted. */
export function describeFieldLimits(field: FormField): string {
  const { min, max, above, step, numbers, length, type } = field;
  const unit = getFieldUnit(field) === "" ? "" : ` ${getFieldUnit(field)}`;
  if (numbers !== undefined) return `one of ${numbers.join(", ")}${unit}`;
  if (length !== undefined && type === "text") return `at most ${length} characters`;
  const lowest = min === undefined ? [] : [above === true ? `above ${min}` : `at least ${min}`];
  const highest = max === undefined ? [] : [`at most ${max}`];
  const range =
    min !== undefined && max !== undefined && above !== true ? [`${min} to ${max}`] : [...lowest, ...highest];
  const steps = range.length === 0 ? `a multiple of ${step}` : `in steps of ${step}`;
  const parts = [range.join(" and "), ...(step === undefined ? [] : [steps])].filter((one) => one !== "");
  return parts.length === 0 ? "" : `${parts.join(" ")}${unit}`;
}

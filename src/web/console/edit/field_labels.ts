import { capitalize, getUnitOfField } from "#words/names.ts";
import type { FormField } from "./form_model.ts";

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

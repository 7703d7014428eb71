import {
  type EditableKind,
  type FormField,
  listKindFields,
  listMessageFields,
  type ResourceValues,
} from "./form_model.ts";
import { isUnsetValue } from "./values.ts";

/** A group of related fields in a form. */
export interface FormSectionLayout {
  /** Heading of the section; empty for the first one, which is always open. */
  readonly title: string;
  readonly fields: readonly FormField[];
}

type FormLayout = readonly (readonly [title: string, names: string])[];

/** Sections of each kind's form. Fields that no row names are appended, so that no field is missing from the form. */
const FORM_LAYOUTS: Readonly<Record<EditableKind, FormLayout>> = {
  device: [
    ["", "code name kind role status rack_code position_u face allocated_draw_w max_draw_w"],
    ["Ports and supplies", "ports"],
    ["Size and mounting", "u_height depth slot mount parent_device_code bay weight_kg airflow location placement"],
    ["Hardware", "manufacturer model part_number serial asset_tag"],
    ["Power and heat", "power power_factor heat_w cooling_method liquid_fraction_pct thermal_class"],
    ["Measurements", "measured_at measured_draw_w inlet_temp_c exhaust_temp_c"],
    ["Notes", "tenant tags labels comments"],
  ],
  rack: [
    ["", "code name location role status u_height power_capacity_w required_redundancy"],
    ["Reservations", "reservations"],
    [
      "Size and place",
      "position_in_row placement form_factor rail_width_in starting_unit desc_units mounting_depth_mm",
    ],
    ["Limits", "cooling_capacity_w cooling_capability airflow weight_kg max_load_kg"],
    ["Measurements", "measured_at inlet_temp_c exhaust_temp_c"],
    ["Notes", "facility_id serial asset_tag tenant tags labels comments"],
  ],
  crac: [
    ["", "code name kind status location sensible_capacity_kw total_capacity_kw serves"],
    ["Power", "power_inputs min_live_inlets max_draw_w allocated_draw_w"],
    ["Cooling", "derate_pct airflow_m3h supply_temp_c return_temp_c rated_return_temp_c fan_speed_pct medium fluid"],
    ["Place", "rack_code placement redundancy_group heat_rejection"],
    ["Measurements", "measured_at measured_load_kw"],
    ["Notes", "manufacturer model serial tags labels comments"],
  ],
  cable: [
    ["", "a b type status length_m label color"],
    ["Notes", "bundle tenant tags labels comments"],
  ],
  fabric_link: [
    ["", "a b fabric_id status capacity_mbps"],
    ["Measurements", "measured_at a_to_b_mbps b_to_a_mbps error_count"],
    ["Notes", "ecmp_group lag tags labels comments"],
  ],
  device_type: [
    ["", "code manufacturer model kind part_number u_height max_draw_w weight_kg"],
    ["Ports", "ports"],
    ["Build", "depth airflow bays is_blade"],
    ["Notes", "labels comments"],
  ],
  window: [
    ["", "element_refs starts_at ends_at accepted_refs code title owner contact notes"],
    ["State and calendar", "state calendar_uid calendar_sequence"],
  ],
};

/** Returns the sections of a kind's form; each field is in exactly one section. */
export function listFormSections(kind: EditableKind): readonly FormSectionLayout[] {
  const fields = listKindFields(kind);
  const placed = new Set<string>();
  const sections = FORM_LAYOUTS[kind].map(([title, names]) => {
    const own = names.split(" ").flatMap((name) => fields.filter((field) => field.name === name));
    for (const { name } of own) placed.add(name);
    return { title, fields: own };
  });
  const others = fields.filter(({ name }) => !placed.has(name));
  return others.length === 0 ? sections : [...sections, { title: "Other", fields: others }];
}

/** Port fields that apply only to some kinds of ports. Source: docs/rpcs.md#port. */
const PORT_KINDS_BY_FIELD: Readonly<Record<string, RegExp>> = {
  power_in: /POWER_IN$/,
  power_out: /POWER_OUT$/,
  positions: /FRONT$|REAR$/,
  mappings: /FRONT$/,
  speed_mbps: /NETWORK$/,
  mgmt_only: /NETWORK$/,
  net_role: /NETWORK$/,
  lag: /NETWORK$/,
  parent_port: /NETWORK$/,
  channel: /NETWORK$/,
  mac_address: /NETWORK$/,
  rx_mbps: /NETWORK$/,
  tx_mbps: /NETWORK$/,
  measured_at: /NETWORK$/,
};

/** Returns the fields of a list element that apply to its kind or have a value. */
export function listElementFields(message: string, element: ResourceValues): readonly FormField[] {
  const fields = listMessageFields(message);
  if (message !== "Port") return fields;
  const kind = String(element["kind"] ?? "");
  return fields.filter(({ name }) => !isUnsetValue(element[name]) || PORT_KINDS_BY_FIELD[name]?.test(kind) !== false);
}

import { listKindFields, type ResourceValues } from "./form_model.ts";
import { formatValue, isEqualValue, isUnsetValue, removeUnsetParts } from "./values.ts";

/** Fields that a device copies from its type; an import and `planner dc add device --type` copy the same fields. */
const COPIED_FIELDS = "kind manufacturer model part_number airflow weight_kg max_draw_w u_height depth ports".split(
  " ",
);

/** A value of a device that differs from the value of its type. */
export interface TypeDeviation {
  readonly name: string;
  readonly ownText: string;
  readonly typeText: string;
}

/** Returns the device with its missing fields copied from its type; `depth` only if the device has a unit. */
export function fillMissingFields(device: ResourceValues, type: ResourceValues): ResourceValues {
  const missing = listTypeFields(device, type).filter(({ name }) => isUnsetValue(device[name]));
  return { ...device, ...Object.fromEntries(missing.map(({ name }) => [name, type[name]])) };
}

/** Returns the device's values that differ from its type's. Ports are not compared. */
export function listTypeDeviations(device: ResourceValues, type: ResourceValues): readonly TypeDeviation[] {
  return listTypeFields(device, type)
    .filter(({ name }) => name !== "ports" && !isUnsetValue(device[name]))
    .filter(
      (field) => !isEqualValue(removeUnsetParts(device[field.name], field), removeUnsetParts(type[field.name], field)),
    )
    .map((field) => ({
      name: field.name,
      ownText: formatValue(device[field.name], field),
      typeText: formatValue(type[field.name], field),
    }));
}

function listTypeFields(device: ResourceValues, type: ResourceValues) {
  return listKindFields("device").filter(
    ({ name }) =>
      COPIED_FIELDS.includes(name) &&
      !isUnsetValue(type[name]) &&
      (name !== "depth" || device["position_u"] !== undefined),
  );
}

import { fieldsOfKind, type Values } from "./form_model.ts";
import { isSame, isUnset, pruneValue, valueText } from "./values.ts";

/** Fields that a device takes from its type, as an import and `planner dc add device --type` do. */
const TAKEN = "kind manufacturer model part_number airflow weight_kg max_draw_w u_height depth ports".split(" ");

/** A value of a device that differs from its type's. */
export interface Kept {
  readonly name: string;
  readonly own: string;
  readonly typeText: string;
}

/** Fills in a device's missing fields from its type. Depth needs a unit. Ports are filled in only if it has none. */
export function filledFromType(device: Values, type: Values): Values {
  const missing = takenFields(device, type).filter(({ name }) => isUnset(device[name]));
  return { ...device, ...Object.fromEntries(missing.map(({ name }) => [name, type[name]])) };
}

/** Values of the device that its type contradicts. Ports are a device's own. */
export function keptFromType(device: Values, type: Values): readonly Kept[] {
  return takenFields(device, type)
    .filter(({ name }) => name !== "ports" && !isUnset(device[name]))
    .filter((field) => !isSame(pruneValue(device[field.name], field), pruneValue(type[field.name], field)))
    .map((field) => ({
      name: field.name,
      own: valueText(device[field.name], field),
      typeText: valueText(type[field.name], field),
    }));
}

function takenFields(device: Values, type: Values) {
  return fieldsOfKind("device").filter(
    ({ name }) =>
      TAKEN.includes(name) && !isUnset(type[name]) && (name !== "depth" || device["position_u"] !== undefined),
  );
}

import { isJsonObject } from "#kernel/json_object.ts";
import { formatValue, plainText, type TypeProblem } from "./values.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What an import reads of a type, beside its lists of components. */
const OF_TYPE = new Set(
  (
    "manufacturer model slug part_number u_height is_full_depth weight weight_unit airflow subdevice_role comments " +
    // Whether a picture lies beside the file.
    "front_image rear_image"
  ).split(" "),
);

/** What an import reads of components, by their list. */
const OF_COMPONENTS: Readonly<Record<string, ReadonlySet<string>>> = {
  interfaces: new Set(["name", "type", "label", "mgmt_only", "enabled"]),
  "front-ports": new Set(["name", "type", "label", "rear_port", "rear_port_position"]),
  "rear-ports": new Set(["name", "type", "label", "positions"]),
  "console-ports": new Set(["name", "type", "label"]),
  "console-server-ports": new Set(["name", "type", "label"]),
  "power-ports": new Set(["name", "type", "label", "maximum_draw", "allocated_draw"]),
  "power-outlets": new Set(["name", "type", "label", "power_port", "feed_leg"]),
  "device-bays": new Set(["name"]),
};

/** Names what a document says and a type has no place for: each field once for each list, with the number of components. */
export function notCarried(document: Fields): readonly TypeProblem[] {
  return Object.entries(document).flatMap(([field, value]): readonly TypeProblem[] => {
    if (OF_TYPE.has(field) || !says(value)) return [];
    const carried = OF_COMPONENTS[field];
    if (carried === undefined) return [{ path: [field], message: `a type has no place for it: ${found(value)}` }];
    return Array.isArray(value) ? fieldsOf(field, value, carried) : [];
  });
}

function fieldsOf(list: string, components: readonly unknown[], carried: ReadonlySet<string>): readonly TypeProblem[] {
  const first = new Map<string, { readonly index: number; count: number }>();
  for (const [index, fields] of components.entries()) {
    // A component without a name is noted itself.
    if (!isJsonObject(fields) || !says(fields["name"])) continue;
    for (const [field, value] of Object.entries(fields)) {
      if (carried.has(field) || !says(value)) continue;
      const known = first.get(field);
      if (known === undefined) first.set(field, { index, count: 1 });
      else known.count += 1;
    }
  }
  return [...first].map(([field, { index, count }]) => ({
    path: [list, index, field],
    message: `there is no place for it: it is left out of ${count} of ${components.length}`,
  }));
}

function says(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) || plainText(value) !== undefined;
}

function found(value: unknown): string {
  return Array.isArray(value) ? `${value.length} are left out` : `${formatValue(value)} is left out`;
}

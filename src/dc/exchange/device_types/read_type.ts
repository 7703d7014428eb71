import { MAX_COMMENT_CHARS } from "#dc/limits.ts";
import { isSlugText } from "#dc/model/code.ts";
import type { DeviceType } from "#dc/model/device_type.ts";
import { AIRFLOWS } from "#dc/model/enum_values.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { convertToSlug } from "../codes.ts";
import { removeEmptyFields } from "../item.ts";
import { inferDeviceKind } from "../netbox/kinds.ts";
import { convertToKilograms } from "../netbox/mapping.ts";
import { convertToEnumValue, convertToText, formatValue, readOptional, type TypeProblem } from "../values.ts";
import { readTypePorts } from "./type_ports.ts";

/** Field of a type that each field of the library becomes, as documents state it. */
export const TYPE_FIELD_MAPPINGS: Readonly<Record<string, string>> = {
  "`slug`": "Code; without one, manufacturer and model as a slug",
  "`u_height`": "Height; 1 without one, 0 for `null`",
  "`is_full_depth: false`": "Half depth",
  "`weight`, `weight_unit`": "Kilograms",
  "`interfaces`, `console-ports`, `console-server-ports`, `power-ports`, `power-outlets`, `front-ports`, `rear-ports`":
    "Ports. A name that several kinds share stays with the first kind; the others get the kind, as [imports from NetBox](netbox.md) do",
  "`power_port`, `feed_leg` of an outlet": "`inlet_name`, `leg`",
  "`maximum_draw`, `allocated_draw`": "Of the inlet; an allocated draw above the maximum is cut to it",
  "`device-bays`, `subdevice_role`": "Bays of a chassis; a blade",
  "everything else: `description`, `is_powered`, `poe_mode`, `poe_type`, `module-bays`, `inventory-items`":
    "Left out: a note names each field once for each list of a file",
  "`front_image`, `rear_image`": "Left out without a note",
};

/** A device type with the omitted parts of its document, or the reason why it cannot be read. */
export type ReadTypeResult =
  | { readonly type: DeviceType; readonly notes: readonly TypeProblem[] }
  | { readonly problem: TypeProblem };

/** Reads a document of the community's devicetype library, as parsed YAML. */
export function readDeviceType(document: unknown): ReadTypeResult {
  if (!isJsonObject(document))
    return { problem: { path: [], message: "expected an object with manufacturer and model" } };
  const texts = new Map<string, string>();
  for (const field of ["manufacturer", "model"]) {
    const text = convertToText(document[field]);
    if (text === undefined)
      return { problem: { path: [field], message: `expected a text, found ${formatValue(document[field])}` } };
    texts.set(field, text);
  }
  const manufacturer = texts.get("manufacturer") ?? "";
  const model = texts.get("model") ?? "";
  const code = readTypeCode(document["slug"], manufacturer, model);
  if (code === undefined)
    return { problem: { path: ["slug"], message: `expected a slug, found ${formatValue(document["slug"])}` } };
  const height = readHeight(document["u_height"]);
  if (typeof height === "string") return { problem: { path: ["u_height"], message: height } };
  const isFullDepth = document["is_full_depth"] ?? true;
  if (typeof isFullDepth !== "boolean")
    return {
      problem: { path: ["is_full_depth"], message: `expected true or false, found ${formatValue(isFullDepth)}` },
    };
  const notes: TypeProblem[] = [];
  const ports = readTypePorts(document, notes);
  if (!Array.isArray(ports)) return { problem: ports as TypeProblem };
  const bays = readBays(document["device-bays"], notes);
  const subdevice = convertToText(document["subdevice_role"]) ?? "";
  const type = removeEmptyFields<DeviceType>({
    code,
    manufacturer: manufacturer.slice(0, 128),
    model: model.slice(0, 128),
    partNumber: convertToText(document["part_number"])?.slice(0, 128),
    kind: inferDeviceKind({ role: "", model, subdevice, bays: bays.length > 0, ports }),
    uHeight: height,
    depth: isFullDepth ? "FULL" : "HALF",
    airflow: readOptional(
      { value: document["airflow"], path: ["airflow"], expected: "a direction, such as front-to-rear" },
      (value) => convertToEnumValue(AIRFLOWS, convertToText(value) ?? ""),
      notes,
    ),
    weightKg: readWeight(document, notes),
    ports,
    bays,
    isBlade: subdevice === "child",
    comments: convertToText(document["comments"])?.slice(0, MAX_COMMENT_CHARS),
  });
  return { type, notes: [...notes, ...findUnreadFields(document)] };
}

function readWeight(document: Readonly<Record<string, unknown>>, notes: TypeProblem[]): number | undefined {
  const unit = convertToText(document["weight_unit"]) ?? "";
  return readOptional(
    {
      value: document["weight"] === 0 ? undefined : document["weight"],
      path: ["weight"],
      expected: "a number above 0 with a weight_unit of kg, g, lb or oz",
    },
    (value) => (typeof value === "number" ? convertToKilograms(value, unit) : undefined),
    notes,
  );
}

/** Returns the library's slug, or one made from the names if it is absent. */
function readTypeCode(slug: unknown, manufacturer: string, model: string): string | undefined {
  if (typeof slug === "string" && isSlugText(slug)) return slug;
  if (slug !== undefined && slug !== null && typeof slug !== "string") return undefined;
  return convertToSlug(typeof slug === "string" && slug !== "" ? slug : `${manufacturer}-${model}`);
}

/** Reads a height in U; 1 if absent. null is 0, as some files write it for a device that occupies no units. */
function readHeight(value: unknown): number | string {
  if (value === undefined) return 1;
  if (value === null) return 0;
  if (typeof value === "number" && value >= 0 && value <= 100 && Number.isInteger(value * 2)) return value;
  return `expected 0 to 100 in steps of 0.5, found ${formatValue(value)}`;
}

function readBays(value: unknown, notes: TypeProblem[]): readonly string[] {
  if (!Array.isArray(value)) return [];
  const names = new Set<string>();
  for (const [index, bay] of value.entries()) {
    const name = isJsonObject(bay) ? convertToText(bay["name"]) : undefined;
    if (name === undefined) notes.push({ path: ["device-bays", index], message: "a bay without a name is left out" });
    else names.add(name.slice(0, 64));
  }
  return [...names];
}

type DocumentFields = Readonly<Record<string, unknown>>;

/** Fields of a device type that an import reads, other than the lists of components. */
const READ_TYPE_FIELDS = new Set(
  (
    "manufacturer model slug part_number u_height is_full_depth weight weight_unit airflow subdevice_role comments " +
    // Whether the library has pictures of the type.
    "front_image rear_image"
  ).split(" "),
);

/** Fields of components that an import reads, by list. */
const READ_COMPONENT_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  interfaces: new Set(["name", "type", "label", "mgmt_only", "enabled"]),
  "front-ports": new Set(["name", "type", "label", "rear_port", "rear_port_position"]),
  "rear-ports": new Set(["name", "type", "label", "positions"]),
  "console-ports": new Set(["name", "type", "label"]),
  "console-server-ports": new Set(["name", "type", "label"]),
  "power-ports": new Set(["name", "type", "label", "maximum_draw", "allocated_draw"]),
  "power-outlets": new Set(["name", "type", "label", "power_port", "feed_leg"]),
  "device-bays": new Set(["name"]),
};

/** Lists a document's fields that a type cannot store. Each is listed once, with the number of its components. */
function findUnreadFields(document: DocumentFields): readonly TypeProblem[] {
  return Object.entries(document).flatMap(([field, value]): readonly TypeProblem[] => {
    if (READ_TYPE_FIELDS.has(field) || !hasContent(value)) return [];
    const carried = READ_COMPONENT_FIELDS[field];
    if (carried === undefined)
      return [{ path: [field], message: `a type has no place for it: ${describeOmitted(value)}` }];
    return Array.isArray(value) ? findUnreadComponentFields(field, value, carried) : [];
  });
}

function findUnreadComponentFields(
  list: string,
  components: readonly unknown[],
  readFields: ReadonlySet<string>,
): readonly TypeProblem[] {
  const first = new Map<string, { readonly index: number; count: number }>();
  for (const [index, fields] of components.entries()) {
    // A component without a name is noted separately.
    if (!isJsonObject(fields) || !hasContent(fields["name"])) continue;
    for (const [field, value] of Object.entries(fields)) {
      if (readFields.has(field) || !hasContent(value)) continue;
      first.getOrInsertComputed(field, () => ({ index, count: 0 })).count += 1;
    }
  }
  return [...first].map(([field, { index, count }]) => ({
    path: [list, index, field],
    message: `there is no place for it: it is left out of ${count} of ${components.length}`,
  }));
}

function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) || convertToText(value) !== undefined;
}

function describeOmitted(value: unknown): string {
  return Array.isArray(value) ? `${value.length} are left out` : `${formatValue(value)} is left out`;
}

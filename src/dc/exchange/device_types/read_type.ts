import { LIST_SIZES, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { AIRFLOWS, type PortKind } from "../../model/enum_values.ts";
import type { DeviceType } from "../../model/inventory.ts";
import { isSlugText } from "../../model/ref.ts";
import type { Port, PortMapping } from "../../model/resources.ts";
import {
  convertToBoolean,
  convertToEnumValue,
  convertToPortType,
  convertToSlug,
  convertToText,
  FEED_LEGS,
  formatValue,
  MAX_POSITIONS,
  readOptional,
  type TypeProblem,
  UniquePortNames,
} from "../codes.ts";
import { removeEmptyFields } from "../items.ts";
import { PORT_TABLES } from "../netbox/tables.ts";
import { convertToKilograms, inferDeviceKind } from "../netbox/where.ts";

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
  const subdevice = readOptional(
    { value: document["subdevice_role"], path: ["subdevice_role"], expected: "parent or child" },
    (value) => ["parent", "child"].find((word) => word === value),
    notes,
  );
  const type = removeEmptyFields<DeviceType>({
    code,
    manufacturer: manufacturer.slice(0, TEXT_LENGTHS.DeviceType.manufacturer),
    model: model.slice(0, TEXT_LENGTHS.DeviceType.model),
    partNumber: convertToText(document["part_number"])?.slice(0, TEXT_LENGTHS.DeviceType.partNumber),
    kind: inferDeviceKind({ role: "", model, subdevice: subdevice ?? "", bays: bays.length > 0, ports }),
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
    comments: convertToText(document["comments"])?.slice(0, TEXT_LENGTHS.DeviceType.comments),
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
  const names = new Set<string>();
  if (!Array.isArray(value)) {
    if (hasContent(value))
      notes.push({ path: ["device-bays"], message: `expected a list, found ${formatValue(value)}` });
    return [];
  }
  for (const [index, bay] of value.entries()) {
    const name = isJsonObject(bay) ? convertToText(bay["name"]) : undefined;
    if (name === undefined) notes.push({ path: ["device-bays", index], message: "a bay without a name is left out" });
    else if (names.has(name.slice(0, 64)))
      notes.push({ path: ["device-bays", index], message: `a bay ${formatValue(name)} came before: it is left out` });
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

type ComponentFields = Readonly<Record<string, unknown>>;

interface Component {
  readonly list: string;
  readonly index: number;
  readonly kind: PortKind;
  readonly fields: ComponentFields;
  readonly name: string;
}

/** Returns the ports of a type, or the problem that makes the file unreadable. Notes omitted components. */
function readTypePorts(document: ComponentFields, notes: TypeProblem[]): readonly Port[] | TypeProblem {
  const components: Component[] = [];
  const names = new UniquePortNames();
  for (const { list, kind, word } of PORT_TABLES) {
    const value = document[list] ?? [];
    if (!Array.isArray(value)) return { path: [list], message: `expected a list, found ${formatValue(value)}` };
    for (const [index, fields] of value.entries()) {
      const given = isJsonObject(fields) ? convertToText(fields["name"]) : undefined;
      if (given === undefined) return { path: [list, index], message: `expected a name, found ${formatValue(fields)}` };
      components.push({ list, index, kind, fields, name: names.takeName(given, word, String(index)) });
    }
  }
  if (components.length > LIST_SIZES.DeviceType.ports)
    return { path: [], message: `expected at most ${LIST_SIZES.DeviceType.ports} ports, found ${components.length}` };
  const named = new Map(components.map((one) => [`${one.kind}\n${convertToText(one.fields["name"])}`, one]));
  const taken = new Set<string>();
  return components.map((component) => readPort(component, named, taken, notes));
}

function readPort(
  component: Component,
  named: ReadonlyMap<string, Component>,
  taken: Set<string>,
  notes: TypeProblem[],
): Port {
  const { kind, fields, name } = component;
  return removeEmptyFields<Port>({
    name,
    kind,
    type: readPortType(component, notes),
    label: convertToText(fields["label"])?.slice(0, TEXT_LENGTHS.Port.label),
    ...(kind === "NETWORK" && readFlagField(component, "mgmt_only", notes) === true && { mgmtOnly: true }),
    ...(kind === "NETWORK" && readFlagField(component, "enabled", notes) === false && { enabled: false }),
    ...(kind === "REAR" && readPositions(component, notes)),
    ...(kind === "FRONT" && { mappings: readMappings(component, named, taken, notes) }),
    ...(kind === "POWER_IN" && readInlet(component, notes)),
    ...(kind === "POWER_OUT" && readOutlet(component, named, notes)),
  });
}

function readPortType({ list, index, kind, fields }: Component, notes: TypeProblem[]): string | undefined {
  const given = convertToText(fields["type"]);
  if (given === undefined) return undefined;
  const type = convertToPortType(kind, given);
  if (type !== undefined) return type;
  notes.push({
    path: [list, index, "type"],
    message: `a type ${formatValue(given)} does not belong on a port of kind ${kind}`,
  });
  return undefined;
}

/** Reads an optional field; notes an invalid value. */
function readField<Value>(
  { list, index, fields }: Component,
  [field, expected]: readonly [field: string, expected: string],
  read: (value: unknown) => Value | undefined,
  notes: TypeProblem[],
): Value | undefined {
  return readOptional({ value: fields[field], path: [list, index, field], expected }, read, notes);
}

function readFlagField(component: Component, field: string, notes: TypeProblem[]): boolean | undefined {
  return readField(component, [field, "true or false"], convertToBoolean, notes);
}

function readPositions(component: Component, notes: TypeProblem[]): { readonly positions?: number } {
  const acceptPositions = (value: unknown) =>
    value === 1 || createPositions({ positions: value }).positions !== undefined || undefined;
  readField(component, ["positions", `1 to ${MAX_POSITIONS}`], acceptPositions, notes);
  return createPositions(component.fields);
}

function createPositions(fields: ComponentFields): { readonly positions?: number } {
  const given = fields["positions"];
  return Number.isInteger(given) && Number(given) > 1 && Number(given) <= MAX_POSITIONS
    ? { positions: Number(given) }
    : {};
}

function readMappings(
  { list, index, fields }: Component,
  named: ReadonlyMap<string, Component>,
  taken: Set<string>,
  notes: TypeProblem[],
): readonly PortMapping[] {
  const rear = named.get(`REAR\n${convertToText(fields["rear_port"])}`);
  const position = typeof fields["rear_port_position"] === "number" ? fields["rear_port_position"] : 1;
  const key = `${rear?.name}:${position}`;
  if (
    rear !== undefined &&
    !taken.has(key) &&
    position >= 1 &&
    position <= (createPositions(rear.fields).positions ?? 1)
  ) {
    taken.add(key);
    return [{ frontPosition: 1, rearPort: rear.name, rearPosition: position }];
  }
  notes.push({
    path: [list, index],
    message: `the rear position ${formatValue(fields["rear_port"])}:${position} is not there or is taken`,
  });
  return [];
}

function readInlet(component: Component, notes: TypeProblem[]): Partial<Port> {
  const draw = (field: string) => readField(component, [field, "watts of at least 0"], convertToWatts, notes);
  const most = draw("maximum_draw");
  const allocated = draw("allocated_draw");
  const both = most !== undefined && allocated !== undefined ? Math.min(most, allocated) : allocated;
  return { powerIn: removeEmptyFields<NonNullable<Port["powerIn"]>>({ maxDrawW: most, allocatedDrawW: both }) };
}

function readOutlet(component: Component, named: ReadonlyMap<string, Component>, notes: TypeProblem[]): Partial<Port> {
  const { list, index, fields } = component;
  const given = convertToText(fields["power_port"]);
  const inlet = given === undefined ? undefined : named.get(`POWER_IN\n${given}`);
  if (given !== undefined && inlet === undefined) {
    notes.push({ path: [list, index, "power_port"], message: `there is no power port ${formatValue(given)}` });
  }
  const findLeg = (value: unknown) => FEED_LEGS.find((one) => one === convertToText(value));
  const leg = readField(component, ["feed_leg", FEED_LEGS.join(", ")], findLeg, notes);
  return { powerOut: removeEmptyFields<NonNullable<Port["powerOut"]>>({ inletName: inlet?.name, leg }) };
}

function convertToWatts(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? Math.round(value) : undefined;
}

import { MAX_PORTS } from "#dc/limits.ts";
import type { PortKind } from "#dc/model/enum_values.ts";
import type { Port, PortMapping } from "#dc/model/resources.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { removeEmptyFields } from "../item.ts";
import { PORT_TABLES } from "../netbox/component_tables.ts";
import { UniquePortNames } from "../netbox/port_names.ts";
import {
  convertToBoolean,
  convertToPortType,
  convertToText,
  FEED_LEGS,
  formatValue,
  MAX_POSITIONS,
  readOptional,
  type TypeProblem,
} from "../values.ts";

type ComponentFields = Readonly<Record<string, unknown>>;

interface Component {
  readonly list: string;
  readonly index: number;
  readonly kind: PortKind;
  readonly fields: ComponentFields;
  readonly name: string;
}

/** Returns the ports of a type, or the problem that makes the file unreadable. Notes omitted components. */
export function readTypePorts(document: ComponentFields, notes: TypeProblem[]): readonly Port[] | TypeProblem {
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
  if (components.length > MAX_PORTS)
    return { path: [], message: `expected at most ${MAX_PORTS} ports, found ${components.length}` };
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
    label: convertToText(fields["label"])?.slice(0, 128),
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
  return typeof given === "number" && given > 1 && given <= MAX_POSITIONS ? { positions: given } : {};
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

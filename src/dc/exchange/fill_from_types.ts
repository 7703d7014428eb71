import { type DeviceType, getInheritedFields } from "#dc/model/inventory.ts";
import type { Device, Port } from "#dc/model/resources.ts";
import { removeEmptyFields, type SourceItem } from "./item.ts";

/** Device types by manufacturer and model, regardless of case. */
export type TypesByModel = ReadonlyMap<string, DeviceType>;

/** Returns the key of a device type by manufacturer and model; undefined if either is unknown. */
export function createModelKey(manufacturer: string | undefined, model: string | undefined): string | undefined {
  return manufacturer === undefined || model === undefined ? undefined : `${manufacturer}\n${model}`.toLowerCase();
}

/** Fills in fields that the source of a device lacks from its type in the catalogue. */
export function fillFromTypes(items: readonly SourceItem[], types: TypesByModel): readonly SourceItem[] {
  if (types.size === 0) return items;
  return items.map((item) => {
    if (item.kind !== "device") return item;
    const key = createModelKey(item.resource.manufacturer, item.resource.model);
    const type = key === undefined ? undefined : types.get(key);
    return type === undefined ? item : { ...item, resource: fillDeviceFromType(item.resource, type) };
  });
}

/**
 * Fills missing fields from the type: the depth if the device occupies units, the ports if the device has none, otherwise
 * draws of its inlets.
 */
export function fillDeviceFromType(device: Device, type: DeviceType): Device {
  const { depth, ...built } = getInheritedFields(type);
  const offered = device.positionU === undefined ? built : { ...built, depth };
  const missing = Object.entries(offered).filter(([name]) => device[name as keyof Device] === undefined);
  return removeEmptyFields<Device>({
    ...device,
    ...(device.ports !== undefined && { ports: fillDraws(device.ports, type.ports ?? []) }),
    ...Object.fromEntries(missing),
  });
}

/** Fills the draws of inlets without any from the type's inlets of the same names. */
function fillDraws(ports: readonly Port[], built: readonly Port[]): readonly Port[] {
  const inlets = new Map(built.filter(({ kind }) => kind === "POWER_IN").map((port) => [port.name, port.powerIn]));
  return ports.map((port) => {
    const { maxDrawW, allocatedDrawW } = (port.kind === "POWER_IN" && inlets.get(port.name)) || {};
    const isRecorded = port.powerIn?.maxDrawW !== undefined || port.powerIn?.allocatedDrawW !== undefined;
    if (isRecorded || (maxDrawW === undefined && allocatedDrawW === undefined)) return port;
    return { ...port, powerIn: removeEmptyFields({ ...port.powerIn, maxDrawW, allocatedDrawW }) };
  });
}

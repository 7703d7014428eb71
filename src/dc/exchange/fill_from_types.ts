import { builtFields, type DeviceType } from "#dc/model/device_type.ts";
import type { Device } from "#dc/model/resources.ts";
import { compact, type SourceItem } from "./item.ts";

/** Types by manufacturer and model, whatever their case. */
export type TypesByModel = ReadonlyMap<string, DeviceType>;

/** The key of a type in such a map, or undefined when either is unknown. */
export function modelKey(manufacturer: string | undefined, model: string | undefined): string | undefined {
  return manufacturer === undefined || model === undefined ? undefined : `${manufacturer}\n${model}`.toLowerCase();
}

/** Fills in fields that the source of a device does not have from its type in the catalogue. */
export function fillFromTypes(items: readonly SourceItem[], types: TypesByModel): readonly SourceItem[] {
  if (types.size === 0) return items;
  return items.map((item) => {
    if (item.kind !== "device") return item;
    const key = modelKey(item.resource.manufacturer, item.resource.model);
    const type = key === undefined ? undefined : types.get(key);
    return type === undefined ? item : { ...item, resource: filledFromType(item.resource, type) };
  });
}

/** Fills in a device's missing fields from its type. Depth needs a unit. Ports are filled in only if it has none. */
export function filledFromType(device: Device, type: DeviceType): Device {
  const { depth, ...built } = builtFields(type);
  const offered = device.positionU === undefined ? built : { ...built, depth };
  const missing = Object.entries(offered).filter(([name]) => device[name as keyof Device] === undefined);
  return compact<Device>({ ...device, ...Object.fromEntries(missing) });
}

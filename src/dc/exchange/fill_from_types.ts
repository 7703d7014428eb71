import { type DeviceType, getInheritedFields } from "#dc/model/device_type.ts";
import type { Device } from "#dc/model/resources.ts";
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
 * Fills missing fields from the type: the depth if the device occupies units, the ports if the device has none, and the
 * draws of inlets that record none.
 */
export function fillDeviceFromType(device: Device, type: DeviceType): Device {
  const { depth, ...built } = getInheritedFields(type);
  const offered = device.positionU === undefined ? built : { ...built, depth };
  const missing = Object.entries(offered).filter(([name]) => device[name as keyof Device] === undefined);
  const filled = { ...device, ...Object.fromEntries(missing) };
  return removeEmptyFields<Device>({ ...filled, ...fillInletDraws(filled, type) });
}

/** Returns the ports with the draws that the type's inlets of the same names record. */
function fillInletDraws({ ports }: Device, { ports: typed = [] }: DeviceType): Pick<Device, "ports"> {
  if (ports === undefined) return {};
  const inlets = new Map(
    typed.flatMap(({ name, powerIn }) => (powerIn === undefined ? [] : [[name, powerIn] as const])),
  );
  return {
    ports: ports.map((port) => {
      const { maxDrawW, allocatedDrawW } = inlets.get(port.name) ?? {};
      const isFilled =
        port.kind !== "POWER_IN" || (port.powerIn?.maxDrawW ?? port.powerIn?.allocatedDrawW) !== undefined;
      if (isFilled || (maxDrawW ?? allocatedDrawW) === undefined) return port;
      const draws = {
        ...(maxDrawW !== undefined && { maxDrawW }),
        ...(allocatedDrawW !== undefined && { allocatedDrawW }),
      };
      return { ...port, powerIn: { ...port.powerIn, ...draws } };
    }),
  };
}

import { modelKey } from "#dc/exchange/fill_from_types.ts";
import type { DeviceType } from "#dc/model/device_type.ts";
import type { Device } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { allDeviceTypes } from "../device_types.ts";
import { type Listing, textCell } from "./listing.ts";

/** Types of the catalogue with the number of devices of the same manufacturer and model. Cost: O(types + devices). */
export function typesListing(reader: DcReader, devices: readonly Device[]): Listing<DeviceType> {
  const built = countByModel(devices);
  return {
    ref: ({ code }) => `device_type:${code}`,
    name: ({ code }) => code,
    columns: {
      manufacturer: ({ manufacturer }) => manufacturer,
      model: ({ model }) => model,
      part_number: ({ partNumber }) => textCell(partNumber),
      kind: ({ kind }) => kind,
      height_u: ({ uHeight }) => uHeight,
      depth: ({ depth }) => depth,
      airflow: ({ airflow }) => airflow,
      weight_kg: ({ weightKg }) => weightKg,
      max_draw_w: ({ maxDrawW }) => maxDrawW,
      ports: ({ ports = [] }) => ports.length,
      bays: ({ bays = [] }) => bays.length,
      devices: ({ manufacturer, model }) => built.get(modelKey(manufacturer, model) ?? "") ?? 0,
    },
    batches: () => batches(reader),
  };
}

function countByModel(devices: readonly Device[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { manufacturer, model } of devices) {
    const key = modelKey(manufacturer, model);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

async function* batches(reader: DcReader): AsyncGenerator<readonly DeviceType[]> {
  for await (const { resource } of allDeviceTypes(reader)) yield [resource];
}

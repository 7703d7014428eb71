import { getSupplyState, isRedundancyUnmet, isRedundancyUnproven } from "#dc/analysis/power/power_figures.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { createModelKey } from "#dc/exchange/fill_from_types.ts";
import { getDrawSource, getDrawW, getHeatW, isPowerKind } from "#dc/model/draw.ts";
import type { DeviceType } from "#dc/model/inventory.ts";
import { isEnabledInlet } from "#dc/model/power_walk.ts";
import { codeKey, toRefKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { type Device, isInService } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { listDownstreamCodes, resolveSourceNodes } from "../../answers/failing_sources.ts";
import { readAllDeviceTypes } from "../device_types.ts";
import {
  type Cell,
  createRoundedCell,
  createTextCell,
  type Listing,
  LOCATION_COLUMNS,
  splitIntoBatches,
} from "./places_listing.ts";

/**
 * Lists devices with their location, draw and supply. `fed_by` and `free_port` are conditions without a column. Cost:
 * redundancy verdicts of all devices when the redundancy column is first used.
 */
export function createDevicesListing(
  topology: Topology,
  reader: Pick<DcReader, "devicesWithFreePorts">,
): Listing<Device> {
  const { power, live } = topology;
  const redundancy = createLazyGetter(() => computeRedundancyCells(topology));
  return {
    getRef: ({ code }) => `device:${code}`,
    getName: ({ code }) => code,
    columns: {
      name: ({ name }) => createTextCell(name),
      kind: ({ kind }) => kind,
      role: ({ role }) => createTextCell(role),
      status: ({ status = "ACTIVE" }) => status,
      ...LOCATION_COLUMNS,
      rack: ({ rackCode }) => createTextCell(rackCode),
      position_u: ({ positionU }) => positionU,
      height_u: ({ uHeight }) => uHeight,
      draw_w: (device) => getDrawW(device, "ALLOCATED"),
      draw_source: (device) => (isPowerKind(device.kind) ? undefined : getDrawSource(device)),
      max_draw_w: ({ maxDrawW }) => maxDrawW,
      measured_draw_w: ({ measuredDrawW }) => measuredDrawW,
      heat_w: (device) => createRoundedCell(computeHeatNowW(device)),
      supply: ({ code }) => getSupplyState(power, live, power.indexOf.get(`device:${codeKey(code)}`) ?? -1),
      cords: ({ ports = [] }) => ports.filter(isEnabledInlet).length,
      redundancy: ({ code }) => redundancy().get(codeKey(code)),
      cooling: ({ coolingMethod }) => coolingMethod,
      inside: ({ parentDeviceCode }) => createTextCell(parentDeviceCode),
      manufacturer: ({ manufacturer }) => createTextCell(manufacturer),
      model: ({ model }) => createTextCell(model),
      serial: ({ serial }) => createTextCell(serial),
      asset_tag: ({ assetTag }) => createTextCell(assetTag),
      weight_kg: ({ weightKg }) => weightKg,
      tenant: ({ tenant }) => createTextCell(tenant),
      tags: ({ tags = [] }) => createTextCell(tags.join(", ")),
    },
    relations: {
      fed_by: async (values, field) => createFedByCondition(topology, values, field),
      free_port: (values, field) => createFreePortCondition(reader, values, field),
    },
    readBatches: () => splitIntoBatches(topology.inventory.devices),
    total: topology.inventory.devices.length,
  };
}

/**
 * Returns a test of whether one of several sources feeds a device. A source is a reference, or the code of a device,
 * feed, outlet or rack.
 */
function createFedByCondition(topology: Topology, values: readonly string[], field: string) {
  const fed = values.flatMap((text, at) =>
    listDownstreamCodes(
      topology.power,
      resolveSourceNodes(topology, resolveSourceText(topology, text), `${field}[${at}]`),
    ),
  );
  const keys = new Set(fed.map(codeKey));
  return ({ code }: Device) => keys.has(codeKey(code));
}

function resolveSourceText({ power, inventory }: Topology, text: string): string {
  if (text.includes(":")) return text;
  const kind = ["device", "feed", "port"].find((one) => power.indexOf.get(toRefKey(`${one}:${text}`)) !== undefined);
  if (kind !== undefined) return `${kind}:${text}`;
  return inventory.racks.some(({ code }) => codeKey(code) === codeKey(text)) ? `rack:${text}` : text;
}

async function createFreePortCondition(
  reader: Pick<DcReader, "devicesWithFreePorts">,
  values: readonly string[],
  field: string,
): Promise<(device: Device) => boolean> {
  const wanted = new Set(values.map((value) => value.toUpperCase()));
  for (const value of wanted) {
    if (value === "YES" || value === "NO") continue;
    const detail = { field, value, expected: "YES or NO" };
    throw refuse("FIELD_OUT_OF_RANGE", `Condition "free_port" has the value "${value}": expected YES or NO`, detail);
  }
  const keys = await reader.devicesWithFreePorts();
  return ({ code }) => wanted.has(keys.has(codeKey(code)) ? "YES" : "NO");
}

/**
 * Returns, by the key of the device code, whether the device has its required redundancy. Omits devices that require
 * none.
 */
function computeRedundancyCells(topology: Topology): ReadonlyMap<string, Cell> {
  return new Map(
    topology
      .listRedundancyVerdicts()
      .map((verdict) => [
        codeKey(verdict.code),
        isRedundancyUnmet(verdict) ? "UNMET" : isRedundancyUnproven(verdict) ? "UNKNOWN" : "MET",
      ]),
  );
}

/** Returns a function that computes a value on its first call and returns it on every call. */
export function createLazyGetter<Value>(work: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: work() };
    return known.value;
  };
}

/** Returns a device's heat output in watts: 0 unless in service; undefined without a recorded heat or draw. */
function computeHeatNowW(device: Device): number | undefined {
  const isRecorded = (device.heatW ?? getDrawW(device, "ALLOCATED")) !== undefined;
  return isRecorded ? Number(isInService(device)) * getHeatW(device, "ALLOCATED") : undefined;
}

/** Lists catalogue types with the number of devices of that manufacturer and model. Cost: O(types + devices). */
export function createTypesListing(reader: DcReader, devices: readonly Device[]): Listing<DeviceType> {
  const built = countDevicesByModel(devices);
  return {
    getRef: ({ code }) => `device_type:${code}`,
    getName: ({ code }) => code,
    columns: {
      manufacturer: ({ manufacturer }) => manufacturer,
      model: ({ model }) => model,
      part_number: ({ partNumber }) => createTextCell(partNumber),
      kind: ({ kind }) => kind,
      height_u: ({ uHeight }) => uHeight,
      depth: ({ depth }) => depth,
      airflow: ({ airflow }) => airflow,
      weight_kg: ({ weightKg }) => weightKg,
      max_draw_w: ({ maxDrawW }) => maxDrawW,
      ports: ({ ports = [] }) => ports.length,
      bays: ({ bays = [] }) => bays.length,
      devices: ({ manufacturer, model }) => built.get(createModelKey(manufacturer, model) ?? "") ?? 0,
    },
    readBatches: () => readTypeBatches(reader),
  };
}

function countDevicesByModel(devices: readonly Device[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { manufacturer, model } of devices) {
    const key = createModelKey(manufacturer, model);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

async function* readTypeBatches(reader: DcReader): AsyncGenerator<readonly DeviceType[]> {
  for await (const { resource } of readAllDeviceTypes(reader)) yield [resource];
}

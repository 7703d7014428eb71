import type { Inventory } from "#dc/model/inventory.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import type { SeededRandom } from "../seeded_random.ts";

/**
 * Adds to a drawn inventory what its own generator leaves out: footprints, units, limits, weights, measured inlets and
 * cooling limits, each of them for a part of the racks and devices only.
 */
export function furnished(inventory: Inventory, random: SeededRandom): Inventory {
  const racks = inventory.racks.map((rack, at) => furnishedRack(rack, at, random));
  const isTall = new Map(racks.map(({ code, uHeight = 42 }) => [code, uHeight]));
  return { ...inventory, racks, devices: inventory.devices.map((device) => furnishedDevice(device, isTall, random)) };
}

function furnishedRack(rack: Rack, at: number, random: SeededRandom): Rack {
  const some = <Value>(value: Value): Value | undefined => (random.below(3) > 0 ? value : undefined);
  const given = {
    placement: some({ xMm: 3000 + 800 * at, yMm: 2000, widthMm: 600, depthMm: 1200, rotationDeg: 0 }),
    powerCapacityW: some(500 * (1 + random.below(20))),
    coolingCapacityW: some(500 * (1 + random.below(20))),
    maxLoadKg: some(200 + 100 * random.below(8)),
    inletTempC: some(18 + random.below(24)),
    measuredAt: some("2026-01-01T00:00:00.000Z"),
  };
  return { uHeight: 42, ...rack, ...defined(given) };
}

function furnishedDevice(device: Device, heights: ReadonlyMap<string, number>, random: SeededRandom): Device {
  const units = heights.get(device.rackCode ?? "");
  const isMounted = units !== undefined && device.parentDeviceCode === undefined && random.below(4) > 0;
  const given = {
    weightKg: random.below(3) > 0 ? 5 + random.below(80) : undefined,
    inletTempC: random.below(3) === 0 ? 18 + random.below(20) : undefined,
    positionU: isMounted ? 1 + random.below((units ?? 1) - 2) : undefined,
    uHeight: isMounted ? 1 + random.below(2) : undefined,
  };
  return { ...device, ...defined(given) };
}

type Defined<Given> = { [Key in keyof Given]?: Exclude<Given[Key], undefined> };

function defined<Given extends object>(given: Given): Defined<Given> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<Given>;
}

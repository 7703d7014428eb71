import type { Inventory } from "#dc/model/inventory.ts";
import type { Device, Port } from "#dc/model/resources.ts";

/** A supply without inlets. */
export function source(code: string): Device {
  return { code, kind: "UTILITY", status: "ACTIVE" };
}

/** A device with inlets psu1, psu2 ... on these sources; an empty one leaves the inlet to a cable. */
export function load(code: string, sources: readonly string[], parts: Partial<Device> = {}): Device {
  const ports = sources.map(
    (sourceRef, index): Port => ({
      name: `psu${index + 1}`,
      kind: "POWER_IN",
      powerIn: sourceRef === "" ? {} : { sourceRef },
    }),
  );
  return { code, kind: "SERVER", status: "ACTIVE", ports, ...parts };
}

/** A panel with outlets out1, out2 ... that declare these feeds. */
export function panel(code: string, sources: readonly string[], feeds: readonly string[]): Device {
  const outlets = feeds.map(
    (feedId, index): Port => ({
      name: `out${index + 1}`,
      kind: "POWER_OUT",
      powerOut: { feedId },
    }),
  );
  const inlets = load(code, sources).ports ?? [];
  return { code, kind: "RPP", status: "ACTIVE", ports: [...inlets, ...outlets] };
}

/** A site of these devices alone. */
export function inventory(...devices: readonly Device[]): Inventory {
  return { racks: [], devices, cracs: [], cables: [], fabricLinks: [] };
}

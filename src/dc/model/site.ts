import type { Cable, Crac, Device, DeviceBody, FabricLink, PortRef, Rack } from "./resources.ts";

/** Something that draws power from a named source. `inlet` is the port's name, or the place of a CRAC's input, from 0. */
export interface Consumer {
  readonly kind: "device" | "crac";
  readonly code: string;
  readonly inlet: string;
}

/**
 * What rules may look up: the state that the write under judgement will join. Codes are looked up without regard to
 * case; lists come in the order of codes.
 */
export interface SiteReader {
  device(code: string): Promise<Device | undefined>;
  /** Those of these devices that are there, with their power ports alone: one look-up, however many they are. */
  powerDevices(codes: readonly string[]): Promise<readonly Device[]>;
  rack(code: string): Promise<Rack | undefined>;
  crac(code: string): Promise<Crac | undefined>;
  devicesInRack(rackCode: string): Promise<readonly DeviceBody[]>;
  /** Devices in the bays of a chassis. */
  childrenOf(deviceCode: string): Promise<readonly DeviceBody[]>;
  cableAt(end: PortRef): Promise<Cable | undefined>;
  cablesOf(deviceCode: string): Promise<readonly Cable[]>;
  /** Cables with an end at one of these devices, each once, in one look-up. */
  cablesOfAll(deviceCodes: readonly string[]): Promise<readonly Cable[]>;
  /** The same of power ports alone. */
  powerCablesOf(deviceCodes: readonly string[]): Promise<readonly Cable[]>;
  fabricLinksOf(deviceCode: string): Promise<readonly FabricLink[]>;
  /** The outlet that declares a feed. */
  feedDeclarer(feedId: string): Promise<PortRef | undefined>;
  /** Who names one of these references as its source. */
  consumersOf(sourceRefs: readonly string[]): Promise<readonly Consumer[]>;
  /** Code of the device or rack that carries an asset tag. */
  assetTagHolder(kind: "device" | "rack", assetTag: string): Promise<string | undefined>;
  racksOnFloor(siteId: string, floorNumber: number): Promise<readonly Rack[]>;
  cracsOnFloor(siteId: string, floorNumber: number): Promise<readonly Crac[]>;
}

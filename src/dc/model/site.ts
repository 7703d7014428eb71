import type { Cable, Crac, Device, DeviceBody, FabricLink, PortRef, Rack } from "./resources.ts";

/** A consumer that names its source. `inlet` is the name of a port, or the index of a cooling unit's input, from 0. */
export interface SourceConsumer {
  readonly kind: "device" | "crac";
  readonly code: string;
  readonly inlet: string;
}

/** Reads of the stored state before the write that rules check. Codes ignore case; lists are sorted by code. */
export interface SiteReader {
  device(code: string): Promise<Device | undefined>;
  /** Returns the devices with the given codes that exist, with their power ports only, in one read. */
  powerDevices(codes: readonly string[]): Promise<readonly Device[]>;
  rack(code: string): Promise<Rack | undefined>;
  crac(code: string): Promise<Crac | undefined>;
  /** Returns the devices in a rack, with the ports that their draw depends on. */
  devicesInRack(rackCode: string): Promise<readonly Device[]>;
  childrenOf(deviceCode: string): Promise<readonly DeviceBody[]>;
  cableAt(end: PortRef): Promise<Cable | undefined>;
  cablesOf(deviceCode: string): Promise<readonly Cable[]>;
  /** Returns cables with an end at any of these devices, each once, in one read. */
  cablesOfAll(deviceCodes: readonly string[]): Promise<readonly Cable[]>;
  /** Returns power cables with an end at any of these devices, each once, in one read. */
  powerCablesOf(deviceCodes: readonly string[]): Promise<readonly Cable[]>;
  fabricLinksOf(deviceCode: string): Promise<readonly FabricLink[]>;
  /** Returns the outlet that declares a feed; undefined if no outlet declares it. */
  feedDeclarer(feedId: string): Promise<PortRef | undefined>;
  consumersOf(sourceRefs: readonly string[]): Promise<readonly SourceConsumer[]>;
  assetTagHolder(kind: "device" | "rack", assetTag: string): Promise<string | undefined>;
  racksOnFloor(siteId: string, floorNumber: number): Promise<readonly Rack[]>;
  cracsOnFloor(siteId: string, floorNumber: number): Promise<readonly Crac[]>;
}

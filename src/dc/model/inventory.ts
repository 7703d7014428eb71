import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import type { AuditActor, AuditRequest } from "#gen/datacenter/v1/messages.ts";
import type { DeviceType, MaintenanceWindow as WrittenWindow } from "#gen/datacenter/v1/models.ts";
import type { AuditAction, AuditSource, WindowState } from "./enum_values.ts";
import { codeKey, isSamePort } from "./ref.ts";
import type { Cable, Crac, Device, DeviceBody, FabricLink, Port, PortRef, Rack } from "./resources.ts";

export type { DeviceType } from "#gen/datacenter/v1/models.ts";

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

/** Input of the analyses. Each list is sorted by key. */
export interface Inventory {
  readonly racks: readonly Rack[];
  readonly devices: readonly Device[];
  readonly cracs: readonly Crac[];
  readonly cables: readonly Cable[];
  readonly fabricLinks: readonly FabricLink[];
}

/** Summary of a device's network ports for planning a new cable. */
export interface NetworkPortSummary {
  readonly count: number;
  /** Ports that have no cable and are not marked as connected, in port order. */
  readonly free: readonly Port[];
  /** Names of ports that are divided into channels. */
  readonly divided: readonly string[];
}

/** Returns the fields that a device of this type inherits, in addition to kind, manufacturer and model. */
export function getInheritedFields({ partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports }: DeviceType) {
  return { partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports };
}

/** Maximum number of elements of one window. Source: docs/windows.md#limits. */
export const MAX_WINDOW_ELEMENTS = LIST_SIZES.MaintenanceWindow.elementRefs;
export const MAX_WINDOW_DAYS = 90;

/** A plan to take elements out of service from `startsAt` to before `endsAt`, both ISO 8601 in UTC. */
export type MaintenanceWindow = Omit<WrittenWindow, "state" | "calendarSequence"> & {
  readonly state: WindowState;
  /** Incremented with each change of time, elements or state. */
  readonly sequence?: number;
  readonly calendarSequence?: number;
};

/** Whether the window's elements are or will be out of service. */
export function isWindowOpen({ state }: Pick<MaintenanceWindow, "state">): boolean {
  return state === "PLANNED" || state === "BEGUN";
}

/**
 * Whether a window is still open although its end has passed, so its elements may be out of service.
 * @param now milliseconds since 1970
 */
export function isWindowOverdue(window: Pick<MaintenanceWindow, "state" | "endsAt">, now: number): boolean {
  return isWindowOpen(window) && Date.parse(window.endsAt) <= now;
}

export type ChangeActor = Omit<AuditActor, "onBehalfOf"> & { readonly onBehalfOf?: string };

export type ChangeRequest = Pick<AuditRequest, "id" | "interface" | "method"> & Partial<AuditRequest>;

/** A change before it is appended to the hash chain. Times are ISO 8601 in UTC. */
export interface ChangeDraft {
  readonly id: string;
  readonly occurredAt: string;
  readonly recordedAt: string;
  readonly actor: ChangeActor;
  readonly request: ChangeRequest;
  readonly action: AuditAction;
  /** Reference of the changed resource. */
  readonly entity: string;
  /** References of the resources that contain the changed one; the history of each includes this change. */
  readonly related: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  /** Top-level fields that differ, in snake_case. */
  readonly changedFields: readonly string[];
  readonly message?: string;
  readonly source: AuditSource;
  /** Commit position in the database, as a change feed reports it. */
  readonly commit?: string;
  readonly transactionId: string;
}

/** A change in the hash chain: `hash` covers all other fields, including `prevHash`. */
export interface ChangeRecord extends ChangeDraft {
  /** Position in the log, from 1 without gaps. */
  readonly seq: number;
  readonly prevHash: string;
  readonly hash: string;
}

/** Returns a site reader with `device` written: searches along the supply must include its new inlets and feeds. */
export function overlayDevice(site: SiteReader, device: Device): SiteReader {
  const key = codeKey(device.code);
  return replaceMethods(site, {
    device: async (code) => (codeKey(code) === key ? device : site.device(code)),
    powerDevices: async (codes) => {
      const others = await site.powerDevices(codes.filter((code) => codeKey(code) !== key));
      return others.length < codes.length && codes.some((code) => codeKey(code) === key) ? [...others, device] : others;
    },
    feedDeclarer: async (feedId) => {
      const own = findFeedPort(device, feedId);
      if (own !== undefined) return own;
      const stored = await site.feedDeclarer(feedId);
      return stored !== undefined && codeKey(stored.deviceCode) === key ? undefined : stored;
    },
  });
}

/** Returns a reader of the site as it will be after `cable` is written. */
export function overlayCable(site: SiteReader, cable: Cable): SiteReader {
  return replaceMethods(site, {
    cableAt: async (end) => (isSamePort(cable.a, end) || isSamePort(cable.b, end) ? cable : site.cableAt(end)),
  });
}

function findFeedPort(device: Device, feedId: string): PortRef | undefined {
  const port = (device.ports ?? []).find(({ powerOut }) => {
    const own = powerOut?.feedId;
    return own !== undefined && codeKey(own) === codeKey(feedId);
  });
  return port === undefined ? undefined : { deviceCode: device.code, portName: port.name };
}

/** Returns a reader with replaced methods. Binds the others, because a copy of a class instance would lose them. */
function replaceMethods(site: SiteReader, replaced: Partial<SiteReader>): SiteReader {
  return new Proxy(site, {
    get(target, name) {
      const method: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

import type { DeviceKind, Mount } from "./enum_values.ts";
import type { SiteReader } from "./inventory.ts";
import { codeKey, formatFloorRef, formatPort, formatRef, orderCableEnds, parseRef } from "./ref.ts";
import type { Cable, Crac, Device, FabricLink, Location, Rack } from "./resources.ts";
import { findLinkTier } from "./rules/fabric_link.ts";

// Writes fill in defaults and derived values, so that reads, filters and comparisons process complete resources.
// Filling in is idempotent.

const ROLE_BY_KIND: Readonly<Partial<Record<DeviceKind, string>>> = {
  SERVER: "compute",
  BLADE: "compute",
  RACK_PDU: "rack-pdu",
};

/** Returns the default role of a device: its kind as a slug, except for the kinds in `ROLE_BY_KIND`. */
function getDefaultRole(kind: DeviceKind): string {
  return ROLE_BY_KIND[kind] ?? kind.toLowerCase().replaceAll("_", "-");
}

/**
 * Fills in a device's defaults, references for bare codes of sources, and rack and location from its chassis or rack. The
 * rules report an unknown chassis or rack.
 */
export async function completeDevice(device: Device, site: SiteReader): Promise<Device> {
  const parent = device.parentDeviceCode === undefined ? undefined : await site.device(device.parentDeviceCode);
  const rackCode = device.rackCode ?? parent?.rackCode;
  const rack = rackCode === undefined ? undefined : await site.rack(rackCode);
  const location = mergeLocation(device.location, rack?.location ?? parent?.location);
  return {
    ...(await resolveDeviceSources(device, site)),
    ...(device.kind !== undefined && { role: device.role ?? getDefaultRole(device.kind) }),
    status: device.status ?? "ACTIVE",
    mount: device.mount ?? getDefaultMount(device),
    ...(device.positionU !== undefined && {
      uHeight: device.uHeight ?? 1,
      depth: device.depth ?? "FULL",
      slot: device.slot ?? "FULL",
    }),
    ...(rackCode !== undefined && { rackCode }),
    ...(location !== undefined && { location }),
  };
}

function getDefaultMount({ rackCode, bay, placement, parentDeviceCode }: Device): Mount {
  if (bay !== undefined || parentDeviceCode !== undefined) return "BAY";
  if (rackCode !== undefined) return "RAIL";
  return placement === undefined ? "UNRACKED" : "FLOOR";
}

/** Adds missing fields from the rack's or chassis's location; keeps a differing given value, which the rules reject. */
function mergeLocation(given: Location | undefined, held: Location | undefined): Location | undefined {
  if (given === undefined || held === undefined) return given ?? held;
  return { ...held, ...given };
}

export function completeRack(rack: Rack): Rack {
  return {
    ...rack,
    status: rack.status ?? "ACTIVE",
    railWidthIn: rack.railWidthIn ?? 19,
    uHeight: rack.uHeight ?? 42,
    startingUnit: rack.startingUnit ?? 1,
    ...(rack.reservations !== undefined && {
      reservations: rack.reservations.map((reservation) => ({
        ...reservation,
        status: reservation.status ?? "ACTIVE",
      })),
    }),
  };
}

export async function completeCrac(crac: Crac, site: SiteReader): Promise<Crac> {
  const rack = crac.rackCode === undefined ? undefined : await site.rack(crac.rackCode);
  const location = mergeLocation(crac.location, rack?.location);
  const named = await resolveCracRefs({ ...crac, ...(location !== undefined && { location }) }, site);
  return {
    ...named,
    status: crac.status ?? "ACTIVE",
    medium: crac.medium ?? (crac.kind === "CDU" ? "LIQUID" : "AIR"),
    ...(location !== undefined && { serves: named.serves ?? [getDefaultScope(crac, location)] }),
  };
}

/** Returns the scope that a unit without scopes serves: its rack; without a rack its room; without a room its floor. */
function getDefaultScope({ rackCode }: Crac, location: Location): string {
  if (rackCode !== undefined) return `rack:${rackCode}`;
  return location.room === undefined
    ? formatFloorRef(location)
    : `room:${location.siteId}/${location.floorNumber}/${location.room}`;
}

export function completeCable(cable: Cable): Cable {
  if (cable.a === undefined || cable.b === undefined) return cable;
  const [a, b] = orderCableEnds(cable.a, cable.b);
  return { ...cable, a, b, status: cable.status ?? "CONNECTED" };
}

/** Makes the end of the lower tier `a`, and fills in status, capacity and ECMP group. */
export async function completeFabricLink(link: FabricLink, site: SiteReader): Promise<FabricLink> {
  if (link.a === undefined || link.b === undefined) return link;
  const turned = turnLinkLeafFirst(link, await hasSpineFirst(link, site));
  const capacityMbps = link.capacityMbps ?? (await findSlowerPortSpeed(link, site));
  return {
    ...turned,
    status: link.status ?? "UP",
    ecmpGroup: link.ecmpGroup ?? turned.a.deviceCode,
    ...(capacityMbps !== undefined && { capacityMbps }),
  };
}

async function hasSpineFirst({ a, b }: FabricLink, site: SiteReader): Promise<boolean> {
  const one = await site.device(a.deviceCode);
  const other = await site.device(b.deviceCode);
  return (
    (findLinkTier(one) === "spine" && findLinkTier(other) === "leaf") ||
    (one?.role === "super-spine" && other?.role === "spine")
  );
}

/** Swaps the ends if `turn` is true, and with them the traffic, which is recorded by direction. */
function turnLinkLeafFirst(link: FabricLink, turn: boolean): FabricLink {
  if (!turn) return link;
  const { aToBMbps, bToAMbps, ...rest } = link;
  return {
    ...rest,
    a: link.b,
    b: link.a,
    ...(bToAMbps !== undefined && { aToBMbps: bToAMbps }),
    ...(aToBMbps !== undefined && { bToAMbps: aToBMbps }),
  };
}

async function findSlowerPortSpeed(link: FabricLink, site: SiteReader): Promise<number | undefined> {
  const speeds: number[] = [];
  for (const end of [link.a, link.b]) {
    const device = await site.device(end.deviceCode);
    const speed = device?.ports?.find(({ name }) => name === end.portName)?.speedMbps;
    if (speed !== undefined) speeds.push(speed);
  }
  return speeds.length === 0 ? undefined : Math.min(...speeds);
}

// A user may write UPS-A2 instead of device:UPS-A2. If a code names no resource or several, it is not replaced; the
// rules then reject it and name the complete form.

/** Replaces bare codes of the sources of a device's inlets by references. */
async function resolveDeviceSources(device: Device, site: SiteReader): Promise<Device> {
  const { ports } = device;
  if (ports?.some(({ powerIn }) => isBareCode(powerIn?.sourceRef)) !== true) return device;
  const named = ports.map(async (port) =>
    port.powerIn === undefined ? port : { ...port, powerIn: await resolveInletSource(port.powerIn, site) },
  );
  return { ...device, ports: await Promise.all(named) };
}

/** Replaces bare codes of the sources and served areas of a cooling unit by references. */
async function resolveCracRefs(crac: Crac, site: SiteReader): Promise<Crac> {
  const { powerInputs, serves, location } = crac;
  return {
    ...crac,
    ...(powerInputs !== undefined && {
      powerInputs: await Promise.all(powerInputs.map((input) => resolveInletSource(input, site))),
    }),
    ...(serves !== undefined && {
      serves: await Promise.all(serves.map((text) => (isBareCode(text) ? findScopeRef(text, location, site) : text))),
    }),
  };
}

function isBareCode(text: string | undefined): text is string {
  return text !== undefined && text !== "" && !text.includes(":");
}

async function resolveInletSource<Inlet extends { readonly sourceRef?: string }>(
  inlet: Inlet,
  site: SiteReader,
): Promise<Inlet> {
  return isBareCode(inlet.sourceRef) ? { ...inlet, sourceRef: await findSourceRef(inlet.sourceRef, site) } : inlet;
}

/**
 * Returns the reference of a device, a feed, or an outlet that is written as `<device>/<outlet>`. Returns the text
 * unchanged if it names no element or several.
 */
async function findSourceRef(text: string, site: SiteReader): Promise<string> {
  const outlet = parseRef(`port:${text}`);
  if (outlet?.kind === "port") {
    const owner = await site.device(outlet.end.deviceCode);
    return owner === undefined ? text : `port:${formatPort({ ...outlet.end, deviceCode: owner.code })}`;
  }
  const device = await site.device(text);
  const isFeed = (await site.feedDeclarer(text)) !== undefined;
  if (device !== undefined) return isFeed ? text : `device:${device.code}`;
  return isFeed ? `feed:${text}` : text;
}

/**
 * Returns the reference of a rack, of a floor written as `<site>/<floor>`, or of a room, row or zone. The name alone
 * means an area on the unit's floor; `<site>/<floor>/<name>` means an area on any floor. Returns the text unchanged if
 * it names no location or several.
 */
async function findScopeRef(text: string, location: Location | undefined, site: SiteReader): Promise<string> {
  const found: string[] = [];
  const rack = await site.rack(text);
  if (rack !== undefined) found.push(`rack:${rack.code}`);
  const floor = parseRef(`floor:${text}`);
  if (floor !== undefined) found.push(formatRef(floor));
  const area = parseRef(`room:${text}`);
  if (area?.kind === "room") found.push(...(await listAreaRefsByName(area.name, area.site, area.floor, site)));
  else if (location !== undefined)
    found.push(...(await listAreaRefsByName(text, location.siteId, location.floorNumber, site)));
  const [only, other] = found;
  return only === undefined || other !== undefined ? text : only;
}

/** Lists references of the rooms, rows and zones with a name, as racks of a floor record them. */
async function listAreaRefsByName(
  name: string,
  siteId: string,
  floor: number,
  site: SiteReader,
): Promise<readonly string[]> {
  const racks = await site.racksOnFloor(siteId, floor);
  return AREA_FIELDS.flatMap(([kind, field]) => {
    const found = racks
      .map(({ location }) => location?.[field])
      .find((one) => one !== undefined && codeKey(one) === codeKey(name));
    return found === undefined ? [] : [`${kind}:${siteId}/${floor}/${found}`];
  });
}

const AREA_FIELDS = [
  ["room", "room"],
  ["row", "row"],
  ["zone", "zoneId"],
] as const;

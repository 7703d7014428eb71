import { codeKey } from "./code.ts";
import { formatPort, formatRef, parseRef } from "./ref.ts";
import type { Crac, Device, Location } from "./resources.ts";
import type { SiteReader } from "./site.ts";

// A user may write UPS-A2 instead of device:UPS-A2. If a code names no resource or several, it is not replaced; the
// rules then reject it and name the complete form.

/** Replaces bare codes of the sources of a device's inlets by references. */
export async function resolveDeviceSources(device: Device, site: SiteReader): Promise<Device> {
  const { ports } = device;
  if (ports?.some(({ powerIn }) => isBareCode(powerIn?.sourceRef)) !== true) return device;
  const named = ports.map(async (port) =>
    port.powerIn === undefined ? port : { ...port, powerIn: await resolveInletSource(port.powerIn, site) },
  );
  return { ...device, ports: await Promise.all(named) };
}

/** Replaces bare codes of the sources and served areas of a cooling unit by references. */
export async function resolveCracRefs(crac: Crac, site: SiteReader): Promise<Crac> {
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

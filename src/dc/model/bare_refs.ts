import { codeKey } from "./code.ts";
import { formatPort, formatRef, parseRef } from "./ref.ts";
import type { Crac, Device, Location } from "./resources.ts";
import type { SiteReader } from "./site.ts";

// A person writes UPS-A2 for device:UPS-A2. What nothing has, or several things, stays as it is: the rules refuse it and
// state the form that is unambiguous.

/** The device with references for the bare codes of sources of its inlets. */
export async function withSourceRefs(device: Device, site: SiteReader): Promise<Device> {
  const { ports } = device;
  if (ports?.some(({ powerIn }) => isBare(powerIn?.sourceRef)) !== true) return device;
  const named = ports.map(async (port) =>
    port.powerIn === undefined ? port : { ...port, powerIn: await withSource(port.powerIn, site) },
  );
  return { ...device, ports: await Promise.all(named) };
}

/** The cooling unit with references for the bare codes of its sources and of what it serves. */
export async function withServedRefs(crac: Crac, site: SiteReader): Promise<Crac> {
  const { powerInputs, serves, location } = crac;
  return {
    ...crac,
    ...(powerInputs !== undefined && {
      powerInputs: await Promise.all(powerInputs.map((input) => withSource(input, site))),
    }),
    ...(serves !== undefined && {
      serves: await Promise.all(serves.map((text) => (isBare(text) ? scopeRef(text, location, site) : text))),
    }),
  };
}

function isBare(text: string | undefined): text is string {
  return text !== undefined && text !== "" && !text.includes(":");
}

async function withSource<Inlet extends { readonly sourceRef?: string }>(
  inlet: Inlet,
  site: SiteReader,
): Promise<Inlet> {
  return isBare(inlet.sourceRef) ? { ...inlet, sourceRef: await sourceRef(inlet.sourceRef, site) } : inlet;
}

/** The reference of a device, a feed, or an outlet as `<device>/<outlet>`. */
async function sourceRef(text: string, site: SiteReader): Promise<string> {
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
 * The reference of a rack, of a floor as `<site>/<floor>`, or of a room, row or zone: of the unit's floor by its name
 * alone, of any floor as `<site>/<floor>/<name>`.
 */
async function scopeRef(text: string, location: Location | undefined, site: SiteReader): Promise<string> {
  const found: string[] = [];
  const rack = await site.rack(text);
  if (rack !== undefined) found.push(`rack:${rack.code}`);
  const floor = parseRef(`floor:${text}`);
  if (floor !== undefined) found.push(formatRef(floor));
  const area = parseRef(`room:${text}`);
  if (area?.kind === "room") found.push(...(await areasNamed(area.name, area.site, area.floor, site)));
  else if (location !== undefined) found.push(...(await areasNamed(text, location.siteId, location.floorNumber, site)));
  const [only, other] = found;
  return only === undefined || other !== undefined ? text : only;
}

/** References of the room, row and zone of this name that racks of a floor are in. */
async function areasNamed(name: string, siteId: string, floor: number, site: SiteReader): Promise<readonly string[]> {
  const racks = await site.racksOnFloor(siteId, floor);
  return AREAS.flatMap(([kind, field]) => {
    const found = racks
      .map(({ location }) => location?.[field])
      .find((one) => one !== undefined && codeKey(one) === codeKey(name));
    return found === undefined ? [] : [`${kind}:${siteId}/${floor}/${found}`];
  });
}

const AREAS = [
  ["room", "room"],
  ["row", "row"],
  ["zone", "zoneId"],
] as const;

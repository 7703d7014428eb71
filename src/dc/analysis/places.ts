import type { AreaKind, LoadBasis } from "../model/enum_values.ts";
import type { Inventory } from "../model/inventory.ts";
import { type HeatSum, sumHeatByMedium } from "../model/rack_space.ts";
import { codeKey, compareText, formatRef, parseRef, type Ref } from "../model/ref.ts";
import type { Crac, Device, Location, Rack } from "../model/resources.ts";

/** Devices with the same rack, row, zone, room, floor and site, and cached values about them. */
export interface DeviceLocation {
  /** Keys of the areas that contain the location, its rack included. */
  readonly areas: ReadonlySet<string>;
  readonly devices: readonly Device[];
  /** Devices with a recorded efficiency, which convert a part of the distributed power to heat. */
  readonly lossy: readonly Device[];
}

export function formatAreaKey(area: Ref): string {
  return formatRef(area).toLowerCase();
}

const locationsCache = new WeakMap<readonly Device[], readonly DeviceLocation[]>();

/** Groups devices by location. The result is cached per list. Cost: O(devices). */
export function groupByLocation(devices: readonly Device[]): readonly DeviceLocation[] {
  return locationsCache.getOrInsertComputed(devices, () => {
    const members = new Map<string, { readonly areas: readonly string[]; readonly devices: Device[] }>();
    for (const device of devices) {
      const areas = listAreaKeys(device);
      const key = areas.join("\n");
      members.getOrInsertComputed(key, () => ({ areas, devices: [] })).devices.push(device);
    }
    return [...members.values()].map((place) => ({
      areas: new Set(place.areas),
      devices: place.devices,
      lossy: place.devices.filter(({ power }) => power?.efficiencyPct !== undefined),
    }));
  });
}

const areaIndexCache = new WeakMap<readonly DeviceLocation[], ReadonlyMap<string, readonly number[]>>();

/** Indexes a list's locations by the keys of the areas that contain them. The result is cached per list. */
export function indexLocationsByArea(places: readonly DeviceLocation[]): ReadonlyMap<string, readonly number[]> {
  return areaIndexCache.getOrInsertComputed(places, () => {
    const found = new Map<string, number[]>();
    for (const [at, { areas }] of places.entries()) for (const area of areas) found.getOrInsert(area, []).push(at);
    return found;
  });
}

/** Lists keys of the areas that contain a resource, its rack included. */
export function listAreaKeys({ rackCode, location }: LocatedResource): readonly string[] {
  const rack = rackCode === undefined ? [] : [`rack:${rackCode}`];
  return [...rack, ...(location === undefined ? [] : listAreas(location))].map((area) => area.toLowerCase());
}

function listAreas({ siteId, floorNumber, room, row, zoneId }: Location): readonly string[] {
  const floor = `${siteId}/${floorNumber}`;
  const named = [
    ["room", room],
    ["row", row],
    ["zone", zoneId],
  ] as const;
  return [
    `site:${siteId}`,
    `floor:${floor}`,
    ...named.flatMap(([kind, name]) => (name === undefined ? [] : [`${kind}:${floor}/${name}`])),
  ];
}

/** Returns the reference of the area of a kind that contains a resource; undefined if none exists. */
export function findAreaRef({ rackCode, location }: LocatedResource, kind: AreaKind): string | undefined {
  if (kind === "RACK") return rackCode === undefined ? undefined : `rack:${rackCode}`;
  const prefix = `${kind.toLowerCase()}:`;
  return location && listAreas(location).find((area) => area.startsWith(prefix));
}

const heatCache = new WeakMap<DeviceLocation, Map<LoadBasis, HeatSum>>();

/** Sums the heat of the devices of a location, without losses of power distribution. Computed once per basis. */
export function sumLocationHeat(place: DeviceLocation, basis: LoadBasis): HeatSum {
  const known = heatCache.getOrInsertComputed(place, () => new Map<LoadBasis, HeatSum>());
  return known.getOrInsertComputed(basis, () => sumHeatByMedium(place.devices, basis));
}

/** Returns the locations with racks or cooling units that contain no device. */
export function listEmptyLocations(
  occupied: readonly DeviceLocation[],
  { racks, cracs }: { readonly racks: readonly Rack[]; readonly cracs: readonly Crac[] },
): readonly DeviceLocation[] {
  const known = new Set(occupied.map(({ areas }) => [...areas].join("\n")));
  const found: DeviceLocation[] = [];
  const addLocation = (areas: readonly string[]) => {
    const key = areas.join("\n");
    if (areas.length === 0 || known.has(key)) return;
    known.add(key);
    found.push({ areas: new Set(areas), devices: [], lossy: [] });
  };
  for (const { code, location } of racks) addLocation(listAreaKeys({ rackCode: code, ...(location && { location }) }));
  for (const { location, rackCode, heatRejection } of cracs) {
    addLocation(listAreaKeys({ ...(rackCode && { rackCode }), ...(location && { location }) }));
    // A unit that rejects heat into its room does so outside of any rack.
    if (heatRejection === "AIR" && location !== undefined) addLocation(listAreaKeys({ location }));
  }
  return found;
}

/** Lists the areas of a kind that contain racks, devices and cooling units of a scope, sorted by reference. */
export function listAreasInScope(
  { racks, devices, cracs }: Pick<Inventory, "racks" | "devices" | "cracs">,
  kind: AreaKind,
  scope: Ref | undefined,
): readonly Ref[] {
  const found = new Map<string, Ref>();
  const located = [...racks.map((rack) => ({ ...rack, rackCode: rack.code })), ...devices, ...cracs];
  for (const one of located) {
    if (scope !== undefined && !isLocatedIn(one, scope)) continue;
    const text = findAreaRef(one, kind);
    const ref = text === undefined || found.has(text.toLowerCase()) ? undefined : parseRef(text);
    if (text !== undefined && ref !== undefined) found.set(text.toLowerCase(), ref);
  }
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([, ref]) => ref);
}

/** A resource with a location, directly or through its rack. */
interface LocatedResource {
  readonly location?: Location;
  readonly rackCode?: string;
}

/** Whether a resource is located inside a site, floor, room, row, zone or rack. */
export function isLocatedIn({ location, rackCode }: LocatedResource, scope: Ref): boolean {
  if (scope.kind === "rack") return rackCode !== undefined && codeKey(rackCode) === codeKey(scope.code);
  return location !== undefined && isLocationIn(location, scope);
}

/** Returns the racks inside a site, floor, room, row or zone, or the rack that the scope names. */
export function selectRacksIn(racks: readonly Rack[], scope: Ref): readonly Rack[] {
  return racks.filter(({ code, location }) =>
    isLocatedIn({ rackCode: code, ...(location !== undefined && { location }) }, scope),
  );
}

/** Whether a location is inside a site, floor, room, row or zone. */
function isLocationIn(location: Location, scope: Ref): boolean {
  if (!("site" in scope) || codeKey(location.siteId) !== codeKey(scope.site)) return false;
  if (scope.kind === "site") return true;
  if (location.floorNumber !== scope.floor) return false;
  if (scope.kind === "floor") return true;
  const names = { room: location.room, row: location.row, zone: location.zoneId };
  return codeKey(names[scope.kind] ?? "") === codeKey(scope.name);
}

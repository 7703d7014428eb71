import { codeKey } from "#dc/model/code.ts";
import type { Ref } from "#dc/model/ref.ts";
import type { Location, Rack } from "#dc/model/resources.ts";

/** A resource with a location, directly or through its rack. */
export interface LocatedResource {
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
export function isLocationIn(location: Location, scope: Ref): boolean {
  if (!("site" in scope) || codeKey(location.siteId) !== codeKey(scope.site)) return false;
  if (scope.kind === "site") return true;
  if (location.floorNumber !== scope.floor) return false;
  if (scope.kind === "floor") return true;
  const names = { room: location.room, row: location.row, zone: location.zoneId };
  return codeKey(names[scope.kind] ?? "") === codeKey(scope.name);
}

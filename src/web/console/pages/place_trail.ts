import type { Location } from "#gen/datacenter/v1/json.ts";
import { findRefUrl, formatPageUrl } from "../router.ts";
import type { BreadcrumbStep } from "../ui/trail.ts";

/** Returns the locations that contain an element, from the site down to its rack. */
export function createLocationTrail(location: Location | undefined, rackCode = ""): readonly BreadcrumbStep[] {
  if (location === undefined) return [];
  const { site_id, floor_number, room, row } = location;
  const floor = `${site_id}/${floor_number}`;
  return [
    { name: site_id, href: findRefUrl(`site:${site_id}`) },
    { name: `Floor ${floor_number}`, href: findRefUrl(`floor:${floor}`) },
    ...(room === "" ? [] : [{ name: room, href: findRefUrl(`room:${floor}/${room}`) }]),
    ...(row === "" ? [] : [{ name: `Row ${row}`, href: findRefUrl(`row:${floor}/${row}`) }]),
    ...(rackCode === "" ? [] : [{ name: rackCode, href: formatPageUrl("rack", rackCode) }]),
  ];
}

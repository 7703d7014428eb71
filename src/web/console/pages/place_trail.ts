import type { Location } from "#gen/datacenter/v1/json.ts";
import { linkTo, linkToRef } from "../router.ts";
import type { Crumb } from "../ui/trail.ts";

/** The places around something, from the site down to its rack. */
export function placeTrail(location: Location | undefined, rackCode = ""): readonly Crumb[] {
  if (location === undefined) return [];
  const { site_id, floor_number, room, row } = location;
  const floor = `${site_id}/${floor_number}`;
  return [
    { name: site_id, href: linkToRef(`site:${site_id}`) },
    { name: `Floor ${floor_number}`, href: linkToRef(`floor:${floor}`) },
    ...(room === "" ? [] : [{ name: room, href: linkToRef(`room:${floor}/${room}`) }]),
    ...(row === "" ? [] : [{ name: `Row ${row}`, href: linkToRef(`row:${floor}/${row}`) }]),
    ...(rackCode === "" ? [] : [{ name: rackCode, href: linkTo("rack", rackCode) }]),
  ];
}

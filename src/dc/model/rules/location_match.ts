import { broken, type ErrorFinding } from "../finding.ts";
import type { Location } from "../resources.ts";

/** Rejects a given location that differs from that of the rack or chassis. */
export function agree(given: Location | undefined, held: Location | undefined, ref: string): readonly ErrorFinding[] {
  if (given === undefined || held === undefined || given === held) return [];
  const pairs: readonly (readonly [string, string | number | undefined, string | number | undefined])[] = [
    ["site_id", given.siteId, held.siteId],
    ["floor_number", given.floorNumber, held.floorNumber],
    ["room", given.room, held.room],
    ["row", given.row, held.row],
    ["zone_id", given.zoneId, held.zoneId],
  ];
  return pairs
    .filter(([, one, other]) => one !== undefined && one !== other)
    .map(([field, one, other]) =>
      broken("LOCATION_MISMATCH", `location.${field}`, `The location differs from that of "${ref}"`, {
        value: one,
        expected: String(other ?? "nothing"),
        ref,
      }),
    );
}
